// Field tables, one for each keyword of ADR-0060's table, against random
// objects. The JSON Schema of a table is draft-07 for ajv, which accepts and
// refuses just what our check does; the SHACL of a table gives the same
// verdicts in rdf-validate-shacl as in our validator, and both are those of the
// check where an object can be written as RDF.
import assert from 'node:assert';
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { Random } from '../js/shacl_cases.mjs';

const require = createRequire(new URL('../js/package.json', import.meta.url));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { default: Ajv } = await load('ajv');
const { default: addFormats } = await load('ajv-formats');
const { validateIri, IriValidationStrategy } = await load('validate-iri');
const { Parser } = await load('n3');
const { default: rdf } = await load('@rdfjs/dataset');
const { default: model } = await load('@rdfjs/data-model');
const { default: SHACLValidator } = await load('rdf-validate-shacl');
const { default: toNT } = await load('@rdfjs/to-ntriples');

const XSD = 'http://www.w3.org/2001/XMLSchema#';
const TYPE = model.namedNode('http://www.w3.org/1999/02/22-rdf-syntax-ns#type');
const seed = Number(process.env.TRAILS_TEST_SEED || Date.now()) >>> 0;
const scale = Number(process.env.TRAILS_TEST_SCALE || 1);
const count = Math.max(20, Math.floor(1000 * scale));

const WORDS = ['', 'a', 'ab', 'abc', 'abcd', 'B1', 'b12', 'ä', '😀', '😀ab', '1',
  'a b', 'x'.repeat(12)];
const NUMBERS = [0, 1, 2, 3, 4, 5, 10, -1, -2, 2.5, 0.1, 1.5, 1e3, 1e21, -0.5];
const NO_SUCH_TIMES = ['2025-02-29T00:00:00Z', '2026-13-01T00:00:00Z',
  '2026-11-15T25:00:00Z', '2026-11-15T12:60:00Z', '2026-11-15T12:00:00+24:00'];
const TIMES_FOR_AJV = ['2026-11-15 12:00:00Z', '2026-11-15T12:00:00+0200',
  '2026-11-15T12:00:00+02'];
const TIMES = [...NO_SUCH_TIMES, ...TIMES_FOR_AJV, '2026-11-15T12:00:00Z',
  '2026-11-15T12:00:00.125+02:00', '2024-02-29T23:59:59-11:30', '2026-11-15',
  '2026-11-15T12:00:00', '2026-11-15T12:00Z', '2026-11-15T12:00:00.Z',
  '2026-11-15t12:00:00z', '2016-12-31T23:59:60Z', '2026-11-15T24:00:00Z',
  'yesterday'];
const IRIS = ['http://example.org/a', 'urn:x:y', 'trails://test/T/1', 'a',
  '/relative', '', 'http://example.org/a b', 'http://example.org/<>', '1:2',
  'http://ex.org/ü', 'http://ex.org/%zz', 'http://ex.org/%C3', 'a:',
  'http://ex.org/a[b]', 'http://[::1]/x', 'http://ex.org/?a=b#c'];
const ANYTHING = [null, true, false, {}, { a: 1 }, [], ...WORDS, ...NUMBERS,
  ...TIMES, ...IRIS];

