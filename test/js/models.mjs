// Random models, as the source of an app, and random instances of them: valid
// ones, and such as are wrong in a place or two. Fields are of every kind in every
// form, also in objects in objects; those that came least often come first.
import { CODES, HOME, KINDS, PEOPLE, VALUES, WRONG, canonical, formsOf, isForm, isRef, literalOf, plain, rank, spelt } from './kinds.mjs';
import { Random } from './shacl_cases.mjs';

const PATTERNS = ['^[a-c]+$', '^[A-Z]', '[0-9]', '^(a|bb)*$', '^[a-z0-9]{2,4}$', 'b', '^[^ ]*$', '^\\w+$'];
const SCHEMAS = [{ type: 'object' }, { type: 'object', required: ['a'], properties: { a: { type: 'integer', minimum: 2 } } },
  { type: 'array', items: { type: 'integer' } }, { not: { type: 'string' } }, { enum: [5, { a: 1 }] }, { type: ['object', 'array'] }];
const DEEPEST = 3;

// How many instances had a value of a kind in a form.
export class Coverage {
  constructor() {
    this.counts = Object.fromEntries(KINDS.flatMap((kind) => formsOf(kind).map((form) => [`${kind} ${form}`, 0])));
  }

  // A kind and a form for a field so deep in objects: mostly one of those that came
  // least often.
  choose(random, depth) {
    const names = Object.keys(this.counts).filter((name) => depth < DEEPEST || !name.startsWith('object'));
    const few = Math.min(...names.map((name) => this.counts[name]));
    return random.pick(random.oneIn(4) ? names : names.filter((name) => this.counts[name] <= few * 1.1)).split(' ');
  }

  // An instance, whatever is in its objects too.
  add(fields, object) {
    for (const name of new Set(said(fields, object))) this.counts[name]++;
  }

  // Of each kind, in all its forms.
  get kinds() {
    return Object.fromEntries(KINDS.map((kind) => [kind, formsOf(kind).reduce((sum, form) => sum + this.counts[`${kind} ${form}`], 0)]));
  }

  // Whether there are so many with each kind, and a tenth of that in each form.
  isEnough(wanted) {
    return Math.min(...Object.values(this.kinds)) >= wanted && Math.min(...Object.values(this.counts)) >= wanted / 10;
  }
}

function said(fields, object) {
  return fields.filter(({ name }) => object[name] !== undefined && object[name] !== null).flatMap(({ name, kind, form, fields: inner }) => [
    `${kind} ${form}`, ...(inner ? [object[name]].flat().filter((one) => one && typeof one === 'object').flatMap((one) => said(inner, one)) : [])]);
}

// Fields --------------------------------------------------------------------

function decimalFits({ digits, scale }, value) {
  const [whole, fraction = ''] = value.replace('-', '').split('.');
  return !(digits !== undefined && whole.replace(/^0/, '').length > digits - scale) && !(scale !== undefined && fraction.length > scale);
}

// What a value of these kinds must be, as `options` of a field say.
function sayForm(random, kind, options) {
  const values = VALUES[kind].filter((value) => spelt(kind, value) === value);
  const at = random.below(values.length - 2);
  if (random.oneIn(4)) options.one_of = [...new Set([random.pick(values), random.pick(values)])];
  if (kind === 'uri' || kind === 'email') {
    if (random.oneIn(4)) options.min_length = 5 + random.below(12);
    if (random.oneIn(4)) options.max_length = 16 + random.below(9);
    return;
  }
  if (random.oneIn(3)) options[random.pick(['min_value', 'min_exclusive'])] = values[at];
  if (random.oneIn(3)) options[random.pick(['max_value', 'max_exclusive'])] = values[at + 2];
  if (kind === 'decimal' && random.oneIn(2)) options.scale = 1 + random.below(3);
  if (options.scale && random.oneIn(2)) options.digits = options.scale + random.below(3);
}

function sayText(random, options) {
  const { text } = VALUES;
  if (random.oneIn(4)) options.one_of = [...new Set([random.pick(text), random.pick(text), random.pick(text)])];
  if (random.oneIn(4)) options.min_length = random.below(4);
  if (random.oneIn(4)) options.max_length = 2 + random.below(6);
  if (random.oneIn(4)) options.pattern = random.pick(PATTERNS);
}

function sayNumber(random, kind, options) {
  const numbers = VALUES[kind].slice(0, 9);
  const bounds = [...numbers].sort((a, b) => a - b);
  const at = random.below(4);
  if (random.oneIn(4)) options.one_of = [...new Set([random.pick(numbers), random.pick(numbers), random.pick(numbers)])];
  if (random.oneIn(3)) options[random.pick(['min_value', 'min_exclusive'])] = bounds[at];
  if (random.oneIn(3)) options[random.pick(['max_value', 'max_exclusive'])] = bounds[at + 2 + random.below(3)];
}

