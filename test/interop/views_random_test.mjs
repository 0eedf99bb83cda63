// Random descriptors through all views: the fourteen fields are what app.lua
// says, in their order, in every view that has them; what views share is equal;
// validators that others wrote take the documents; JSON-LD expands without
// losing a term; nothing of one protocol is in another. TRAILS_TEST_SEED repeats a run.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { jsonld, pick, scaled, seed } from '../js/datasets.mjs';
import { FIELDS, PROJECT, randomApp } from '../js/descriptors.mjs';

const require = createRequire(new URL('../js/package.json', import.meta.url));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { default: Ajv } = await load('ajv');
const { Validator } = await load('@seriousme/openapi-schema-validator');
const { default: SwaggerParser } = await load('@apidevtools/swagger-parser');
const { tdValidator } = require('@thing-description-playground/core');

const PER_APP = 25;
const BASE = 'https://views.example';
const VOCABULARY = 'trails://meta/';
const SCOPES = ['', 'runtime', 'runtime,builder', 'builder,dev', 'runtime,builder,dev'];
const suite = join(process.env.TRAILS_SUITES ?? '../shared/suites', 'wot', 'td-json-schema-validation.json');

function view(folder, as, ...rest) {
  const done = spawnSync('build/debug/trails', ['capabilities', '--as', as, '--app', folder, ...rest], { encoding: 'utf8', maxBuffer: 1 << 28 });
  assert.equal(done.status, 0, done.stderr);
  if (as === 'markdown') return done.stdout;
  const document = JSON.parse(done.stdout);
  // What is about the app itself is in tools/list alone.
  if (as === 'mcp') document.tools = document.tools.filter(({ _meta }) => _meta['dev.trails/tool'].kind !== 'meta');
  return document;
}

const viewsOf = (folder, ...rest) =>
  Object.fromEntries(['jsonld', 'json', 'mcp', 'openapi', 'card', 'card-ld', 'markdown'].map((as) => [as, view(folder, as, ...rest)]));

// A schema without what only MCP has, and with references to its own start.
function unwrap(schema, pointer) {
  const walk = (value) => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value === 'string') return value.startsWith(pointer) ? `#${value.slice(pointer.length)}` : value;
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, walk(each)]));
  };
  return JSON.stringify(pointer ? walk(schema) : schema);
}

// What an MCP schema is elsewhere: without its dialect, which the others say once,
// and without headers of MCP.
function elsewhere(schema, isOwn) {
  const value = structuredClone(schema);
  if (!isOwn) delete value.$schema;
  for (const each of Object.values(value.properties ?? {})) {
    if (typeof each === 'object') delete each['x-mcp-header'];
  }
  return JSON.stringify(value);
}

// A ready-made tool: nobody has said its fields, but every view has the same.
const readyMade = (node) => ({ id: node.id, options: {}, input: 'fields',
  expected: Object.fromEntries(FIELDS.map((field) => [field, node[field]])) });

function assertShared({ jsonld: manifest, json, mcp, openapi, card, markdown }, caps, shown) {
  const nodes = new Map(manifest['@graph'].map((node) => [node.id, node]));
  assert.deepEqual([...nodes.keys()].sort(), [...shown].sort());
  for (const list of [json.capabilities.map(({ id }) => id), mcp.tools.map(({ name }) => name), Object.keys(card.actions),
    Object.values(openapi.paths).map(({ post }) => post.operationId)]) {
    assert.deepEqual(list, [...nodes.keys()]);
  }
  for (const node of nodes.values()) {
    const { id, options, input, expected } = caps.find((cap) => cap.id === node.id) ?? readyMade(node);
    const about = `${id}: ${JSON.stringify(options)}`;
    const own = Object.keys(node).filter((key) => !key.startsWith('@'));
    assert.deepEqual(own.slice(0, FIELDS.length), FIELDS, about);
    const canonical = JSON.stringify(expected);
    assert.equal(JSON.stringify(Object.fromEntries(FIELDS.map((field) => [field, node[field]]))), canonical, about);
    const plain = json.capabilities.find((cap) => cap.id === id);
    assert.equal(JSON.stringify(Object.fromEntries(FIELDS.map((field) => [field, plain[field]]))), canonical, about);
    assert.deepEqual(node['trails:effects'], options.postconditions?.length ? options.postconditions : undefined, about);
    assert.deepEqual(node.requested, options.assurance === 'L2' ? { assurance: 'L2' } : undefined, about);
    assert.ok(!('trails:effects' in plain), about);

    const tool = mcp.tools.find(({ name }) => name === id);
    const operation = openapi.paths[`/invoke/${id}`].post;
    const action = card.actions[id];
    for (const said of [tool.description, operation.description, action.description]) assert.equal(said, expected.description, about);
    assert.ok(markdown.includes(`\n## ${id}\n\n${expected.description}\n`), about);
    assert.equal(action.idempotent, expected.idempotent, about);
    assert.equal(operation['x-trails-idempotent'], expected.idempotent, about);
    assert.equal(operation.deprecated ?? false, expected.version_status === 'deprecated', about);
    assert.equal(tool._meta['dev.trails/manifest_uri'], `${BASE}/.well-known/capabilities#${id}`, about);
    assert.deepEqual(operation.parameters, expected.idempotent ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : undefined, about);
    for (const [name, key] of [['cost', 'cost'], ['side-effects', 'side_effects'], ['preconditions', 'preconditions'],
      ['policy-required', 'policy_required'], ['assurance', 'assurance'], ['reasoning', 'reasoning'], ['version', 'version'],
      ['version-status', 'version_status'], ['deprecates', 'deprecates'], ['input-shape', 'input_shape'], ['output-shape', 'output_shape']]) {
      assert.equal(JSON.stringify(operation[`x-trails-${name}`]), JSON.stringify(expected[key]), about);
    }
    assert.deepEqual([action['trails:assurance'], action['trails:costEstimate'], action['trails:policyRequired'], action['trails:version']],
      [expected.assurance, expected.cost, expected.policy_required, expected.version], about);

    const schemas = openapi.components.schemas;
    const given = elsewhere(tool.inputSchema, input === 'schema');
    const key = 'input' in action ? 'input' : 'trails:inputSchema';
    assert.equal(unwrap(schemas[`${id}.input`], `#/components/schemas/${id}.input`), given, about);
    assert.equal(unwrap(action[key], `#/actions/${id}/${key}`), given, about);
    if (tool.outputSchema) {
      const gives = elsewhere(tool.outputSchema);
      assert.equal(unwrap(schemas[`${id}.output`]), gives, about);
      assert.equal(unwrap(action.output), gives, about);
    } else {
      assert.ok(!action.output && !schemas[`${id}.output`], about);
    }
  }
}

