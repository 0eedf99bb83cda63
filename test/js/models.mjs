// Random models, as the source of an app, and random instances of them: valid
// ones, and such as are wrong in a place or two.
import { Random } from './shacl_cases.mjs';

const XSD = 'http://www.w3.org/2001/XMLSchema#';
export const HOME = 'trails://model/';
export const PEOPLE = ['ann', 'bob', 'cid'].map((name) => `${HOME}Person/${name}`);

const WORDS = ['', 'a', 'b', 'ab', 'abc', 'bca', 'B1', 'b12', 'Ab c', '1', '22', 'x y', 'abcdefgh', 'ä', 'ÄÖ', 'a.b', '-'];
const PATTERNS = ['^[a-c]+$', '^[A-Z]', '[0-9]', '^(a|bb)*$', '^[a-z0-9]{2,4}$', 'b', '^[^ ]*$', '^\\w+$'];
const INTEGERS = [-3, -1, 0, 1, 2, 3, 5, 7, 10, 1000];
const NUMBERS = [-2.5, -1, 0, 0.5, 1, 1.5, 2, 3.25, 10, 1e3, 1e21, 1e-7];
const TIMES = ['2026-11-15T12:00:00Z', '2026-11-15T12:00:00.125+02:00', '2024-02-29T23:59:59-11:30', '1969-12-31T00:00:00Z'];
// RFC 3339 has leap seconds and offsets beyond 14:00, XSD has neither.
export const NO_TIMES_OF_XSD = ['2016-12-31T23:59:60Z', '2026-11-15T12:00:00+15:00'];
const NO_TIMES = [...NO_TIMES_OF_XSD, '2026-11-15', '2025-02-29T00:00:00Z', 'yesterday', '2026-11-15T12:00:00', ''];
const NO_PEOPLE = [`${HOME}Person/nobody`, `${HOME}Base`, 'urn:x:y', 'not an iri', ''];

// The kinds whose values are texts of a form: their values in order, as a store
// spells them, what is none, and other spellings. Durations are such that their
// order is that of their texts, by which rdf-validate-shacl compares them.
const FORMS = {
  date: {
    type: 'date', values: ['0001-01-01', '1969-12-31', '2024-02-29', '2026-01-01', '2026-11-15', '9999-12-31'],
    wrong: ['2026-02-30', '2025-02-29', '2026-11-15Z', '2026-11-15T00:00:00Z', '10000-01-01', '26-11-15', '', 'today', 20261115],
  },
  time: {
    type: 'time', values: ['00:00:00', '08:59:59', '09:00:00', '09:00:00.5', '14:30:00', '23:59:59.999999999999'],
    wrong: ['24:00:00', '23:59:60', '14:30', '14:30:00Z', '9:00:00', '', 'noon', 900],
    others: { '09:00:00.500': '09:00:00.5', '14:30:00.000': '14:30:00' },
  },
  duration: {
    type: 'dayTimeDuration', values: ['PT1H', 'PT1H30M', 'PT2H', 'PT2H0.5S', 'PT3H', 'PT9H'],
    wrong: ['P1Y', 'P1M', 'P1W', 'PT', 'P', '1H', 'PT1.S', 'P10000000000D', '', 3600],
    others: { PT60M: 'PT1H', PT90M: 'PT1H30M', 'PT2H0.500S': 'PT2H0.5S', P0DT3H: 'PT3H' },
  },
  decimal: {
    type: 'decimal', values: ['-0.5', '0', '0.125', '1', '12.5', '99.99', '100', '12345678901234567890.125'],
    wrong: ['1e3', '1,5', '.', 'abc', ' 1', '', true],
    others: { '12.50': '12.5', '+1.0': '1', '-.5': '-0.5', '00.125': '0.125', '-0': '0' },
  },
  uri: {
    type: 'anyURI', values: ['http://[::1]:80/', 'https://example.org/a?b#c', 'mailto:ada@example.org', 'urn:isbn:0451450523'],
    wrong: ['/path', 'example.org', 'http://example.org/a b', 'http://example.org/%zz', 'http://\u00e4.org/', 'http://[::1', '', 5],
  },
  email: {
    type: 'string', values: ['Ada.L+x@mail.example.org', 'ada@example.org', 'b@c.de'],
    wrong: ['ada', 'ada@localhost', '@example.org', '.a@example.org', 'a..b@example.org', 'a@-b.org', 'a@b..org', '\u00e4@b.org', 5],
  },
};
const DOCUMENTS = [{ a: 1 }, { a: 2, b: [null, 'x', { c: {} }] }, { b: 'x' }, [], [1, null], 'text', '', 5, 0.5, true, { a: 'x' }];
const SCHEMAS = [{ type: 'object' }, { type: 'object', required: ['a'], properties: { a: { type: 'integer', minimum: 2 } } },
  { type: 'array', items: { type: 'integer' } }, { not: { type: 'string' } }, { enum: [5, { a: 1 }] }, { type: ['object', 'array'] }];

