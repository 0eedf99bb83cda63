// Random objects and lists, created and updated over MCP: what is taken is what
// rdf-validate-shacl says of the same data by `trails://shape/...`; ajv, by the
// inputSchema, refuses nothing that we take, and by the outputSchema nothing that
// we give. What was given is read back, and the store has as many statements as
// its nodes need. TRAILS_TEST_SEED repeats a run.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { KINDS, connect, failure } from '../js/clients.mjs';
import { assertVerdicts, serve } from '../js/server.mjs';
import { Random } from '../js/shacl_cases.mjs';

const require = createRequire(new URL('../js/package.json', import.meta.url));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { default: Ajv } = await load('ajv');
const { default: addFormats } = await load('ajv-formats');
const { Parser } = await load('n3');
const { default: rdf } = await load('@rdfjs/dataset');
const { default: data } = await load('@rdfjs/data-model');
const { default: jsonld } = await load('jsonld');
const { default: SHACLValidator } = await load('rdf-validate-shacl');

const HOME = 'trails://parts/';
const PEOPLE = ['ann', 'bob'].map((name) => `${HOME}Person/${name}`);
const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const XSD = 'http://www.w3.org/2001/XMLSchema#';
const iri = (text) => data.namedNode(text);
const seed = Number(process.env.TRAILS_TEST_SEED || Date.now()) >>> 0;
const scale = Number(process.env.TRAILS_TEST_SCALE || 1);
const count = Math.max(100, Math.floor(2000 * scale));
const PER_MODEL = 50;
// What a schema cannot say, by the code of the error.
const CANNOT_SAY = ['class'];

const VALUES = {
  text: ['', 'a', 'ab', 'abc', 'x y', 'ä'], integer: [-1, 0, 1, 2, 7], boolean: [true, false], ref: PEOPLE,
  number: [0.5, -2.25], date: ['2026-01-02', '1999-12-31'], time: ['10:00:00'], datetime: ['2026-01-02T03:04:05Z'],
  duration: ['PT1H', 'P1D'], decimal: ['1.5', '-0.25'], uri: ['http://e.org/x', 'urn:x:y'], email: ['a@e.org'],
};
const WRONG = {
  text: [1, true], integer: ['1', 1.5], boolean: ['true', 0], ref: [`${HOME}Person/nobody`, 'not an iri'],
  number: ['1.5'], date: ['someday', 5], time: ['noon'], datetime: ['2026-01-02'], duration: ['1h', 5], decimal: ['x'],
  uri: ['no uri'], email: ['a@', 5],
};
const TYPES = {
  text: 'string', email: 'string', uri: 'anyURI', datetime: 'dateTime', duration: 'dayTimeDuration', number: 'double',
};

function scalar(random) {
  const kind = random.pick(['text', 'text', 'integer', 'ref', ...Object.keys(VALUES)]);
  const options = {};
  if (kind === 'text' && random.oneIn(3)) options.min_length = 1 + random.below(2);
  if (kind === 'integer' && random.oneIn(3)) options.min_value = random.below(2);
  if (kind === 'text' && random.oneIn(4)) options.one_of = ['a', 'ab', 'abc'];
  return { kind, options };
}

function field(random, name, depth, owner) {
  const made = { name, iri: `${HOME}${owner}#${name}` };
  const shape = random.below(depth < 3 ? 3 : 2);
  if (shape === 2) {
    const object = `O${depth}${random.pick(['a', 'b'])}_${name}_${owner}`;
    Object.assign(made, { kind: 'object', object, options: {} });
    made.fields = [0, 1, 2].slice(0, 1 + random.below(3)).map((i) => field(random, `f${i}`, depth + 1, object));
    made.options.many = random.oneIn(3);
  } else {
    Object.assign(made, scalar(random));
    if (shape === 1) made.options.list = true;
  }
  const { options } = made;
  if (options.list || options.many) {
    if (random.oneIn(3)) options.min_count = 1 + random.below(2);
    if (random.oneIn(3)) options.max_count = 2 + random.below(2);
  }
  if (!options.min_count && random.oneIn(2)) options.optional = true;
  const fits = () => VALUES[made.kind].filter((v) => fitsAlone(made, v));
  if (!options.many && !options.list && !options.optional && ['text', 'integer'].includes(made.kind) && random.oneIn(4)) {
    [options.default] = fits();
  }
  return made;
}

