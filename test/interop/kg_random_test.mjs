// The graph over MCP against something simpler: filters against a loop over the
// data, 200 hostile values against equality, and JSON-LD, expanded by jsonld,
// against what `trails export` says. TRAILS_TEST_SEED repeats a run.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { jsonld, oxigraph, pick, quadsOf, random, scaled, seed } from '../js/datasets.mjs';
import { env, serve } from '../js/server.mjs';

const APP = 'test/apps/graph';
const NS = 'trails://graph/';
const XSD = 'http://www.w3.org/2001/XMLSchema#';
const TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const require = createRequire(new URL('../js/package.json', import.meta.url));
const { Client, StreamableHTTPClientTransport } = await import(require.resolve('@modelcontextprotocol/client'));
const { namedNode, literal, quad, defaultGraph } = oxigraph;

const folder = mkdtempSync(join(tmpdir(), 'trails-kg-'));
env.TRAILS_STORE = join(folder, 'data');
let server;
let client;

// What text can be, and what a filter must not take for anything else.
const TEXTS = ['', ' ', 'a', 'A', 'open', 'true', '5', '5.0', 'null', 'a=b', '=', '==', 'a&b', '%', '%41',
  '%2541', '+', 'a+b', "it's", "' OR 1=1 --", "'; DROP TABLE spo; --", '?x', '} UNION {', '<http://a>', '{{}}',
  '#', '/', '//', '\u00e9', 'e\u0301', '\u{1F600}', '\t', '\u0001', '\u007f', '\u2028', '*', '_', '\ufeff',
  '$1', ':a', '@en', '^^xsd:integer', 'AND', 'x OR y', '(', ')', ';', ',', '|', '`', '~', '<', '>', '!='];
const ILLEGAL = ['"', '\\', '\r', '\n', '\0'];
const NUMBERS = ['0', '1', '-1', '5', '42', '9007199254740993', '-9223372036854775808', '123456789012345678901'];
const DOUBLES = ['0.0E0', '1.0E0', '-1.5E0', '1.0E-7', '1.7976931348623157E308', '5.0E-324', '3.333333333333333E-1'];
const TIMES = ['2026-07-28T12:00:00Z', '2026-07-28T12:00:00.5Z', '2026-07-28T14:00:00+02:00', '1969-12-31T23:59:59Z'];
const PEOPLE = ['ann', 'bob'].map((name) => `${NS}Person/${name}`);

const FIELDS = {
  title: () => [pick(TEXTS), 'string'],
  state: () => [pick(['open', 'closed', 'left open']), 'string'],
  size: () => [pick(NUMBERS), 'integer'],
  share: () => [pick(DOUBLES), 'double'],
  done: () => [pick(['true', 'false']), 'boolean'],
  due: () => [pick(TIMES), 'dateTime'],
  owner: () => [pick(PEOPLE)],
};
const MANY = 'tags';

const term = ([value, type]) => (type ? literal(value, namedNode(XSD + type)) : namedNode(value));
const field = (name) => namedNode(`${NS}Item#${name}`);

// An item: its quads, and its values by field. Some of it in another graph.
function item(i) {
  const iri = namedNode(pick([`${NS}Item/${i}`, `http://other.example/${i}?a=b&c#${i}`, `urn:x:${i}:%20`]));
  const special = random(3) === 0;
  const values = {};
  const quads = [quad(iri, namedNode(TYPE), namedNode(`${NS}Item`))];
  if (special) quads.push(quad(iri, namedNode(TYPE), namedNode(`${NS}Special`)));
  for (const [name, make] of Object.entries(FIELDS)) {
    if (name !== 'title' && random(3) === 0) continue;
    values[name] = make();
    const graph = random(8) === 0 ? namedNode(`${NS}graphs/${random(3)}`) : defaultGraph();
    quads.push(quad(iri, field(name), term(values[name]), graph));
    if (random(8) === 0) quads.push(quad(iri, field(name), term(values[name]), namedNode(`${NS}graphs/x`)));
  }
  for (let n = random(4); n > 0; n--) quads.push(quad(iri, field(MANY), literal(pick(TEXTS))));
  return { iri: iri.value, special, values, quads };
}