export const VALUES = {
  text: WORDS, integer: INTEGERS, number: NUMBERS, boolean: [true, false], datetime: TIMES, ref: PEOPLE, json: DOCUMENTS,
  ...Object.fromEntries(Object.entries(FORMS).map(([kind, { values, others = {} }]) => [kind, [...values, ...Object.keys(others)]])),
};
const WRONG = {
  text: [1, true, 0.5], integer: ['1', 1.5, true, ''], number: ['1.5', false], boolean: ['true', 0, 1],
  datetime: [...NO_TIMES, 5], ref: [...NO_PEOPLE, 7], json: DOCUMENTS,
  ...Object.fromEntries(Object.entries(FORMS).map(([kind, { wrong }]) => [kind, wrong])),
};

// A value as a store spells it, so that equal ones are one text.
export function spelt(kind, value) {
  if (kind === 'json') return canonical(value);
  return FORMS[kind]?.others?.[value] ?? value;
}

function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`;
}

// Where a value stands among those of its kind.
const rank = (kind, value) => (FORMS[kind] ? FORMS[kind].values.indexOf(spelt(kind, value)) : value);

function decimalFits({ digits, scale }, value) {
  const [whole, fraction = ''] = value.replace('-', '').split('.');
  return !(digits !== undefined && whole.replace(/^0/, '').length > digits - scale) && !(scale !== undefined && fraction.length > scale);
}

// What a value must be, as `options` of a field say.
function optionsOf(random, kind) {
  const numbers = kind === 'integer' ? INTEGERS : NUMBERS.slice(0, 9);
  const options = {};
  if (FORMS[kind]) {
    const { values } = FORMS[kind];
    const at = random.below(values.length - 2);
    if (random.oneIn(4)) options.one_of = [...new Set([random.pick(values), random.pick(values)])];
    if (kind === 'uri' || kind === 'email') {
      if (random.oneIn(4)) options.min_length = 5 + random.below(12);
      if (random.oneIn(4)) options.max_length = 16 + random.below(9);
    } else {
      if (random.oneIn(3)) options[random.pick(['min_value', 'min_exclusive'])] = values[at];
      if (random.oneIn(3)) options[random.pick(['max_value', 'max_exclusive'])] = values[at + 2];
    }
    if (kind === 'decimal' && random.oneIn(2)) options.scale = 1 + random.below(3);
    if (options.scale && random.oneIn(2)) options.digits = options.scale + random.below(3);
  } else if (kind === 'json') {
    if (random.oneIn(2)) options.schema = random.pick(SCHEMAS);
  } else if (kind === 'text') {
    if (random.oneIn(4)) options.one_of = [...new Set([random.pick(WORDS), random.pick(WORDS), random.pick(WORDS)])];
    if (random.oneIn(4)) options.min_length = random.below(4);
    if (random.oneIn(4)) options.max_length = 2 + random.below(6);
    if (random.oneIn(4)) options.pattern = random.pick(PATTERNS);
  } else if (kind === 'integer' || kind === 'number') {
    const bounds = [...numbers].sort((a, b) => a - b);
    const at = random.below(4);
    if (random.oneIn(4)) options.one_of = [...new Set([random.pick(numbers), random.pick(numbers), random.pick(numbers)])];
    if (random.oneIn(3)) options[random.pick(['min_value', 'min_exclusive'])] = bounds[at];
    if (random.oneIn(3)) options[random.pick(['max_value', 'max_exclusive'])] = bounds[at + 2 + random.below(3)];
  }
  if (options.min_length > options.max_length) delete options.max_length;
  return options;
}

function fieldOf(random, name, home) {
  const kind = random.pick(['text', 'text', 'text', 'integer', 'integer', 'number', 'boolean', 'datetime', 'ref',
    'json', ...Object.keys(FORMS)]);
  const field = { name, kind, iri: `${HOME}${home}#${name}`, options: optionsOf(random, kind) };
  const { options } = field;
  if (random.oneIn(3)) {
    options.many = true;
    if (random.oneIn(3)) options.min_count = 1 + random.below(2);
    if (random.oneIn(3)) options.max_count = 2 + random.below(2);
  }
  if (!options.min_count && random.oneIn(2)) options.optional = true;
  if (!options.many && random.oneIn(6)) options.unique = true;
  const fitting = VALUES[kind].filter((value) => fitsAlone(field, value));
  if (!options.many && !options.optional && !options.unique && kind !== 'ref' && fitting.length && random.oneIn(4)) {
    options.default = random.pick(fitting);
  }
  return field;
}