function fitsAlone({ options: o }, value) {
  return !([...String(value)].length < o.min_length) && !(o.one_of && !o.one_of.includes(value)) && !(value < o.min_value);
}

const lua = (value) => (Array.isArray(value) ? `{ ${value.map(lua).join(', ')} }` : JSON.stringify(value));
function luaField({ kind, object, options, fields }) {
  const said = Object.entries(options).filter(([, value]) => value !== false).map(([key, value]) => `${key} = ${lua(value)}`);
  if (fields) said.push(`fields = ${luaFields(fields)}`);
  const word = { ref: 'ref "Person"', object: `object "${object}"` }[kind] ?? kind;
  return `${word} { ${said.join(', ')} }`;
}
const luaFields = (fields) => `{ ${fields.map((one) => `{ "${one.name}", ${luaField(one)} }`).join(', ')} }`;

// Values: mostly right, and now and then wrong in one place.
class Values {
  constructor(random) {
    this.random = random;
  }

  one(f) {
    const { random } = this;
    if (random.oneIn(60)) return f.fields ? random.pick(['x', 5]) : random.pick(WRONG[f.kind]);
    if (f.fields) return this.object(f.fields);
    const fitting = VALUES[f.kind].filter((value) => fitsAlone(f, value));
    return random.oneIn(50) || !fitting.length ? random.pick(VALUES[f.kind]) : random.pick(fitting);
  }

  of(f) {
    const { random } = this;
    const { list, many, min_count: min = f.options.optional ? 0 : 1, max_count: max = 4 } = f.options;
    if (!list && !many) return this.one(f);
    if (random.oneIn(80)) return this.one(f);
    const length = random.oneIn(30) ? random.below(6) : min + random.below(max - min + 1);
    return Array.from({ length }, () => this.one(f));
  }

  object(fields) {
    const { random } = this;
    const out = {};
    for (const f of fields) {
      const mayBeAbsent = f.options.optional || 'default' in f.options;
      if (mayBeAbsent ? !random.oneIn(3) : !random.oneIn(50)) out[f.name] = this.of(f);
    }
    if (random.oneIn(60)) out.unknown = 'x';
    return out;
  }
}

// What is stored of an object, and what is shown: with defaults, and arrays that
// may be empty. No data: RDF has no such thing.
class Made {
  constructor() {
    this.quads = [];
    this.isData = true;
  }

  add(s, p, o) {
    this.quads.push(data.quad(s, iri(p), o));
  }

  term(f, value) {
    if (f.fields) {
      if (value === null || typeof value !== 'object') return data.literal(String(value));
      const node = data.blankNode();
      this.object(node, f.fields, value);
      return node;
    }
    if (f.kind === 'ref' && typeof value === 'string' && value.includes('://')) return iri(value);
    if (typeof value === 'object') this.isData = false;
    const plain = { string: 'string', boolean: 'boolean' }[typeof value] ?? (Number.isInteger(value) ? 'integer' : 'double');
    const isOfKind = typeof value === typeof VALUES[f.kind][0] && f.kind !== 'ref';
    return data.literal(String(value), iri(XSD + (isOfKind && f.kind !== 'integer' ? TYPES[f.kind] ?? f.kind : plain)));
  }

  field(node, f, value) {
    if (Array.isArray(value) !== Boolean(f.options.list || f.options.many)) this.isData = false;
    const values = [value].flat();
    if (!f.options.list) {
      for (const each of values) this.add(node, f.iri, this.term(f, each));
      return;
    }
    let [before, by] = [node, f.iri];
    for (const each of values) {
      const cell = data.blankNode();
      this.add(before, by, cell);
      this.add(cell, `${RDF}first`, this.term(f, each));
      [before, by] = [cell, `${RDF}rest`];
    }
    if (values.length) this.add(before, by, iri(`${RDF}nil`));
  }