const keysOf = (value) => (value && typeof value === 'object'
  ? [...(Array.isArray(value) ? [] : Object.keys(value)), ...Object.values(value).flatMap(keysOf)] : []);

// No field of WoT, cost, assurance or policy is in a tool; no annotation of MCP in
// a Thing Description; what an author says of afterwards is in the manifest alone.
function assertApart({ mcp, card, openapi, markdown, json }, caps) {
  for (const tool of mcp.tools) {
    const { inputSchema, outputSchema, ...rest } = tool;
    assert.deepEqual(Object.keys(rest).filter((key) => !['name', 'title', 'description', 'annotations', '_meta', 'trails'].includes(key)), []);
    assert.deepEqual(Object.keys(tool._meta).sort(), ['dev.trails/manifest_uri', 'dev.trails/tool']);
    const { description } = caps.find(({ id }) => id === tool.name)?.options ?? tool;
    assert.equal(tool.description, description, 'nothing is pushed into the description');
  }
  for (const key of keysOf(mcp)) assert.doesNotMatch(key, /forms|security|td:|cost|assurance|polic|_estimate|usd/i);
  for (const [id, action] of Object.entries(card.actions)) {
    const { input, 'trails:inputSchema': schema, output, ...own } = action;
    for (const key of keysOf(own)) assert.doesNotMatch(key, /annotations|Hint$|_meta|dev\.trails|[sS]chema$|x-mcp/, id);
    const kept = caps.find((cap) => cap.id === id)?.options.input_schema?.includes('kept') ?? false;
    assert.equal(JSON.stringify([schema?.properties, input?.properties]).includes('"x-mcp-header":"'), kept, id);
  }
  for (const document of [openapi, markdown, json, card, mcp]) assert.ok(!JSON.stringify(document).includes('trails:effects'));
}

async function assertExpands(manifest, context) {
  const documentLoader = (url) => {
    assert.equal(url, `${BASE}/.well-known/trails/v1.jsonld`);
    return { contextUrl: null, documentUrl: url, document: context };
  };
  const expanded = await jsonld.expand(manifest, { base: `${BASE}/.well-known/capabilities`, documentLoader, safe: true });
  assert.equal(expanded.length, manifest['@graph'].length);
  const iriOf = (key) => `${VOCABULARY}${(context['@context'][key]['@id']).slice('trails:'.length)}`;
  const assertAll = (node, meant, about) => {
    for (const [key, value] of Object.entries(node)) {
      if (key.startsWith('@') || value === null) continue;
      const found = meant[iriOf(key)];
      assert.ok(found, `${about}: ${key} is lost`);
      if (['side_effects', 'cost', 'requested', 'measured'].includes(key)) assertAll(value, found[0], `${about}: ${key}`);
      else if (['preconditions', 'trails:effects'].includes(key)) {
        value.forEach((each, i) => {
          assertAll(each, found[0]['@list'][i], `${about}: ${key}`);
          assert.deepEqual(found[0]['@list'][i][`${VOCABULARY}params`][0]['@value'], each.params);
        });
      } else assert.deepEqual(found.map((one) => one['@value'] ?? one['@id']), [value].flat(), `${about}: ${key}`);
    }
  };
  manifest['@graph'].forEach((node, i) => {
    assert.deepEqual(expanded[i]['@type'], [`${VOCABULARY}Capability`]);
    assert.equal(expanded[i]['@id'], `${BASE}/.well-known/capabilities#${node.id}`);
    assertAll(node, expanded[i], node.id);
  });
}

