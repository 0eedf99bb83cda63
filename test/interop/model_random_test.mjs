// Random models with shapes beside their types, and random instances that are
// created and updated over MCP. What is taken and what is refused is what
// rdf-validate-shacl says of the instance by `trails://shape/...`; ajv, by the
// inputSchema of the tool, refuses nothing that we take, and takes only that what
// stands in CANNOT_SAY. TRAILS_TEST_SEED repeats a run.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { KINDS, connect, failure } from '../js/clients.mjs';
import { HOME, Model, NO_TIMES_OF_XSD, PEOPLE, literalOf, spelt } from '../js/models.mjs';
import { assertVerdicts, serve } from '../js/server.mjs';

const require = createRequire(new URL('../js/package.json', import.meta.url));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { default: Ajv } = await load('ajv');
const { default: addFormats } = await load('ajv-formats');
const { validateIri, IriValidationStrategy } = await load('validate-iri');
const { Parser } = await load('n3');
const { default: rdf } = await load('@rdfjs/dataset');
const { default: rdfModel } = await load('@rdfjs/data-model');
const { default: SHACLValidator } = await load('rdf-validate-shacl');

const TYPE = rdfModel.namedNode('http://www.w3.org/1999/02/22-rdf-syntax-ns#type');
const XSD = 'http://www.w3.org/2001/XMLSchema#';
const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const seed = Number(process.env.TRAILS_TEST_SEED || Date.now()) >>> 0;
const scale = Number(process.env.TRAILS_TEST_SCALE || 1);
const count = Math.max(100, Math.floor(6000 * scale)); // of each kind 2,000 and more
const PER_MODEL = 40;

// What a schema of draft-07 for hosts cannot say, by the code of the field error
// with which it is refused. docs/graph-over-mcp.md has this list.
const CANNOT_SAY = {
  class: 'a reference must lead to a node of that type',
  unique: 'a value must not be there already',
  min_count: 'values that are repeated count once',
  // Bounds and digits of texts stand in the description; keywords of a document's
  // own schema that are not linear are left out.
  min_value: 'at least', max_value: 'at most', min_exclusive: 'more than', max_exclusive: 'less than',
  constraint: 'schemas that are not linear',
  // `format: date-time` is RFC 3339, a stored time is of XSD (only these).
  type: 'no leap seconds, and offsets of at most 14:00',
};
// Whether an error is one of these.
function isUnsaid({ code, constraint }, given, kind) {
  switch (code) {
    case 'min_count': return new Set(given.map((value) => spelt(kind, value))).size < given.length;
    case 'type': return given.some((value) => NO_TIMES_OF_XSD.includes(value))
      || given.includes('P10000000000D') || (kind === 'json' && Array.isArray(constraint));
    case 'min_value': case 'max_value': case 'min_exclusive': case 'max_exclusive': return typeof constraint === 'string';
    case 'constraint': return kind === 'json';
    default: return code in CANNOT_SAY;
  }
}

// The values of a field; a document may be an array itself.
const listOf = (value, kind) => (kind === 'json' && !Array.isArray(value?.[0]) ? [value] : [value ?? []].flat());

// What is taken although a schema refuses it: another spelling of a choice.
const isTaken = ({ properties }, fields, args) => fields.some(({ name, kind }) =>
  (properties[name]?.enum ?? properties[name]?.items?.enum) && listOf(args[name], kind).some((value) => spelt(kind, value) !== value));

// And what stands in the description of the field or of the input: "Also asked
// for: sh:not." What sh:node refers to is told as what it asks for itself.
const COMPONENTS = { one_of: 'in', min_value: 'minInclusive', max_value: 'maxInclusive', type: 'datatype', required: 'minCount' };
const askedIn = ({ description = '' }) => /Also asked for: ([^.]*)\./.exec(description)?.[1].split(', ') ?? [];
function isDescribed(schema, { field, code }) {
  const component = `sh:${COMPONENTS[code] ?? code.replace(/_./g, ([, letter]) => letter.toUpperCase())}`;
  return code === 'node' ? [schema, ...Object.values(schema.properties)].some((one) => askedIn(one).length)
    : askedIn(schema.properties[field] ?? schema).includes(component);
}