// `keyword` has to be in the schema; `lost` is what SHACL does not carry.
const integer = { name: 'x', kind: 'integer' };
const number = { name: 'x', kind: 'number' };
const FIXTURES = [
  { keyword: 'required', fields: [{ name: 'x' },
    { name: 'y', optional: true }], values: WORDS },
  { keyword: 'additionalProperties', fields: [{ name: 'x', optional: true }],
    values: WORDS },
  { keyword: 'properties', open: true,
    fields: [{ name: 'x', optional: true }], values: WORDS },
  { keyword: 'minLength', fields: [{ name: 'x', min_length: 2 }],
    values: WORDS },
  { keyword: 'maxLength', fields: [{ name: 'x', max_length: 3 }],
    values: WORDS },
  { keyword: 'pattern', fields: [{ name: 'x', pattern: '^[ab]+[0-9]?$' }],
    values: WORDS },
  { keyword: 'enum', fields: [{ name: 'x', one_of: ['a', 'ä', 'x y'] }],
    values: [...WORDS, 'x y'] },
  { keyword: 'enum', fields: [{ ...integer, one_of: [1, 3, -2] }],
    values: NUMBERS },
  { keyword: 'enum', fields: [{ ...number, one_of: [1.5, 1000, -0.5] }],
    values: NUMBERS },
  { keyword: 'minimum', fields: [{ ...integer, min_value: 2 }],
    values: NUMBERS },
  { keyword: 'minimum', fields: [{ ...number, min_value: 1.5 }],
    values: NUMBERS },
  { keyword: 'maximum', fields: [{ ...integer, max_value: 3 }],
    values: NUMBERS },
  { keyword: 'maximum', fields: [{ ...number, max_value: 2.5 }],
    values: NUMBERS },
  { keyword: 'exclusiveMinimum', fields: [{ ...integer, min_exclusive: 2 }],
    values: NUMBERS },
  { keyword: 'exclusiveMinimum', fields: [{ ...number, min_exclusive: 1.5 }],
    values: NUMBERS },
  { keyword: 'exclusiveMaximum', fields: [{ ...integer, max_exclusive: 3 }],
    values: NUMBERS },
  { keyword: 'exclusiveMaximum', fields: [{ ...number, max_exclusive: 2.5 }],
    values: NUMBERS },
  { keyword: 'items', fields: [{ name: 'x', many: true, max_length: 3 }],
    values: WORDS },
  { keyword: 'items', fields: [{ ...integer, many: true, optional: true,
    min_value: 0 }], values: NUMBERS },
  { keyword: 'minItems', fields: [{ name: 'x', many: true, min_count: 2 }],
    values: WORDS },
  { keyword: 'maxItems', fields: [{ ...number, many: true, optional: true,
    max_count: 2 }], values: NUMBERS },
  { keyword: 'type', fields: [{ name: 'x', kind: 'boolean' }],
    values: [true, false, 'true', 0, 1] },
  { keyword: 'type', fields: [integer], values: NUMBERS },
  { keyword: 'type', fields: [number], values: NUMBERS },
  { keyword: 'format', fields: [{ name: 'x', kind: 'datetime' }],
    values: TIMES },
  { keyword: 'format', fields: [{ name: 'x', kind: 'datetime', many: true }],
    values: TIMES },
  { keyword: 'trails:node_type', fields: [{ name: 'x', kind: 'ref',
    target: 'Person' }], values: IRIS },
  { keyword: 'default', fields: [{ name: 'x', default_to: 'a',
    max_length: 2 }], values: WORDS },
  { keyword: 'title', fields: [{ name: 'x', title: 'An X' }], values: WORDS,
    lost: true },
  { keyword: 'description', fields: [{ name: 'x',
    description: 'What it is.' }], values: WORDS },
];

// A program of ours, asked line by line.
class Tool {
  constructor(name) {
    this.child = spawn(fileURLToPath(
      new URL(`../../build/debug/tools/${name}`, import.meta.url)),
    { stdio: ['pipe', 'pipe', 'inherit'] });
    this.lines = createInterface({ input: this.child.stdout })[
      Symbol.asyncIterator]();
  }

  async line() {
    const { value, done } = await this.lines.next();
    assert.ok(!done, 'the tool ended');
    assert.ok(!value.startsWith('error'), value);
    return value;
  }

  async until(...ends) {
    const lines = [];
    for (;;) {
      lines.push(await this.line());
      if (ends.includes(lines.at(-1))) return lines;
    }
  }
}

const checker = new Tool('field_check');
const validator = new Tool('shacl_check');
after(() => {
  checker.child.stdin.end();
  validator.child.stdin.end();
});

async function askOurValidator(shapes, data) {
  const texts = [shapes, data].map((quads) => Buffer.from(
    [...quads].map((quad) => `${toNT(quad)}\n`).join('')));
  validator.child.stdin.write(`${texts[0].length} ${texts[1].length}\n`);
  validator.child.stdin.write(Buffer.concat(texts));
  return (await validator.until('conforms', 'violates')).at(-1) === 'conforms';
}

function isIri(text) {
  return validateIri(text, IriValidationStrategy.Strict) === undefined;
}

// Hours go up to 23 there, and up to 24 in XSD.
const RFC_3339
  = /^\d{4}-\d\d-\d\dT(?!24)\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

// How JSON becomes RDF: by the kind of the field where the value is of it.
function term(value, kind) {
  const literal = (text, type) => model.literal(text,
    model.namedNode(XSD + type));
  switch (typeof value) {
    case 'boolean': return literal(String(value), 'boolean');
    case 'number':
      if (kind !== 'number' && Number.isInteger(value)) {
        return literal(BigInt(value).toString(), 'integer');
      }
      return literal(value.toExponential().replace('e+', 'E')
        .replace('e', 'E').replace(/^(-?\d)E/, '$1.0E'), 'double');
    case 'string':
      if (kind === 'datetime' && RFC_3339.test(value)) {
        return literal(value, 'dateTime');
      }
      if (kind === 'ref' && isIri(value)) return model.namedNode(value);
      return literal(value, 'string');
    default: return model.blankNode();
  }
}

// What RFC 3339 has and XSD has not: leap seconds, and letters in lower case.
const RFC_3339_ONLY = /^\d{4}-\d\d-\d\d(T23:59:60|t).*$/;