async function assertOpenapi(document) {
  const verdict = await new Validator().validate(structuredClone(document));
  assert.ok(verdict.valid, JSON.stringify(verdict.errors));
  await SwaggerParser.validate(structuredClone(document));
}

const tdSchema = existsSync(suite) && JSON.parse(readFileSync(suite, 'utf8'));
if (!tdSchema) console.error(`TRAILS_SUITES has no wot: Thing Descriptions are checked by ${'one validator alone'}`);
// The schema is that of the next version; TD 1.1, which ours are, has another context.
else tdSchema.definitions['thing-context-td-uri-temp'] = tdSchema.definitions['thing-context-td-uri-v1.1'];
const checkThing = tdSchema && new Ajv({ strict: false, validateFormats: false }).compile(tdSchema);

async function assertThing(thing) {
  if (checkThing) assert.ok(checkThing(thing), JSON.stringify(checkThing.errors));
  const { report } = await tdValidator(JSON.stringify(thing), () => {}, { checkDefaults: false, checkJsonLd: false });
  for (const [name, verdict] of Object.entries(report)) {
    if (['defaults', 'jsonld'].includes(name)) continue; // members may be absent; their context is on the web
    assert.ok(['passed', 'warning'].includes(verdict), `${name}: ${verdict}`);
  }
}

test(`views of random descriptors, TRAILS_TEST_SEED=${seed}`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trails-views-'));
  const said = Object.fromEntries(FIELDS.map((field) => [field, new Set()]));
  try {
    for (let done = 0, count = Math.max(PER_APP, scaled(500)); done < count; done += PER_APP) {
      const { source, caps } = randomApp(PER_APP);
      const scopes = pick(SCOPES);
      const required = pick(['auto', 'true', 'false']);
      writeFileSync(join(folder, 'app.lua'), source);
      writeFileSync(join(folder, 'trails.toml'),
        `[project]\nname = "${PROJECT}"\n[server]\npublic_url = "${BASE}"\n[auth]\nrequired = "${required}"\n`);
      const granted = scopes === '' ? [] : scopes.split(',');
      const views = viewsOf(folder, ...(scopes ? ['--scopes', scopes] : []));
      const may = (scope) => !scopes || granted.includes(scope ?? 'runtime');
      for (const { expected } of caps) FIELDS.forEach((field) => said[field].add(JSON.stringify(expected[field])));
      const shown = caps.filter(({ options }) => options.version_status !== 'retired' && may(options.scope)).map(({ id }) => id);
      if (may()) shown.push('create_task', 'update_task', 'find_task', 'delete_task');
      assertShared(views, caps, shown);
      assertApart(views, caps);
      await assertExpands(views.jsonld, view(folder, 'context'));
      await assertOpenapi(views.openapi);
      await assertThing(views.card);
      await assertThing(views['card-ld']);
      await assertThing(view(folder, 'wot'));
    }
    // No reasoner and no seal exist, so two of them have one value (contract C16, C40).
    const varied = FIELDS.filter((field) => said[field].size > 1);
    assert.deepEqual(varied, FIELDS.filter((field) => !['reasoning', 'assurance'].includes(field)));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const APPS = ['apps', 'test/apps'].flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  .filter((folder) => existsSync(join(folder, 'app.lua')));

for (const folder of APPS) {
  test(`validators take every document of ${folder}`, async () => {
    const manifest = view(folder, 'jsonld');
    assert.ok(manifest['@graph'].length > 0);
    await assertExpands(manifest, view(folder, 'context'));
    await assertOpenapi(view(folder, 'openapi'));
    for (const as of ['card', 'card-ld', 'wot']) await assertThing(view(folder, as));
  });
}

test('the validators refuse what is wrong', async () => {
  const folder = 'test/apps/golden';
  const openapi = view(folder, 'openapi');
  const card = view(folder, 'card');
  await assertOpenapi(openapi);
  await assertThing(card);
  for (const spoil of [(d) => delete d.info.version, (d) => { Object.values(d.paths)[0].post.responses = []; }]) {
    const document = structuredClone(openapi);
    spoil(document);
    assert.ok(!(await new Validator().validate(structuredClone(document))).valid);
    await assert.rejects(SwaggerParser.validate(document));
  }
  for (const spoil of [(d) => delete d.title, (d) => delete Object.values(d.actions)[0].forms, (d) => { d.security = 5; }]) {
    const document = structuredClone(card);
    spoil(document);
    if (checkThing) assert.ok(!checkThing(document));
    const { report } = await tdValidator(JSON.stringify(document), () => {}, { checkDefaults: false, checkJsonLd: false });
    assert.ok(Object.values(report).includes('failed'), JSON.stringify(report));
  }
  const { '@graph': [node], ...rest } = view(folder, 'jsonld');
  await assert.rejects(assertExpands({ ...rest, '@context': `${BASE}/.well-known/trails/v1.jsonld`, '@graph': [{ ...node, unknown: 1 }] }, view(folder, 'context')));
});