// A node of a type that lets pass what it does not know: any statement.
function loose(i) {
  const iri = namedNode(`${NS}Loose/${i}`);
  const quads = [quad(iri, namedNode(TYPE), namedNode(`${NS}Loose`))];
  for (let n = random(8); n > 0; n--) {
    const object = pick([
      () => literal(pick(TEXTS), pick(['en', 'de-at'])),
      () => literal(pick(TEXTS), namedNode(pick([`${XSD}integer`, `${XSD}boolean`, `${XSD}decimal`,
        `${XSD}date`, 'http://example.org/type']))),
      () => literal(pick(['01', '1', 'true', '1.50', '-0', '+1']),
        namedNode(XSD + pick(['integer', 'boolean', 'decimal', 'double']))),
      () => namedNode(pick(['http://example.org/a', 'urn:x:y', `${NS}Loose/0`])),
    ])();
    const graph = random(4) === 0 ? namedNode('http://example.org/g') : defaultGraph();
    quads.push(quad(iri, namedNode(pick(['http://example.org/p', 'http://example.org/q', 'urn:p:1'])), object, graph));
  }
  return { iri: iri.value, quads };
}

const items = Array.from({ length: 300 }, (_, i) => item(i));
const others = Array.from({ length: 100 }, (_, i) => loose(i));

function trails(...words) {
  const done = spawnSync('build/debug/trails', words, { env, encoding: 'utf8', maxBuffer: 1 << 28 });
  assert.equal(done.status, 0, `${words.join(' ')}, seed ${seed}: ${done.stderr}`);
  return done.stdout;
}