const isIri = (text) => validateIri(text, IriValidationStrategy.Strict) === undefined;

function compile(schema) {
  const ajv = new Ajv({ strict: true, allErrors: false });
  addFormats(ajv);
  ajv.addFormat('iri', isIri);
  ajv.addVocabulary(['trails:node_type']);
  return ajv.compile(schema);
}

function termOf(value, kind) {
  if (kind === 'ref' && typeof value === 'string' && isIri(value)) return rdfModel.namedNode(value);
  const { text, type } = literalOf(value, kind);
  return rdfModel.literal(text, rdfModel.namedNode((type === 'JSON' ? RDF : XSD) + type));
}

// The instance as it would be stored, beside the people; null when RDF has no
// such thing: an array of one is its item, and what is there twice is there once.
function toData(model, type, object) {
  const node = rdfModel.namedNode(`${HOME}${type}/new`);
  const classOf = (name) => rdfModel.namedNode(HOME + name);
  const quads = PEOPLE.map((iri) => rdfModel.quad(rdfModel.namedNode(iri), TYPE, classOf('Person')));
  quads.push(rdfModel.quad(node, TYPE, classOf(type)), rdfModel.quad(node, TYPE, classOf('Base')));
  for (const field of model.types[type]) {
    const value = object[field.name] ?? field.options.default;
    if (value === undefined) continue;
    const isList = Array.isArray(value) && !(field.kind === 'json' && !field.options.many);
    if (isList !== Boolean(field.options.many)) return null;
    const values = isList ? value : [value];
    if (new Set(values.map((one) => spelt(field.kind, one))).size < values.length) return null;
    for (const each of values) {
      quads.push(rdfModel.quad(node, rdfModel.namedNode(field.iri), termOf(each, field.kind)));
    }
  }
  if ('other' in object) quads.push(rdfModel.quad(node, rdfModel.namedNode(`${HOME}${type}#other`), termOf(object.other)));
  return rdf.dataset(quads);
}

class World {
  constructor(number) {
    this.model = new Model(seed + number * 7919);
    this.folder = mkdtempSync(join(tmpdir(), 'trails-model-'));
    for (const [name, text] of Object.entries(this.model.files)) writeFileSync(join(this.folder, name), text);
  }

  // What nothing could fit is refused when it is loaded: bounds that cross each
  // other, of a field and of a shape beside it.
  isLoaded() {
    const done = spawnSync('build/debug/trails', ['check', this.folder], { encoding: 'utf8' });
    if (done.status !== 0) assert.match(done.stderr, /app\.lua:\d+: .* is (above|not below) /, this.show(done.stderr));
    return done.status === 0;
  }

  async open() {
    this.server = await serve(this.folder);
    this.client = await connect(KINDS[2], this.server.url);
    for (const id of PEOPLE) await this.client.callTool({ name: 'create_person', arguments: { id, name: 'A' } });
    const { tools } = await this.client.listTools();
    this.accepts = {};
    this.shapes = {};
    for (const { name, inputSchema } of tools) this.accepts[name] = compile(inputSchema);
    this.tools = Object.fromEntries(tools.map((tool) => [tool.name, tool]));
    const shapes = [];
    // What is above a type has a shape of its own, to which its class leads.
    for (const type of ['Base', 'Sub']) {
      const { contents: [{ text }] } = await this.client.readResource({ uri: `trails://shape/${type}` });
      shapes.push(...new Parser({ blankNodePrefix: `_:${type}` }).parse(text));
      this.shapes[type] = new SHACLValidator(rdf.dataset(shapes));
    }
  }

  async close() {
    await this.client.close();
    assert.equal(await this.server.stop(), 0, 'the server ends cleanly');
    this.remove();
  }