// Whether a value is of the kind and fits what a field says of each.
export function fitsAlone({ kind, options: o }, given) {
  const length = [...String(given)].length;
  const value = rank(kind, given);
  const bound = (name) => rank(kind, o[name]);
  if (kind === 'json') return !o.schema;
  if (FORMS[kind]) {
    return value >= 0 && !(o.one_of && !o.one_of.includes(spelt(kind, given)))
      && !(length < o.min_length) && !(length > o.max_length)
      && !('min_value' in o && value < bound('min_value')) && !('max_value' in o && value > bound('max_value'))
      && !('min_exclusive' in o && value <= bound('min_exclusive')) && !('max_exclusive' in o && value >= bound('max_exclusive'))
      && (kind !== 'decimal' || decimalFits(o, spelt(kind, given)));
  }
  return VALUES[kind].includes(value) && !(o.one_of && !o.one_of.includes(value))
    && !(length < o.min_length) && !(length > o.max_length)
    && !(o.pattern && !new RegExp(o.pattern, 'u').test(value))
    && !(value < o.min_value) && !(value > o.max_value)
    && !(value <= o.min_exclusive) && !(value >= o.max_exclusive);
}

const lua = (value) => (Array.isArray(value) ? `array { ${value.map(lua).join(', ')} }`
  : value === null ? 'null'
    : typeof value === 'object' ? `{ ${Object.entries(value).map(([key, one]) => `${key} = ${lua(one)}`).join(', ')} }`
      : JSON.stringify(value));

function luaField({ kind, options }) {
  const list = Object.entries(options).map(([key, value]) => `${key === 'not' ? '["not"]' : key} = ${
    key === 'schema' ? JSON.stringify(JSON.stringify(value)) : lua(value)}`).join(', ');
  return `${kind === 'ref' ? 'ref "Person"' : kind} { ${list} }`;
}

const luaFields = (fields) => `{ ${fields.map((field) => `{ "${field.name}", ${luaField(field)} }`).join(', ')} }`;

// A term in Turtle, as a write stores the value.
const turtle = (value) => {
  const { text, type } = literalOf(value, typeof value === 'number' && !Number.isInteger(value) ? 'number' : undefined);
  return `${JSON.stringify(text)}^^<${XSD}${type}>`;
};