before(async () => {
  cpSync(APP, join(folder, 'app'), { recursive: true });
  // Not through a store of oxigraph: it writes numbers anew.
  const people = PEOPLE.flatMap((iri) => [
    quad(namedNode(iri), namedNode(TYPE), namedNode(`${NS}Person`)),
    quad(namedNode(iri), namedNode(`${NS}Person#name`), literal('A')),
  ]);
  const quads = [...items, ...others].flatMap((one) => one.quads);
  writeFileSync(join(folder, 'data.nq'), [...people, ...quads].map((one) => `${one} .\n`).join(''));
  trails('import', '--app', join(folder, 'app'), join(folder, 'data.nq'));
  server = await serve(join(folder, 'app'));
  client = new Client({ name: 'kg', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
});
after(async () => {
  await client.close();
  assert.equal(await server.stop(), 0, 'the server ends cleanly');
  rmSync(folder, { recursive: true });
});

const contents = async (uri) => (await client.readResource({ uri })).contents[0];

// All pages of a list.
async function all(uri) {
  const found = [];
  while (uri) {
    const page = await contents(uri);
    found.push(...JSON.parse(page.text).map(({ iri }) => iri));
    assert.equal(page._meta.total !== undefined, true, uri);
    uri = page._meta.next;
  }
  return found;
}

const sorted = (list) => [...list].sort();
const encoded = (text) => encodeURIComponent(text);

// One instant is one value, whatever its offset.
const valueOf = ([text, kind]) => (kind === 'dateTime' ? Date.parse(text) : text);

// A value as it may be asked for, and the items that have it.
function ask(type, name, asked) {
  const [value, kind] = asked;
  const has = ({ special, values }) =>
    (type === 'Item' || special) && values[name] && valueOf(values[name]) === valueOf(asked);
  const expected = sorted(items.filter(has).map(({ iri }) => iri));
  const raw = /[&#%"\\\r\n\0]/.test(value) || random(2) ? encoded(value) : value;
  const spelled = kind === 'integer' && random(4) === 0 && !value.startsWith('-') ? `%2B00${raw}` : raw;
  const clause = pick([`${name}=${spelled}`, `${name}%3D${spelled}`]);
  const limit = pick(['', '&limit=7', '&limit=1000', '&offset=0']);
  return { uri: `trails://kg/${type}?where=${clause}${limit}`, expected };
}

const count = scaled(10000);
test(`${count} random filters, seed ${seed}`, async () => {
  for (let i = 0; i < count; i++) {
    const name = pick(Object.keys(FIELDS));
    const { uri, expected } = ask(pick(['Item', 'Special']), name, FIELDS[name]());
    assert.deepEqual(sorted(await all(uri)), expected, `${uri}, seed ${seed}`);
  }
});

// What happens to a text as a filter on a field of text, and of numbers.
async function tryHostile(value) {
  const illegal = ILLEGAL.some((bad) => value.includes(bad));
  const raw = value.replaceAll(/[%&#]/g, encoded);
  for (const form of [raw, encoded(value)]) {
    const uri = `trails://kg/Item?where=title=${form}`;
    if (illegal) {
      await assert.rejects(client.readResource({ uri }), (error) => {
        assert.deepEqual([error.code, error.data.field, error.data.reason], [-32602, 'title', 'illegal_character'], uri);
        return true;
      });
    } else {
      const expected = items.filter(({ values }) => values.title[0] === value).map(({ iri }) => iri);
      assert.deepEqual(sorted(await all(uri)), sorted(expected), `${uri}, seed ${seed}`);
    }
    const wrong = `trails://kg/Item?where=size=${form}`;
    if (illegal || !/^[+-]?[0-9]+$/.test(value)) {
      await assert.rejects(client.readResource({ uri: wrong }), (error) => {
        assert.equal(error.data.reason, illegal ? 'illegal_character' : 'type_mismatch', wrong);
        return true;
      });
    }
  }
}

test(`200 hostile values, seed ${seed}`, async () => {
  const values = [...TEXTS];
  for (const bad of ILLEGAL) values.push(bad, `${bad}a`, `a${bad}`, `' ${bad} } #`);
  while (values.length < 200) values.push(pick(TEXTS) + pick([...TEXTS, ...ILLEGAL]) + pick(TEXTS));
  for (const value of values) await tryHostile(value);
});

// Expanded JSON-LD as lines: a few kinds of values, and @included graphs.
function lines(node, graph = '') {
  const out = [];
  const subject = node['@id'];
  for (const [key, values] of Object.entries(node)) {
    if (key === '@id') continue;
    if (key === '@type') for (const type of values) out.push([subject, TYPE, `<${type}>`, graph]);
    else if (key === '@included') {
      for (const part of values) {
        assert.deepEqual(Object.keys(part).sort(), ['@graph', '@id']);
        for (const inner of part['@graph']) out.push(...lines(inner, part['@id']));
      }
    } else for (const value of values) out.push([subject, key, valueLine(value), graph]);
  }
  return out;
}

function valueLine(value) {
  if ('@id' in value) return `<${value['@id']}>`;
  const plain = { string: 'string', boolean: 'boolean', number: 'integer' }[typeof value['@value']];
  assert.ok(typeof value['@value'] !== 'number' || Number.isSafeInteger(value['@value']));
  const type = value['@language'] ?? value['@type'] ?? XSD + plain;
  return JSON.stringify([String(value['@value']), type]);
}

function quadLine({ subject, predicate, object, graph }) {
  const value = object.termType === 'NamedNode' ? `<${object.value}>`
    : JSON.stringify([object.value, object.language || object.datatype.value]);
  return [subject.value, predicate.value, value, graph.termType === 'DefaultGraph' ? '' : graph.value];
}

async function exported() {
  const bySubject = new Map();
  const text = trails('export', '--format', 'nq', '--app', join(folder, 'app'));
  for (const one of await quadsOf(text, 'nq')) {
    const line = JSON.stringify(quadLine(one));
    bySubject.set(one.subject.value, [...(bySubject.get(one.subject.value) ?? []), line]);
  }
  return bySubject;
}

test(`the JSON-LD of ${items.length + others.length} instances, seed ${seed}`, async () => {
  const stored = await exported();
  for (const [type, list] of [['Item', items], ['Loose', others]]) {
    for (const { iri } of list) {
      const { text, mimeType } = await contents(`trails://kg/${type}/${encoded(iri)}`);
      assert.equal(mimeType, 'application/ld+json');
      const expanded = await jsonld.expand(JSON.parse(text));
      assert.equal(expanded.length, 1);
      assert.deepEqual(sorted(lines(expanded[0]).map((line) => JSON.stringify(line))),
        sorted(stored.get(iri)), `${iri}, seed ${seed}:\n${text}`);
    }
  }
});
