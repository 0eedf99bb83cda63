// Random models with shapes beside their types, and random instances that are
// created and updated over MCP, of every kind of field in every form. What is taken
// and what is refused is what rdf-validate-shacl says of the instance by
// `trails://shape/...`. ajv, by the inputSchema of the tool, takes what we take and
// refuses what we refuse, but for the two lists of docs/fields.md; by the outputSchema
// it refuses nothing that we give. What was given is shown; the store has it and
// nothing else; and nothing is lost on the way through Turtle, JSON-LD, CSV, NDJSON
// and Lua. TRAILS_TEST_SEED repeats a run.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { KINDS as CLIENTS, connect } from '../js/clients.mjs';
import { jsonld } from '../js/datasets.mjs';
import { HOME, NO_TIMES_OF_XSD, PEOPLE, isForm, isRef, plain, spelt } from '../js/kinds.mjs';
import { Coverage, Model, people } from '../js/models.mjs';
import { ROWS, STATEMENTS, Store } from '../js/rounds.mjs';
import { assertVerdicts, serveWith } from '../js/server.mjs';
import { RDF, Stored, inOrder, listOf, shown, trees } from '../js/stored.mjs';

const require = createRequire(new URL('../js/package.json', import.meta.url));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { default: Ajv } = await load('ajv');
const { default: addFormats } = await load('ajv-formats');
const { validateIri, IriValidationStrategy } = await load('validate-iri');
const { Parser } = await load('n3');
const { default: rdf } = await load('@rdfjs/dataset');
const { default: rdfModel } = await load('@rdfjs/data-model');
const { default: SHACLValidator } = await load('rdf-validate-shacl');

const seed = Number(process.env.TRAILS_TEST_SEED || Date.now()) >>> 0;
const scale = Number(process.env.TRAILS_TEST_SCALE || 1);
const wanted = Math.max(10, Math.floor(2000 * scale)); // instances with each kind
// Of each model: until so many are kept, unless hardly one is taken.
const KEPT = scale < 1 ? 60 : 150;
const TRIED = 4 * KEPT;
const HOPELESS = 12;

// What a schema lets pass and we refuse, by the code of the field error: of which
// values it may be. `kind` and `values` are those of the field that it names.
const SHORT = new Set(['P10000000000D', '9'.repeat(1001)]);
const CANNOT_SAY = {
  class: ({ kind }) => isRef(kind),
  node_kind: ({ kind }) => isRef(kind),
  // A schema of a document may take null, too.
  required: ({ kind, value }) => kind === 'json' && value === null,
  unique: () => true,
  min_count: ({ kind, values }) => new Set(values.map((value) => spelt(kind, value))).size < values.length,
  min_value: ({ constraint }) => typeof constraint === 'string',
  max_value: ({ constraint }) => typeof constraint === 'string',
  min_exclusive: ({ constraint }) => typeof constraint === 'string',
  max_exclusive: ({ constraint }) => typeof constraint === 'string',
  type: ({ kind, values, constraint }) => values.some((value) => NO_TIMES_OF_XSD.includes(value) || SHORT.has(value))
    || (kind === 'json' && Array.isArray(constraint)),
  constraint: ({ kind }) => kind === 'json',
};
// What a schema refuses and we take: sent in short, or in another spelling.
const TAKEN = {
  null: (_, value) => value === null,
  'end of an id': ({ kind }, value) => kind === 'ref' && plain(kind, value) !== value,
  number: ({ kind }, value) => kind === 'decimal' && typeof value === 'number',
  spelling: ({ kind }, value) => isForm(kind) && spelt(kind, value) !== plain(kind, value),
};

// docs/fields.md has these lists and no others.
test('the lists of the page are those of this test', () => {
  const page = readFileSync('docs/fields.md', 'utf8');
  const section = page.slice(page.indexOf('## What a schema cannot say'), page.indexOf('## What a shape cannot say'));
  const [taken, refused] = section.split(/\n\| .* \|\n\|---.*\n/).slice(1).map((part) =>
    [...part.split('\n\n')[0].matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell]) => cell.split(', ').map((name) => name.replaceAll('`', ''))));
  assert.deepEqual(taken, Object.keys(TAKEN));
  assert.deepEqual(refused, Object.keys(CANNOT_SAY));
});