// What a literal is in XSD.
export function literalOf(value, kind) {
  if (kind === 'json') return { text: canonical(value), type: 'JSON' };
  if (FORMS[kind] && VALUES[kind].includes(value)) return { text: spelt(kind, value), type: FORMS[kind].type };
  if (typeof value === 'boolean') return { text: String(value), type: 'boolean' };
  if (typeof value === 'number' && kind !== 'number' && Number.isInteger(value)) {
    return { text: BigInt(value).toString(), type: 'integer' };
  }
  if (typeof value === 'number') {
    return { text: value.toExponential().replace(/e\+?/, 'E').replace(/^(-?\d)E/, '$1.0E'), type: 'double' };
  }
  const isTime = kind === 'datetime' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value)
    && !Number.isNaN(Date.parse(value)) && !NO_TIMES.includes(value);
  return { text: value, type: isTime ? 'dateTime' : 'string' };
}

// What a shape of a file says of one field, in Turtle. The second half has no
// counterpart in a schema.
function constraintOf(random, field, fields) {
  const { kind } = field;
  const values = VALUES[kind];
  const term = (value) => (kind === 'ref' ? `<${value}>`
    : kind === 'json' ? `${JSON.stringify(canonical(value))}^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON>`
    : FORMS[kind] ? `"${spelt(kind, value)}"^^<${XSD}${FORMS[kind].type}>`
    : kind === 'datetime' ? `"${value}"^^<${XSD}dateTime>`
      : kind === 'number' ? `"${literalOf(value, 'number').text}"^^<${XSD}double>` : turtle(value));
  const some = () => [...new Set([random.pick(values), ...values.filter(() => random.below(2))])].map(term).join(' ');
  const others = fields.filter((other) => other !== field && other.kind === kind);
  const choices = [
    () => `sh:minCount ${random.below(field.options.many ? 3 : 2)}`, () => `sh:maxCount ${1 + random.below(3)}`, () => `sh:in ( ${some()} )`,
    ...(kind === 'text' ? [
      () => `sh:minLength ${random.below(3)}`, () => `sh:maxLength ${2 + random.below(6)}`,
      () => `sh:pattern ${JSON.stringify(random.pick(PATTERNS))}`] : []),
    ...(kind === 'integer' || kind === 'number' ? [
      () => `sh:minInclusive ${random.pick([-3, 0, 1])}`, () => `sh:maxInclusive ${random.pick([5, 7, 1000])}`,
      () => `sh:minExclusive ${random.pick([-3, 0, 1])}`, () => `sh:maxExclusive ${random.pick([5, 7, 1000])}`] : []),
    ...(kind === 'ref' ? [() => 'sh:nodeKind sh:IRI', () => `sh:class <${HOME}Person>`] : []),
    () => `sh:hasValue ${term(random.pick(values))}`,
    () => `sh:not [ sh:hasValue ${term(random.pick(values))} ]`,
    () => `sh:or ( [ sh:in ( ${some()} ) ] [ sh:in ( ${some()} ) ] )`,
    () => `sh:node [ sh:in ( ${some()} ) ]`,
    ...(others.length ? [
      () => `sh:disjoint <${random.pick(others).iri}>`, () => `sh:equals <${random.pick(others).iri}>`,
      ...(kind === 'integer' || kind === 'number' ? [() => `sh:lessThan <${random.pick(others).iri}>`,
        () => `sh:lessThanOrEquals <${random.pick(others).iri}>`] : [])] : []),
  ];
  return random.pick(choices)();
}

function propertyOf(random, fields) {
  const field = random.pick(fields);
  const list = Array.from({ length: 1 + random.oneIn(3) }, () => constraintOf(random, field, fields));
  return `[ sh:path <${field.iri}> ; ${[...new Map(list.map((one) => [one.split(' ')[0], one])).values()].join(' ; ')} ]`;
}