// The object as RDF; null when RDF has no such thing: an array of one is its
// item, what is there twice is there once, and some times are written
// otherwise.
function toData(object, fields) {
  const node = model.namedNode('trails://test/T/1');
  const quads = [model.quad(node, TYPE, model.namedNode('trails://test/T'))];
  if (!object || typeof object !== 'object' || Array.isArray(object)) {
    return null;
  }
  for (const [name, value] of Object.entries(object)) {
    const field = fields.find((other) => other.name === name);
    if (Array.isArray(value) !== Boolean(field?.many)) return null;
    const values = field?.many ? value : [value];
    if (new Set(values.map((v) => JSON.stringify(v))).size < values.length
      || values.some((v) => RFC_3339_ONLY.test(v))) return null;
    for (const each of values) {
      const made = term(each, field?.kind);
      quads.push(model.quad(node,
        model.namedNode(`trails://test/T#${name}`), made));
      if (field?.kind === 'ref' && made.termType === 'NamedNode') {
        quads.push(model.quad(made, TYPE,
          model.namedNode(`trails://test/${field.target}`)));
      }
    }
  }
  return rdf.dataset(quads);
}

function randomValue(random, fixture) {
  return random.oneIn(6) ? random.pick(ANYTHING) : random.pick(fixture.values);
}

function randomObject(random, fixture) {
  if (random.oneIn(40)) return random.pick(ANYTHING);
  const object = {};
  for (const field of fixture.fields) {
    if (random.oneIn(8)) continue;
    object[field.name] = !field.many || random.oneIn(12)
      ? randomValue(random, fixture)
      : Array.from({ length: random.below(5) },
        () => randomValue(random, fixture));
  }
  if (random.oneIn(8)) object.other = random.pick(ANYTHING);
  return object;
}

function compile(schema) {
  const ajv = new Ajv({ strict: true, allErrors: false });
  addFormats(ajv);
  ajv.addFormat('iri', isIri);
  ajv.addVocabulary(['trails:node_type']);
  assert.ok(ajv.validateSchema(schema), JSON.stringify(ajv.errors));
  return ajv.compile(schema);
}

// rdf-validate-shacl counts UTF-16 units (SHACL 4.4.1: characters), and takes
// any digits for a time (SHACL 4.1.2: ill-typed literals do not match).
const isWrongThere = (fixture, text) => (/[\u{10000}-\u{10FFFF}]/u.test(text)
  && /Length/.test(fixture.schema))
  || NO_SUCH_TIMES.some((time) => text.includes(time));

// JSON Schema counts items, the graph holds a set: that two of these must differ
// cannot be said there without refusing ["a", "a", "b"], which has two.
const repeatsTooMuch = (fixture, object) => fixture.fields.some((field) => {
  const values = object[field.name];
  return Array.isArray(values) && field.min_count
    && new Set(values.map((value) => JSON.stringify(value))).size
      < field.min_count;
});

async function compare(fixture, object, { accepts, shapes, library }) {
  const text = JSON.stringify(object);
  checker.child.stdin.write(`${text}\n`);
  const fits = (await checker.line()) === 'fits';
  const why = `${text}, seed ${seed}`;
  // ajv-formats takes a space for the T, and offsets without a colon (RFC 3339,
  // 5.6, does not).
  if (!TIMES_FOR_AJV.some((time) => text.includes(time))) {
    const isTaken = accepts(object) && !repeatsTooMuch(fixture, object);
    assert.strictEqual(isTaken, fits, `ajv: ${why}`);
  }
  const data = toData(object, fixture.fields);
  if (data) {
    assert.strictEqual(await askOurValidator(shapes, data), fits,
      `our SHACL: ${why}`);
    if (!isWrongThere(fixture, text)) {
      const report = await library.validate(data);
      assert.strictEqual(report.conforms, fits, `rdf-validate-shacl: ${why}`);
    }
  }
  return fits;
}

FIXTURES.forEach((fixture, number_) => {
  const name = `${fixture.keyword}: ${JSON.stringify(fixture.fields)}`;
  test(`${name}, ${count} objects, seed ${seed}`, async () => {
    const random = new Random(seed + number_);
    const { fields, open } = fixture;
    checker.child.stdin.write(`${JSON.stringify({ fields, open })}\n`);
    const [schema, again, ...triples] = await checker.until('end');
    assert.ok(schema.includes(`"${fixture.keyword}"`), schema);
    if (!fixture.lost) assert.strictEqual(again, schema);
    fixture.schema = schema;
    const accepts = compile(JSON.parse(schema));
    const shapes = rdf.dataset(
      new Parser().parse(triples.slice(0, -1).join('\n')));
    const library = new SHACLValidator(shapes);
    // Where few are asked for, more are taken until both kinds were among them.
    let fits = 0;
    let asked = 0;
    while (asked < count
      || ((fits === 0 || fits === asked) && asked < count + 5000)) {
      fits += await compare(fixture, randomObject(random, fixture),
        { accepts, shapes, library });
      asked++;
    }
    assert.ok(fits > 0 && fits < asked, `${fits} of ${asked} fit`);
  });
});