  object(node, fields, object) {
    for (const f of fields) {
      const value = object[f.name] ?? f.options.default;
      if (value !== undefined) this.field(node, f, value);
    }
    if ('unknown' in object) this.add(node, `${HOME}unknown`, data.literal('x'));
  }
}

function shown(fields, object) {
  const out = {};
  for (const f of fields) {
    const value = object[f.name] ?? f.options.default ?? (f.options.list || f.options.many ? [] : undefined);
    const one = (each) => (f.fields ? shown(f.fields, each) : each);
    if (value !== undefined) out[f.name] = Array.isArray(value) ? value.map(one) : one(value);
  }
  return out;
}

function compile(schema) {
  const ajv = new Ajv({ strict: true });
  addFormats(ajv);
  ajv.addFormat('iri', (text) => /^[a-z]+:/.test(text));
  ajv.addVocabulary(['trails:node_type']);
  return ajv.compile(schema);
}

// The end of an id is as good as an id: then ajv cannot know, and RDF does not.
const namesEnd = (wrong) => wrong.some(({ code }) => code === 'node_kind');

class World {
  constructor(number) {
    this.random = new Random(seed + number * 7919);
    this.values = new Values(this.random);
    this.fields = ['a', 'b', 'c', 'd'].map((name) => field(this.random, name, 0, 'Thing'));
    this.folder = mkdtempSync(join(tmpdir(), 'trails-parts-'));
    this.source = `node_type "Person" { description = "P.", ids = "preserve", fields = { name = text } }
node_type "Thing" { description = "T.", fields = ${luaFields(this.fields)}, tools = { "create", "update", "delete" } }
capability "seed" { description = "s", side_effects = { graph_writes = { "default" } }, run = function(ctx)
  for _, id in ipairs ${lua(PEOPLE)} do ctx.kg:create("Person", { name = "A" }, { id = id }) end
end }
capability "size" { description = "s", side_effects = {}, output = { n = integer }, run = function(ctx)
  return { n = #ctx.kg:quads { limit = 10000 } }
end }
`;
    writeFileSync(join(this.folder, 'app.lua'), this.source);
    writeFileSync(join(this.folder, 'trails.toml'), '[project]\nname = "parts"\n');
  }

  async open() {
    this.server = await serve(this.folder);
    this.client = await connect(KINDS[2], this.server.url);
    await this.client.callTool({ name: 'seed', arguments: {} });
    const { tools } = await this.client.listTools();
    this.tools = Object.fromEntries(tools.map(({ name, inputSchema, outputSchema }) => [
      name, { takes: compile(inputSchema), gives: outputSchema && compile(outputSchema) }]));
    const { contents: [{ text }] } = await this.client.readResource({ uri: 'trails://shape/Thing' });
    this.shape = text;
    this.validator = new SHACLValidator(rdf.dataset(new Parser().parse(text)));
  }

  async close() {
    await this.client.close();
    assert.equal(await this.server.stop(), 0, 'the server ends cleanly');
    rmSync(this.folder, { recursive: true });
  }

  show(...what) {
    return `${JSON.stringify(what)}, seed ${seed}\n${this.source}`;
  }

  async ask(name, args) {
    try {
      return { node: (await this.client.callTool({ name, arguments: args })).structuredContent };
    } catch {
      const error = await failure(this.client.callTool({ name, arguments: args }));
      assert.ok(error.data?.fields?.length, this.show(name, args, error.message, error.data));
      return { wrong: error.data.fields };
    }
  }