// Such that some value fits, if there are any.
function optionsOf(random, kind) {
  let options;
  do options = chooseOptions(random, kind);
  while (VALUES[kind].length && !options.schema && !VALUES[kind].some((value) => fitsAlone({ kind, options }, value)));
  return options;
}

function chooseOptions(random, kind) {
  const options = {};
  if (isForm(kind)) sayForm(random, kind, options);
  if (kind === 'json' && random.oneIn(2)) options.schema = random.pick(SCHEMAS);
  if (kind === 'text') sayText(random, options);
  if (kind === 'integer' || kind === 'number') sayNumber(random, kind, options);
  if (options.min_length > options.max_length) delete options.max_length;
  return options;
}

// `above` has the coverage, and counts the names of objects.
function fieldOf(random, name, owner, above, depth = 0) {
  const [kind, form] = above.coverage.choose(random, depth);
  const field = { name, kind, form, iri: `${HOME}${owner}#${name}`, options: optionsOf(random, kind) };
  const { options } = field;
  if (kind === 'object') {
    field.object = `Part${above.objects++}`;
    field.fields = Array.from({ length: 1 + random.below(3) }, (_, i) => fieldOf(random, `p${i}`, field.object, above, depth + 1));
  }
  if (form !== 'one') {
    options[form] = true;
    if (random.oneIn(3)) options.min_count = 1 + random.below(2);
    if (random.oneIn(3)) options.max_count = 2 + random.below(2);
  }
  if (!options.min_count && random.oneIn(2)) options.optional = true;
  const isPlain = form === 'one' && kind !== 'object';
  // Of few values all would be taken soon.
  if (isPlain && !depth && VALUES[kind].length > 6 && !options.one_of && random.oneIn(16)) options.unique = true;
  const fitting = VALUES[kind].filter((value) => fitsAlone(field, value));
  if (isPlain && !options.optional && !options.unique && !isRef(kind) && fitting.length && random.oneIn(4)) {
    options.default = plain(kind, random.pick(fitting));
  }
  return field;
}

// Whether a value is of the kind and fits what a field says of each.
export function fitsAlone({ kind, options: o }, given) {
  if (kind === 'json') return !o.schema;
  if (!VALUES[kind].includes(given)) return false;
  const value = rank(kind, given);
  const length = [...String(plain(kind, given))].length;
  const bound = (name) => rank(kind, o[name]);
  return !(o.one_of && !o.one_of.includes(spelt(kind, given)))
    && !(length < o.min_length) && !(length > o.max_length)
    && !(o.pattern && !new RegExp(o.pattern, 'u').test(given))
    && !('min_value' in o && value < bound('min_value')) && !('max_value' in o && value > bound('max_value'))
    && !('min_exclusive' in o && value <= bound('min_exclusive')) && !('max_exclusive' in o && value >= bound('max_exclusive'))
    && (kind !== 'decimal' || decimalFits(o, spelt(kind, given)));
}

// As Lua ----------------------------------------------------------------------

const lua = (value) => (Array.isArray(value) ? `array { ${value.map(lua).join(', ')} }`
  : value === null ? 'null'
    : typeof value === 'object' ? `{ ${Object.entries(value).map(([key, one]) => `[${JSON.stringify(key)}] = ${lua(one)}`).join(', ')} }`
      : JSON.stringify(value));

function luaField({ kind, object, options, fields }) {
  const said = Object.entries(options).map(([key, value]) => `${key} = ${key === 'schema' ? JSON.stringify(JSON.stringify(value)) : lua(value)}`);
  if (kind === 'ref_by') said.push('by = "code"');
  if (fields) said.push(`fields = ${luaFields(fields)}`);
  const word = isRef(kind) ? 'ref "Person"' : kind === 'object' ? `object "${object}"` : kind;
  return `${word} { ${said.join(', ')} }`;
}

const luaFields = (fields) => `{ ${fields.map((field) => `{ "${field.name}", ${luaField(field)} }`).join(', ')} }`;

// Takes each node out of the graph as a handler reads it, and makes it again.
const AGAIN = `capability "again" { description = "Makes all nodes of a type again.", side_effects = { graph_writes = { "default" } },
  input = { type = text, names = text { many = true } }, run = function(ctx, args)
    local made, page, after = {}, nil, nil
    repeat
      page, after = ctx.kg:where(args.type, {}, { after = after })
      for _, node in ipairs(page) do
        if node._type == args.type then made[#made + 1] = node end
      end
    until not after
    for _, node in ipairs(made) do ctx.kg:delete(node.id) end
    for _, node in ipairs(made) do
      local fields = {}
      for _, name in ipairs(args.names) do fields[name] = node[name] end
      ctx.kg:create(args.type, fields)
    end
  end }
`;

// Shapes beside the types ---------------------------------------------------------

// A term in Turtle, as a write stores the value.
function turtle(kind, value) {
  if (isRef(kind)) return `<${plain(kind, value)}>`;
  const { text, type } = literalOf(value, kind);
  return `${JSON.stringify(text)}^^<${type}>`;
}