  remove() {
    rmSync(this.folder, { recursive: true });
  }

  show(what) {
    return `${JSON.stringify(what)}, seed ${seed}\n${this.model.files['app.lua']}${this.model.files['shapes.ttl'] ?? ''}`;
  }

  // What we say: the node, or the codes of what is wrong.
  async ask(name, args) {
    try {
      const { structuredContent } = await this.client.callTool({ name, arguments: args });
      return { node: structuredContent };
    } catch {
      const error = await failure(this.client.callTool({ name, arguments: args }));
      assert.ok(error.data?.fields?.length || error.data?.violations?.length, this.show([name, args, error.message, error.data]));
      return { error, wrong: error.data.fields };
    }
  }

  // One call: the three verdicts.
  async compare(name, type, args, whole, counts) {
    const { node, error, wrong = [] } = await this.ask(name, args);
    const why = () => this.show([name, args, whole, error?.data]);
    const data = toData(this.model, type, whole);
    counts[node ? 'taken' : 'refused']++;
    if (this.accepts[name](args)) {
      for (const one of wrong) {
        const top = one.field.split('/')[0];
        const { kind } = this.model.types[type].find((field) => field.name === top) ?? {};
        assert.ok(isUnsaid(one, listOf(args[top], kind), kind) || isDescribed(this.tools[name].inputSchema, one),
          `ajv takes what we refuse: ${one.field} ${one.code}: ${why()}\n${JSON.stringify(this.tools[name].inputSchema)}`);
        counts[one.code] = (counts[one.code] ?? 0) + 1;
      }
    } else {
      assert.ok(!node || isTaken(this.tools[name].inputSchema, this.model.types[type], args), `ajv refuses what we take: ${why()} ${JSON.stringify(this.accepts[name].errors)}`);
    }
    // What others have is not in the data, and nothing says it in SHACL; nor what
    // a document has to be.
    const documents = this.model.types[type].filter(({ kind, options }) => kind === 'json' && options.schema).map(({ name }) => name);
    if (data && !wrong.some(({ code, field }) => code === 'unique' || documents.includes(field.split('/')[0]))) {
      const report = await this.shapes[type].validate(data);
      assert.equal(report.conforms, Boolean(node), `rdf-validate-shacl: ${why()}\n${
        report.results.map((one) => `${one.path?.value} ${one.sourceConstraintComponent.value}`).join('\n')}`);
      counts.asked++;
    }
    return node;
  }

  async run(counts) {
    for (let i = 0; i < PER_MODEL; i++) {
      const type = this.model.random.pick(['Base', 'Sub']);
      const tool = type.toLowerCase();
      const given = this.model.instance(type);
      const node = await this.compare(`create_${tool}`, type, given, given, counts);
      if (!node) continue;
      const { id, _type, _version, ...stored } = node;
      const field = this.model.random.pick(this.model.types[type]);
      const change = { [field.name]: this.model.given(field) };
      await this.compare(`update_${tool}`, type, { id, ...change }, { ...stored, ...change }, counts);
      // Some stay, for what must be unique.
      if (this.model.random.below(3)) await this.client.callTool({ name: `delete_${tool}`, arguments: { id } });
    }
  }
}

const models = Math.ceil(count / PER_MODEL);
// A model may ask for what its instances hardly ever have: more of them follow
// until enough was taken and enough refused.
const hasBoth = ({ taken, refused }) => taken > count / 10 && refused > count / 10;
test(`${models * PER_MODEL} instances of ${models} models or more, seed ${seed}`, async () => {
  const counts = { taken: 0, refused: 0, asked: 0 };
  for (let i = 0, at = 0; i < models || (i < 4 * models && !hasBoth(counts)); i++) {
    let world = new World(at++);
    for (; !world.isLoaded(); world = new World(at++)) world.remove();
    await world.open();
    try {
      await world.run(counts);
    } finally {
      await world.close();
    }
  }
  assert.ok(hasBoth(counts), JSON.stringify(counts));
  assertVerdicts();
});