// The field that an error names, and the values given for it: `f1.p0`, `f1[2].p0`,
// `f1/a/0` in a document.
function find(fields, object, path) {
  const [, name, at, rest = ''] = /^(\w+)(?:\[(\d+)\])?(?:\.(.*)|\/.*)?$/.exec(path) ?? [];
  const field = fields.find((one) => one.name === name);
  if (!field) return { kind: undefined, values: [] };
  const value = at === undefined || field.kind === 'json' ? object?.[name] : object?.[name]?.[at];
  return rest && field.fields ? find(field.fields, value, rest) : { kind: field.kind, values: listOf(field, value) };
}

// And what stands in the description of the field or of the input: "Also asked
// for: sh:not." What sh:node refers to is told as what it asks for itself.
const COMPONENTS = { one_of: 'in', min_value: 'minInclusive', max_value: 'maxInclusive', type: 'datatype', required: 'minCount' };
const askedIn = ({ description = '' }) => /Also asked for: ([^.]*)\./.exec(description)?.[1].split(', ') ?? [];
function isDescribed(schema, { field, code }) {
  const component = `sh:${COMPONENTS[code] ?? code.replace(/_./g, ([, letter]) => letter.toUpperCase())}`;
  return code === 'node' ? [schema, ...Object.values(schema.properties)].some((one) => askedIn(one).length)
    : askedIn(schema.properties[field] ?? schema).includes(component);
}

// Arguments as a schema has them: nothing in short. What was is counted.
function written(fields, object, counts) {
  const one = (field, value) => {
    for (const [name, is] of Object.entries(TAKEN)) {
      if (is(field, value)) counts[name] = (counts[name] ?? 0) + 1;
    }
    if (field.fields) return value && typeof value === 'object' && !Array.isArray(value) ? written(field.fields, value, counts) : value;
    if (isForm(field.kind)) return spelt(field.kind, value);
    return field.kind === 'ref' ? plain(field.kind, value) : value;
  };
  const out = { ...object };
  for (const field of fields) {
    const value = object[field.name];
    if (value === null) counts.null = (counts.null ?? 0) + 1;
    if (value === null || value === undefined) delete out[field.name];
    else out[field.name] = field.form !== 'one' && Array.isArray(value) ? value.map((each) => one(field, each)) : one(field, value);
  }
  return out;
}

const isIri = (text) => validateIri(text, IriValidationStrategy.Strict) === undefined;

function compile(schema) {
  const ajv = new Ajv({ strict: true, allErrors: false });
  addFormats(ajv);
  ajv.addFormat('iri', isIri);
  ajv.addVocabulary(['trails:node_type']);
  return ajv.compile(schema);
}

const typesOf = (type) => (type === 'Sub' ? ['Sub', 'Base'] : [type]);
const withoutNulls = (fields, object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null).map(([name, value]) => {
  const inner = fields.find((field) => field.name === name)?.fields;
  const one = (each) => (inner && each && typeof each === 'object' && !Array.isArray(each) ? withoutNulls(inner, each) : each);
  return [name, Array.isArray(value) ? value.map(one) : one(value)];
}));

class World {
  constructor(number, run) {
    this.run = run;
    this.model = new Model(seed + number * 7919, run.rounds);
    this.folder = mkdtempSync(join(tmpdir(), 'trails-model-'));
    for (const [name, text] of Object.entries(this.model.files)) writeFileSync(join(this.folder, name), text);
    this.store = new Store(this.folder, 'data');
    this.kept = new Map();
  }

  // What nothing could fit is refused when it is loaded: bounds that cross each
  // other, of a field and of a shape beside it.
  isLoaded() {
    const done = spawnSync('build/debug/trails', ['check', this.folder], { encoding: 'utf8' });
    if (done.status !== 0) assert.match(done.stderr, /app\.lua:\d+: .* is (above|not below) /, this.show(done.stderr));
    return done.status === 0;
  }