  async compare(name, args, whole, counts) {
    const { node, wrong = [] } = await this.ask(name, args);
    const why = () => this.show(name, args, whole, wrong);
    const thing = iri(`${HOME}Thing/new`);
    const made = new Made();
    counts[node ? 'taken' : 'refused']++;
    made.add(thing, `${RDF}type`, iri(`${HOME}Thing`));
    made.object(thing, this.fields, whole);
    if (!this.tools[name].takes(args)) assert.ok(!node, `ajv refuses what we take: ${why()}`);
    else assert.ok(node || namesEnd(wrong) || wrong.every(({ code }) => CANNOT_SAY.includes(code)), `ajv takes what we refuse: ${why()}`);
    if (made.isData) {
      const people = PEOPLE.map((id) => data.quad(iri(id), iri(`${RDF}type`), iri(`${HOME}Person`)));
      const report = await this.validator.validate(rdf.dataset([...people, ...made.quads]));
      assert.equal(report.conforms, Boolean(node), `rdf-validate-shacl: ${why()}\n${this.shape}`);
      counts.asked++;
    }
    if (!node) return undefined;
    if (this.random.oneIn(4)) await this.compareLd(node.id, made.quads);
    assert.ok(this.tools[name].gives(node), `ajv refuses what we give: ${why()} ${JSON.stringify(this.tools[name].gives.errors)}`);
    return { node, size: made.quads.length };
  }

  // JSON-LD has the node and its parts, and they are nodes: their names apart,
  // there are the same statements.
  async compareLd(id, quads) {
    const { contents: [{ text }] } = await this.client.readResource({ uri: `trails://kg/Thing/${encodeURIComponent(id)}` });
    const got = await jsonld.toRDF(JSON.parse(text));
    const show = ({ predicate: p, object: o }) => `${p.value} ${o.termType === 'Literal' ? `${o.datatype.value.endsWith('#double') ? Number(o.value) : o.value} ${o.datatype.value}`
      : PEOPLE.includes(o.value) || o.value === `${RDF}nil` || p.value === `${RDF}type` ? o.value : ''}`;
    assert.deepEqual(got.map(show).sort(), quads.map(show).sort(), this.show(JSON.parse(text)));
  }

  async run(counts) {
    let size = 2 * PEOPLE.length;
    for (let i = 0; i < PER_MODEL; i++) {
      const given = this.values.object(this.fields);
      let kept = await this.compare('create_thing', given, given, counts);
      if (!kept) continue;
      const { id, _type, _version, ...stored } = kept.node;
      this.assertShown(stored, shown(this.fields, given));
      const f = this.random.pick(this.fields);
      const change = { [f.name]: this.values.of(f) };
      const after = await this.compare('update_thing', { id, ...change }, { ...stored, ...change }, counts);
      if (after) {
        kept = after;
        const { id: same, _type: t, _version: v, ...now } = after.node;
        this.assertShown(now, shown(this.fields, { ...stored, ...change }));
      }
      if (this.random.below(2)) await this.client.callTool({ name: 'delete_thing', arguments: { id } });
      else size += kept.size;
    }
    const { structuredContent } = await this.client.callTool({ name: 'size', arguments: {} });
    assert.equal(structuredContent.n, size, this.show('statements'));
  }

  // Objects of a field with many are a set.
  assertShown(got, expected) {
    const sort = (fields, object) => Object.fromEntries(fields.filter(({ name }) => name in object).map((f) => {
      const value = object[f.name];
      const one = (each) => (f.fields ? sort(f.fields, each) : each);
      if (!Array.isArray(value)) return [f.name, one(value)];
      const all = value.map(one);
      return [f.name, f.options.many ? all.map((each) => JSON.stringify(each)).sort() : all];
    }));
    assert.deepEqual(sort(this.fields, got), sort(this.fields, expected), this.show(got, expected));
  }
}

const models = Math.ceil(count / PER_MODEL);
test(`${models * PER_MODEL} things of ${models} models, seed ${seed}`, async () => {
  const counts = { taken: 0, refused: 0, asked: 0 };
  for (let i = 0; i < models; i++) {
    const world = new World(i);
    await world.open();
    try {
      await world.run(counts);
    } finally {
      await world.close();
    }
  }
  assert.ok(counts.taken > count / 10 && counts.refused > count / 20 && counts.asked > count / 4, JSON.stringify(counts));
  assertVerdicts();
});