function shapeOf(random, name, target, fields) {
  const properties = Array.from({ length: 1 + random.below(2) }, () => propertyOf(random, fields));
  const inner = random.oneIn(4) ? ` ; sh:node [ a sh:NodeShape ; sh:property ${propertyOf(random, fields)} ]` : '';
  const not = random.oneIn(6) ? ` ; sh:not ${propertyOf(random, fields)}` : '';
  const off = random.oneIn(6) ? ' ; sh:deactivated true' : '';
  return `<urn:${name}> a sh:NodeShape ; sh:targetClass <${HOME}${target}> ; sh:property ${properties.join(' , ')}${inner}${not}${off} .\n`;
}

// A field once more, for a shape beside the type.
function again(random, field) {
  const options = optionsOf(random, field.kind);
  if (field.options.many) options.many = true;
  if (random.below(3)) options.optional = true;
  return { ...field, options };
}

// An app with Person, Base and Sub, which extends it; all fields of each.
export class Model {
  constructor(seed) {
    const random = new Random(seed);
    const base = Array.from({ length: 2 + random.below(4) }, (_, i) => fieldOf(random, `f${i}`, 'Base'));
    const own = Array.from({ length: 1 + random.below(4) }, (_, i) => fieldOf(random, `g${i}`, 'Sub'));
    this.types = { Base: base, Sub: [...base, ...own] };
    const tools = 'tools = { "create", "update", "delete" }';
    this.files = {
      'trails.toml': '[project]\nname = "model"\n',
      'app.lua': `node_type "Person" { ids = "preserve", tools = { "create" }, fields = { name = text } }\n`
        + `node_type "Base" { ${tools}, fields = ${luaFields(base)} }\n`
        + `node_type "Sub" { extends = "Base", ${tools}, fields = ${luaFields(own)} }\n`,
    };
    for (let i = random.below(3); i > 0; i--) {
      const target = random.pick(['Base', 'Sub']);
      this.files['app.lua'] += `shape "Extra${i}" { target = "${target}", fields = ${
        luaFields([again(random, random.pick(this.types[target]))])} }\n`;
    }
    if (random.below(3)) {
      this.files['app.lua'] += 'shape_file "shapes.ttl"\n';
      this.files['shapes.ttl'] = '@prefix sh: <http://www.w3.org/ns/shacl#> .\n';
      for (let i = 1 + random.below(2); i > 0; i--) {
        const target = random.pick(['Base', 'Sub']);
        this.files['shapes.ttl'] += shapeOf(random, `shape${i}`, target, this.types[target]);
      }
    }
    this.random = random;
  }

  #value(field) {
    const { random } = this;
    const fitting = VALUES[field.kind].filter((value) => fitsAlone(field, value));
    return fitting.length && random.below(30) ? random.pick(fitting)
      : random.pick(random.oneIn(3) ? WRONG[field.kind] : VALUES[field.kind]);
  }

  // What is given for a field.
  given(field) {
    const { random } = this;
    const { many, min_count: least = 0, max_count: most = 3 } = field.options;
    if (!many) return random.oneIn(40) ? [this.#value(field)] : this.#value(field);
    if (random.oneIn(40)) return this.#value(field);
    const length = random.oneIn(20) ? random.below(5) : least + random.below(Math.max(1, most - least + 1));
    const values = Array.from({ length }, () => this.#value(field));
    return random.oneIn(10) ? values : [...new Map(values.map((value) => [spelt(field.kind, value), value])).values()];
  }

  instance(type) {
    const { random } = this;
    const object = {};
    for (const field of this.types[type]) {
      const { optional, default: other } = field.options;
      const isLeftOut = optional || other !== undefined ? random.oneIn(3) : random.oneIn(40);
      if (!isLeftOut) object[field.name] = this.given(field);
    }
    if (random.oneIn(25)) object.other = random.pick(WORDS);
    return object;
  }
}