// What a shape of a file says of one field, in Turtle. The second half has no
// counterpart in a schema.
function constraintOf(random, field, fields) {
  const { kind } = field;
  const values = VALUES[kind];
  const term = (value) => turtle(kind, value);
  const some = () => [...new Set([random.pick(values), ...values.filter(() => random.below(2))].map(term))].join(' ');
  const others = fields.filter((other) => other !== field && other.kind === kind && other.form !== 'list');
  const counts = [() => `sh:minCount ${random.below(field.options.many ? 3 : 2)}`, () => `sh:maxCount ${1 + random.below(3)}`];
  // The value of these is a node that nobody names.
  if (kind === 'object' || field.form === 'list') return random.pick(counts)();
  const choices = [
    ...counts, () => `sh:in ( ${some()} )`,
    ...(kind === 'text' ? [
      () => `sh:minLength ${random.below(3)}`, () => `sh:maxLength ${2 + random.below(6)}`,
      () => `sh:pattern ${JSON.stringify(random.pick(PATTERNS))}`] : []),
    ...(kind === 'integer' || kind === 'number' ? [
      () => `sh:minInclusive ${random.pick([-3, 0, 1])}`, () => `sh:maxInclusive ${random.pick([5, 7, 1000])}`,
      () => `sh:minExclusive ${random.pick([-3, 0, 1])}`, () => `sh:maxExclusive ${random.pick([5, 7, 1000])}`] : []),
    ...(isRef(kind) ? [() => 'sh:nodeKind sh:IRI', () => `sh:class <${HOME}Person>`] : []),
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

// A field once more, for a shape beside the type; an object is said as a whole.
function again(random, field) {
  const options = optionsOf(random, field.kind);
  if (field.form !== 'one') options[field.form] = true;
  if (random.below(3)) options.optional = true;
  return { ...field, options };
}

// Models --------------------------------------------------------------------------

// An app with Person, Base and Sub, which extends it; all fields of each.
export class Model {
  constructor(seed, coverage) {
    const random = new Random(seed);
    const above = { coverage, objects: 0 };
    const base = Array.from({ length: 3 + random.below(4) }, (_, i) => fieldOf(random, `f${i}`, 'Base', above));
    const own = Array.from({ length: 2 + random.below(4) }, (_, i) => fieldOf(random, `g${i}`, 'Sub', above));
    this.types = { Base: base, Sub: [...base, ...own] };
    const tools = 'tools = { "create", "update", "delete" }';
    this.files = {
      'trails.toml': '[project]\nname = "model"\n',
      'app.lua': `node_type "Person" { ids = "preserve", tools = { "create" }, fields = { code = text { unique = true } } }\n`
        + `node_type "Base" { ${tools}, fields = ${luaFields(base)} }\n`
        + `node_type "Sub" { extends = "Base", ${tools}, fields = ${luaFields(own)} }\n${AGAIN}`,
    };
    for (let i = random.below(3); i > 0; i--) {
      const target = random.pick(['Base', 'Sub']);
      this.files['app.lua'] += `shape "Extra${i}" { target = "${target}", fields = ${
        luaFields([again(random, random.pick(this.types[target]))])} }\n`;
    }
    if (random.oneIn(2)) {
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
    if (field.fields && random.below(80)) return this.#object(field.fields);
    const values = field.fields ? WRONG.object : VALUES[field.kind];
    const fitting = values.filter((value) => fitsAlone(field, value));
    return fitting.length && random.below(90) ? random.pick(fitting) : random.pick(random.oneIn(3) ? WRONG[field.kind] : values);
  }

  // What is given for a field.
  given(field) {
    const { random } = this;
    const { optional, min_count: least = optional ? 0 : 1, max_count: most = 3 } = field.options;
    if (random.oneIn(optional ? 40 : 200)) return null;
    if (field.form === 'one') return random.oneIn(60) ? [this.#value(field)] : this.#value(field);
    if (random.oneIn(60)) return this.#value(field);
    const length = random.oneIn(20) ? random.below(5) : least + random.below(Math.max(1, most - least + 1));
    const values = Array.from({ length }, () => this.#value(field));
    return random.oneIn(10) || field.form === 'list' || field.fields ? values
      : [...new Map(values.map((value) => [spelt(field.kind, value), value])).values()];
  }

  #object(fields) {
    const { random } = this;
    const object = {};
    for (const field of fields) {
      const { optional, default: other } = field.options;
      const isLeftOut = optional || other !== undefined ? random.oneIn(3) : random.oneIn(200);
      if (!isLeftOut) object[field.name] = this.given(field);
    }
    if (random.oneIn(50)) object.other = random.pick(VALUES.text);
    return object;
  }

  instance(type) {
    return this.#object(this.types[type]);
  }
}

export const people = PEOPLE.map((id, i) => ({ id, code: CODES[i] }));
export { canonical };