  async open() {
    this.server = await serveWith(this.store.env, this.folder);
    this.client = await connect(CLIENTS[2], this.server.url);
    for (const person of people) await this.client.callTool({ name: 'create_person', arguments: person });
    const { tools } = await this.client.listTools();
    this.tools = Object.fromEntries(tools.map((tool) => [tool.name, { ...tool, takes: compile(tool.inputSchema),
      gives: tool.outputSchema && compile(tool.outputSchema) }]));
    this.shapes = {};
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

  show(...what) {
    return `${JSON.stringify(what)}, seed ${seed}\n${this.model.files['app.lua']}${this.model.files['shapes.ttl'] ?? ''}`;
  }

  // What we say: the node, or the codes of what is wrong.
  async ask(name, args) {
    try {
      const { structuredContent } = await this.client.callTool({ name, arguments: args });
      return { node: structuredContent };
    } catch (error) {
      assert.ok(error.data?.fields?.length || error.data?.violations?.length, this.show(name, args, error.message, error.data));
      return { error, wrong: error.data.fields };
    }
  }

  compareAjv(name, fields, args, node, wrong, why) {
    const { takes, inputSchema } = this.tools[name];
    const { counts } = this.run;
    if (takes(args)) {
      for (const one of wrong) {
        const isUnsaid = CANNOT_SAY[one.code]?.({ ...one, ...find(fields, args, one.field) });
        assert.ok(isUnsaid || isDescribed(inputSchema, { ...one, field: one.field.split(/[./[]/)[0] }),
          `ajv takes what we refuse: ${one.field} ${one.code}: ${why()}\n${JSON.stringify(inputSchema)}`);
        if (isUnsaid) counts[one.code] = (counts[one.code] ?? 0) + 1;
      }
    } else if (node) {
      const taken = {};
      assert.ok(takes(written(fields, args, taken)), `ajv refuses what we take: ${why()} ${JSON.stringify(takes.errors)}`);
      for (const short of Object.keys(taken)) counts[short] = (counts[short] ?? 0) + 1;
    }
  }

  // What others have is not in the data, and nothing says it in SHACL; nor what a
  // document has to be.
  async compareShacl(type, stored, node, wrong, why) {
    const documents = (fields) => fields.flatMap(({ name, kind, options, fields: inner }) =>
      (kind === 'json' && options.schema ? [name] : inner ? documents(inner) : []));
    const unsaid = documents(this.model.types[type]);
    if (!stored.isData || wrong.some(({ code, field }) => code === 'unique' || unsaid.some((name) => field.split(/[./[]/).includes(name)))) return;
    const known = PEOPLE.flatMap((id) => new Stored().node(id, ['Person'], [], {}).quads);
    const report = await this.shapes[type].validate(rdf.dataset([...known, ...stored.quads]));
    assert.equal(report.conforms, Boolean(node), `rdf-validate-shacl: ${why()}\n${
      report.results.map((one) => `${one.path?.value} ${one.sourceConstraintComponent.value}`).join('\n')}`);
    this.run.counts.asked++;
  }

  // One call: the three verdicts; the node, if it is taken.
  async compare(name, type, args, whole) {
    const fields = this.model.types[type];
    const { node, error, wrong = [] } = await this.ask(name, args);
    const why = () => this.show(name, args, whole, error?.data ?? node);
    const stored = new Stored().node(node?.id ?? `${HOME}${type}/new`, typesOf(type), fields, whole);
    this.run.counts[node ? 'taken' : 'refused']++;
    this.run.judged.add(fields, args);
    this.compareAjv(name, fields, args, node, wrong, why);
    await this.compareShacl(type, stored, node, wrong, why);
    if (!node) return undefined;
    const { gives } = this.tools[name];
    const { id, _type, _version, ...rest } = node;
    assert.ok(gives(node), `ajv refuses what we give: ${why()} ${JSON.stringify(gives.errors)}`);
    assert.deepEqual(inOrder(fields, rest), shown(fields, whole), why());
    if (this.model.random.oneIn(8)) await this.compareLd(type, id, stored.quads);
    this.kept.set(id, { type, stored, whole });
    return node;
  }

  async compareLd(type, id, quads) {
    const { contents: [{ text }] } = await this.client.readResource({ uri: `trails://kg/${type}/${encodeURIComponent(id)}` });
    assert.deepEqual(trees(await jsonld.toRDF(JSON.parse(text))), trees(quads), this.show(JSON.parse(text)));
  }

  async fill() {
    const { random, types } = this.model;
    for (let i = 0; i < TRIED && this.kept.size < KEPT && (i < HOPELESS || this.kept.size); i++) {
      const type = random.pick(['Base', 'Sub']);
      const tool = type.toLowerCase();
      const given = this.model.instance(type);
      const node = await this.compare(`create_${tool}`, type, given, withoutNulls(types[type], given));
      if (!node) continue;
      const field = random.pick(types[type]);
      const change = { [field.name]: this.model.given(field) };
      const { id, _type, _version, ...before } = node;
      await this.compare(`update_${tool}`, type, { id, ...change }, { ...before, ...withoutNulls(types[type], change) });
      // Some stay, for what must be unique.
      if (random.below(4)) continue;
      await this.client.callTool({ name: `delete_${tool}`, arguments: { id } });
      this.kept.delete(id);
    }
  }

  // The store has what was given, and so has each that is made of it.
  async goRound() {
    const quads = PEOPLE.flatMap((id, i) => [...new Stored().node(id, ['Person'], [], {}).quads,
      rdfModel.quad(rdfModel.namedNode(id), rdfModel.namedNode(`${HOME}Person#code`), rdfModel.literal(people[i].code))]);
    for (const { type, stored, whole } of this.kept.values()) {
      quads.push(...stored.quads);
      this.run.rounds.add(this.model.types[type], whole);
    }
    const expected = trees(quads);
    assert.deepEqual(await this.store.trees(), expected, this.show('stored'));
    for (const format of STATEMENTS) await this.store.throughStatements(format, expected);
    for (const format of ROWS) await this.store.throughRows(format, ['Person', 'Base'], expected);
    for (const type of ['Base', 'Sub']) {
      const names = this.model.types[type].map(({ name }) => name);
      const { isError, content } = await this.client.callTool({ name: 'again', arguments: { type, names } });
      assert.ok(!isError, this.show(content));
    }
    assert.deepEqual(await this.store.trees(), expected, this.show('through Lua'));
    this.run.counts.rounds += this.kept.size;
    this.run.counts.models++;
  }
}

test(`${wanted} instances and more with each kind of field, seed ${seed}`, async (t) => {
  const run = { judged: new Coverage(), rounds: new Coverage(), counts: { models: 0, taken: 0, refused: 0, asked: 0, rounds: 0 } };
  const { judged, rounds, counts } = run;
  let isRight = false;
  for (let at = 0; !judged.isEnough(wanted) || !rounds.isEnough(wanted);) {
    let world = new World(at++, run);
    for (; !world.isLoaded(); world = new World(at++, run)) world.remove();
    await t.test(`model ${at}`, async () => {
      await world.open();
      try {
        await world.fill();
        await world.goRound();
      } finally {
        await world.close();
      }
      isRight = true;
    });
    // What has failed once would fail again.
    assert.ok(isRight, 'the model above');
    isRight = false;
  }
  t.diagnostic(JSON.stringify(counts));
  t.diagnostic(`judged: ${JSON.stringify(judged.kinds)}`);
  t.diagnostic(`gone round: ${JSON.stringify(rounds.kinds)}`);
  const all = counts.taken + counts.refused;
  assert.ok(Math.min(counts.taken, counts.refused, counts.asked, counts.rounds) > all / 10, JSON.stringify(counts));
  // Whatever is on a list happens.
  if (scale >= 1) for (const name of [...Object.keys(CANNOT_SAY), ...Object.keys(TAKEN)]) assert.ok(counts[name] > 0, name);
  assertVerdicts();
});
