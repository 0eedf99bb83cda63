// What each kind of field is in each view is locked, in each form that it may have:
// test/fixtures/fields has one file for each, with the schema of the tools, the
// filter, what is refused and how, the shape, the node as tools show it, and how it
// is written as Turtle, JSON-LD, CSV and NDJSON. A change to them has to be meant:
//
//   TRAILS_UPDATE_MCP_SNAPSHOTS=1 scripts/node test/interop/fields_test.mjs
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { KINDS as CLIENTS, connect, failure } from '../js/clients.mjs';
import { CODES, HOME, KINDS, PEOPLE, WRONG, examplesOf, formsOf } from '../js/kinds.mjs';
import { Store } from '../js/rounds.mjs';
import { assertVerdicts, serveWith } from '../js/server.mjs';

const FIXTURES = 'test/fixtures/fields';
const UPDATE = process.env.TRAILS_UPDATE_MCP_SNAPSHOTS === '1';

const large = (name) => name.split('_').map((word) => word[0].toUpperCase() + word.slice(1)).join('');
const ALL = KINDS.flatMap((kind) => formsOf(kind).map((form) => ({ kind, form, type: large(kind) + large(form), file: `${kind}.${form}.txt` })));

function declared({ kind, form, type }) {
  const word = { ref: 'ref "Person"', ref_by: 'ref "Person"', object: 'object "Address"' }[kind] ?? kind;
  const said = [...(form === 'one' ? [] : [`${form} = true`]), ...(kind === 'ref_by' ? ['by = "code"'] : []),
    ...(kind === 'object' ? ['fields = { { "street", text }, { "at", object "Point" { optional = true, fields = { lat = number } } } }'] : [])];
  const options = said.length ? `{ ${said.join(', ')} }` : '{}';
  return `node_type "${type}" { ids = "preserve", tools = { "create", "find" },\n  fields = { { "value", ${word} ${options} } } }\n`;
}

const folder = mkdtempSync(join(tmpdir(), 'trails-fields-'));
let server;
let client;
let store;
let tools;
let turtle; // the blocks of the whole store

before(async () => {
  writeFileSync(join(folder, 'trails.toml'), '[project]\nname = "model"\n');
  writeFileSync(join(folder, 'app.lua'), `node_type "Person" { ids = "preserve", label = "code", fields = { code = text { unique = true } }, tools = { "create" } }\n${
    ALL.map(declared).join('')}`);
  store = new Store(folder, 'data');
  server = await serveWith(store.env, folder);
  client = await connect(CLIENTS[2], server.url);
  for (const [i, id] of PEOPLE.entries()) await client.callTool({ name: 'create_person', arguments: { id, code: CODES[i] } });
  tools = Object.fromEntries((await client.listTools()).tools.map((tool) => [tool.name, tool]));
});
after(async () => {
  await client.close();
  assert.equal(await server.stop(), 0, 'the server ends cleanly');
  assertVerdicts();
  rmSync(folder, { recursive: true });
});

const small = (type) => type.replace(/(.)([A-Z])/g, '$1_$2').toLowerCase();
const json = (value) => JSON.stringify(value, null, 2);

// Nodes of the type: one with the first two values, and one with the last; for arrays
// the second of them.
async function make({ kind, form, type }) {
  const [a, b, c] = examplesOf(kind);
  const values = form === 'one' ? [a, c] : [[b, a, b], [c]];
  const made = [];
  for (const [i, value] of values.entries()) {
    const sent = { id: `${HOME}${type}/${i}`, value };
    const { structuredContent } = await client.callTool({ name: `create_${small(type)}`, arguments: sent });
    made.push({ sent, shown: structuredContent });
  }
  return made;
}

// The texts of what is refused: values of another kind, one in another form, none.
async function refusals({ kind, form, type }) {
  const isAnything = kind === 'json';
  const values = isAnything ? [] : WRONG[kind].slice(0, 4).map((value) => (form === 'one' ? value : [value]));
  if (form !== 'one') values.push('x');
  else if (!isAnything) values.push(['x']);
  const texts = [];
  for (const value of [...values, null]) {
    const { data } = await failure(client.callTool({ name: `create_${small(type)}`, arguments: { id: `${HOME}${type}/none`, value } }));
    texts.push(`${JSON.stringify(value)}: ${data.fields.map(({ code, message }) => `${message} (${code})`).join('; ')}`);
  }
  return texts.join('\n');
}

const read = async (uri) => (await client.readResource({ uri })).contents[0].text;

async function viewsOf(one) {
  const made = await make(one);
  const { inputSchema: { properties: { value } } } = tools[`create_${small(one.type)}`];
  const { inputSchema: { properties: find } } = tools[`find_${small(one.type)}`];
  return {
    'app.lua': declared(one),
    'in the schema of a tool': json(value),
    'in a filter': json(find.filter.properties.value ?? null),
    'in an order': json(find.order?.enum ?? null),
    refused: await refusals(one),
    'trails://shape': await read(`trails://shape/${one.type}`),
    'sent, and shown': made.map(({ sent, shown }) => `${JSON.stringify(sent)}\n${JSON.stringify(shown)}`).join('\n'),
  };
}

const ROWS = ['csv', 'ndjson', 'jsonld'];
function filesOf({ type }) {
  const blocks = turtle.filter((block) => block.startsWith(`<${HOME}${type}/`));
  return { Turtle: blocks.join('\n\n'), ...Object.fromEntries(ROWS.map((format) =>
    [format, store.trails('export', '--type', type, '--format', format).replaceAll('\r\n', '\n')])) };
}

const textOf = ({ kind, form }, views) => `${kind}, ${form}\n${
  Object.entries(views).map(([name, text]) => `\n== ${name}\n\n${text.trim()}\n`).join('')}`;

test('each kind in each form is as its file says', async () => {
  const views = new Map();
  for (const one of ALL) views.set(one, await viewsOf(one));
  turtle = store.trails('export', '--format', 'ttl').split(/\n\n/).map((block) => block.trim());
  if (UPDATE) for (const name of readdirSync(FIXTURES)) unlinkSync(join(FIXTURES, name));
  for (const [one, own] of views) {
    const path = join(FIXTURES, one.file);
    const text = textOf(one, { ...own, ...filesOf(one) });
    if (UPDATE) writeFileSync(path, text);
    assert.equal(text, readFileSync(path, 'utf8'), `${path}: if that is meant, see above how to rewrite it`);
  }
  assert.deepEqual(readdirSync(FIXTURES).sort(), ALL.map(({ file }) => file).sort(), 'and there are no others');
});
