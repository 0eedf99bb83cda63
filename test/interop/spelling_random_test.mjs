// Values in odd spellings (01, 1e0, +00:00, .000Z) against an evaluator that
// knows values and no spellings: random datasets go into a store, by an import
// with their types or without (a store of before, which is put right when it is
// opened), and `where`, `unique` and `get` must give what the evaluator gives.
// Times are the same when instant and offset are. TRAILS_TEST_SEED repeats a run.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { jsonld, pick, random, scaled, seed } from '../js/datasets.mjs';
import { env, serveWith } from '../js/server.mjs';

const XSD = 'http://www.w3.org/2001/XMLSchema#';
const TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const NS = 'http://spelling.example/';
const LOOSE = `${NS}loose`; // no type has this predicate
const PER_APP = 10;
const require = createRequire(new URL('../js/package.json', import.meta.url));
const { Client, StreamableHTTPClientTransport } = await import(require.resolve('@modelcontextprotocol/client'));

const folder = mkdtempSync(join(tmpdir(), 'trails-spelling-'));
after(() => rmSync(folder, { recursive: true }));

// What each kind means ------------------------------------------------------

// Time zones as minutes, and a time as [its key, our spelling].
function readTime(text) {
  const [, year, month, day, hour, minute, second, fraction = '', zone] =
    /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?$/.exec(text.toUpperCase());
  const local = new Date(Date.UTC(+year, +month - 1, +day, +hour, +minute, +second)); // 24:00:00 too
  const rest = fraction.replace(/0+$/, '');
  const offset = { Z: 'Z', '+00:00': 'Z', '-00:00': 'Z', undefined: '' }[zone] ?? zone;
  const canonical = local.toISOString().replace(/\.\d+Z$/, '') + (rest && `.${rest}`) + offset;
  return [canonical, canonical];
}

function readDouble(text) {
  const number = Number(text.replace('+INF', 'INF').replace('INF', 'Infinity')) + 0; // -0 is 0
  if (!Number.isFinite(number)) return [String(number), number > 0 ? 'INF' : '-INF'];
  let [digits, exponent] = number.toExponential().split('e');
  if (!digits.includes('.')) digits += '.0';
  return [String(number), `${digits}E${Number(exponent)}`];
}

const readInteger = (text) => [String(BigInt(text.replace('+', ''))), String(BigInt(text.replace('+', '')))];
const readBoolean = (text) => Array(2).fill(String(text === 'true' || text === '1'));

// Values of each kind that meet often, each in several spellings.
function spellInteger() {
  const value = pick(['0', '1', '1', '2', '-1', '42', '9223372036854775808', '-123456789012345678901']);
  const digits = value.replace('-', '');
  const sign = value.startsWith('-') ? '-' : pick(value === '0' ? ['', '+', '-'] : ['', '', '+']);
  return sign + pick(['', '', '0', '000']) + digits;
}

function spellDouble() {
  return pick([
    () => pick(['1', '1.0', '1e0', '1E0', '1.0E0', '01', '+1', '1.', '10e-1', '.1e1', '0.1E+1', '1.00e00']),
    () => pick(['0', '-0', '0.0', '-0.0E0', '0.0E0', '0e7', '+0', '.0', '1e-999']),
    () => pick(['-1.5', '-1.5E0', '-15e-1', '-01.50', '-.15E01']),
    () => pick(['0.1', '1.0E-1', '1e-1', '0.1000000000000000055511151231257827']),
    () => pick(['1e22', '1.0E22', '10000000000000000000000', '1e+22']),
    () => pick(['9007199254740993', '9007199254740992', '9.007199254740992E15']),
    () => pick(['5e-324', '4.9E-324', '5.0E-324', '1.7976931348623157E308', '17976931348623157e292']),
    () => pick(['INF', '+INF', '-INF', '1e999']),
  ])();
}

const spellBoolean = () => pick(['true', 'false', '1', '0']);

function spellTime() {
  const clock = pick(['2026-01-01T00:00:00', '2025-12-31T24:00:00', '2026-01-01T00:00:00', '2024-02-29T23:59:59', '2026-01-01T02:00:00']);
  const fraction = clock.includes('24:') ? pick(['', '.0', '.000']) : pick(['', '', '.000', '.0', '.5', '.500', '.123456789000']);
  return clock + fraction + pick(['Z', 'Z', '+00:00', '-00:00', '+02:00', '-05:30', '']);
}

// What has one spelling comes as it is.
const ONES = {
  date: ['2026-01-01', '2024-02-29', '0001-12-31', '9999-01-01'],
  uri: ['https://example.org/a?b#c', 'urn:isbn:0451450523', 'http://[::1]:80/%20', 'HTTP://EXAMPLE.ORG'],
  email: ['ada@example.org', 'Ada.L+x@mail.example.org', "o'b@c.de"],
};
const same = (text) => [text, text];

const spellClock = () => pick(['09:00:00', '14:30:00', '00:00:00', '24:00:00', '23:59:59']) + pick(['', '', '.0', '.000']);
function readClock(text) {
  const [, clock, rest = ''] = /^(\d\d:\d\d:\d\d)(\.\d+)?$/.exec(text);
  return same((clock === '24:00:00' ? '00:00:00' : clock) + rest.replace(/\.?0+$/, ''));
}

function spellDuration() {
  return pick(['', '', '-']) + pick(['PT1H', 'PT60M', 'PT3600S', 'P0DT1H0M0.0S', 'PT1H30M', 'PT90M', 'P1D', 'PT24H', 'P001D', 'PT0S', 'P0D',
    'PT1.5S', 'PT1.50S', 'PT0.001S', 'P9999999999D', 'P1DT2H3M4.5S', 'PT93784.5S']);
}
function readDuration(text) {
  const [, sign, days = '0', hours = '0', minutes = '0', seconds = '0', fraction = ''] =
    /^(-?)P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d+))?S)?)?$/.exec(text);
  const rest = fraction.replace(/0+$/, '');
  const total = ((BigInt(days) * 24n + BigInt(hours)) * 60n + BigInt(minutes)) * 60n + BigInt(seconds);
  const part = (count, letter) => (count ? `${count}${letter}` : '');
  const clock = part(total / 3600n % 24n, 'H') + part(total / 60n % 60n, 'M') + (rest ? `${total % 60n}.${rest}S` : part(total % 60n, 'S'));
  if (!total && !rest) return same('PT0S');
  return same(`${sign}P${part(total / 86400n, 'D')}${clock && `T${clock}`}`);
}

function spellDecimal() {
  return pick(['1', '1.0', '+1', '01', '1.', '0', '-0', '0.00', '.0', '12.5', '12.50', '+012.500', '-0.5', '-.5', '-00.50',
    '0.1000000000000000055511151231257827', '12345678901234567890.125', '012345678901234567890.1250']);
}
function readDecimal(text) {
  const [, sign, whole, fraction = ''] = /^([+-]?)0*(\d*)(?:\.(\d*))?$/.exec(text);
  const rest = fraction.replace(/0+$/, '');
  const number = (whole || '0') + (rest && `.${rest}`);
  return same(sign === '-' && number !== '0' ? `-${number}` : number);
}

// Documents that are equal in several ways of writing them.
const DOCUMENTS = ['{"a":1,"b":[null,0.5]}', '{ "b": [ null, 5e-1 ], "a": 1.0 }', '{"b":[null,0.50],"a":1e0}', '[]', '[ ]', '"x"', '"\\u0078"', '5', '5.0',
  '{"a":{}}', '{"a":{ }}', '[1,2]', '[2,1]', 'true', '{"\\u00e4":"\\n"}', '{"\u00e4":"\\u000a"}'];
const canonicalOf = (value) => (Array.isArray(value) ? `[${value.map(canonicalOf).join(',')}]`
  : value === null || typeof value !== 'object' ? JSON.stringify(value)
    : `{${Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonicalOf(value[name])}`).join(',')}}`);
const readDocument = (text) => same(canonicalOf(JSON.parse(text)));

const KINDS = {
  ...Object.fromEntries(Object.entries(ONES).map(([kind, values]) => [kind, { spell: () => pick(values), read: same }])),
  time: { datatype: `${XSD}time`, spell: spellClock, read: readClock },
  duration: { datatype: `${XSD}dayTimeDuration`, spell: spellDuration, read: readDuration },
  decimal: { datatype: `${XSD}decimal`, spell: spellDecimal, read: readDecimal },
  json: { datatype: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON', spell: () => pick(DOCUMENTS), read: readDocument },
  integer: { datatype: `${XSD}integer`, spell: spellInteger, read: readInteger },
  number: { datatype: `${XSD}double`, spell: spellDouble, read: readDouble },
  boolean: { datatype: `${XSD}boolean`, spell: spellBoolean, read: readBoolean },
  datetime: { datatype: `${XSD}dateTime`, spell: spellTime, read: readTime },
};
KINDS.date.datatype = `${XSD}date`;
KINDS.uri.datatype = `${XSD}anyURI`;
KINDS.email.datatype = `${XSD}string`;
const key = (kind, text) => KINDS[kind].read(text)[0];
const canonical = (kind, text) => KINDS[kind].read(text)[1];

// A literal in N-Quads, as they are exported.
function term(kind, text) {
  const escaped = text.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n');
  return `"${escaped}"${kind === 'email' ? '' : `^^<${KINDS[kind].datatype}>`}`;
}

// A dataset: a type with one field of each kind, one of them unique, and one
// with many values; nodes with values in any spelling, some in two.
function makeDataset(number) {
  const kinds = Object.keys(KINDS).filter(() => random(2));
  const fields = (kinds.length ? kinds : ['decimal']).map((kind) => ({ name: `f_${kind}`, kind, many: false }));
  fields.push({ name: 'm', kind: pick(Object.keys(KINDS)), many: true });
  const unique = random(2) ? pick(fields.filter(({ many }) => !many)).name : null;
  const nodes = Array.from({ length: 1 + random(6) }, (_, i) => ({ id: `${NS}T${number}/${i}`, values: {} }));
  const quads = new Map(); // a line, and whether it is spelt otherwise
  const put = (id, { name, kind }, text, graph = random(9) ? '' : ` <${NS}g>`) =>
    quads.set(`<${id}> <${NS}T${number}#${name}> ${term(kind, text)}${graph} .`,
      text !== canonical(kind, text));
  for (const node of nodes) {
    quads.set(`<${node.id}> <${TYPE}> <${NS}T${number}> .`, false);
    for (const field of fields) {
      const { name, kind, many } = field;
      node.values[name] = new Set();
      if (random(4) === 0) continue;
      for (let n = many ? random(4) : 1; n > 0; n--) {
        const text = KINDS[kind].spell();
        node.values[name].add(key(kind, text));
        put(node.id, field, text);
        for (let again = random(4); again > 0; again--) { // the same, perhaps in another spelling
          const other = KINDS[kind].spell();
          if (key(kind, other) === key(kind, text)) put(node.id, field, other);
        }
      }
    }
  }
  const loose = `<${NS}L${number}> <${LOOSE}> "${spellInteger()}"^^<${XSD}integer> .`;
  return { number, type: `T${number}`, fields, unique, nodes, quads, loose };
}

// Times stay, since some have no offset, and numbers, since some are not finite.
const again = ({ number, fields }) => `capability "again_${number}" { description = "Writes a node again.",
  input = { id = text }, side_effects = { graph_writes = { "default", "${NS}g" } }, run = function(ctx, args)
    local node, change = ctx.kg:get(args.id), {}
    for _, name in ipairs { ${fields.filter(({ kind }) => kind !== 'datetime' && kind !== 'number').map(({ name }) => `"${name}"`).join(', ')} } do
      local value = node[name]
      if value ~= nil then change[name] = value end
    end
    ctx.kg:update(args.id, change)
  end }\n`;

const declare = (set) => declareType(set) + again(set);
const declareType = ({ number, fields, unique }) => `node_type "T${number}" { iri = "${NS}T${number}", ids = "preserve",
  tools = { "create", "find" }, fields = { ${fields.map(({ name, kind, many }) =>
    `${name} = ${kind} { optional = true, iri = "${NS}T${number}#${name}"${many ? ', many = true' : ''}${name === unique ? ', unique = true' : ''} }`).join(', ')} } }\n`;

// Whether two nodes have a value of the unique field in common.
function clashes({ unique, nodes }) {
  const seen = new Set();
  for (const { values } of unique ? nodes : []) {
    for (const value of values[unique]) {
      if (seen.has(value)) return true;
    }
    for (const value of values[unique]) seen.add(value);
  }
  return false;
}

// The program ----------------------------------------------------------------

function trails(own, ...words) {
  return spawnSync('build/debug/trails', words, { env: own, encoding: 'utf8', maxBuffer: 1 << 28 });
}

const lines = (set) => [...set.quads.keys(), set.loose].join('\n') + '\n';
const odd = (set) => [...set.quads.values()].filter(Boolean).length;
const told = (count) => (count ? `${count} values written in their canonical form\n` : '');

// Each by an import of its own, which is refused when a unique value is not.
function importEach(own, app, sets) {
  writeFileSync(join(app, 'app.lua'), sets.map(declare).join(''));
  return sets.filter((set) => {
    const file = join(app, `${set.number}.nq`);
    writeFileSync(file, lines(set));
    const about = `dataset ${set.number}, seed ${seed}`;
    if (odd(set)) {
      const refused = trails(own, 'import', '--app', app, '--as-written', file);
      assert.equal(refused.status, 1, about);
      assert.match(refused.stderr, new RegExp(`trails: ${odd(set)} value\\(s\\) are not spelt`), about);
    }
    const done = trails(own, 'import', '--app', app, file);
    assert.equal(done.status, clashes(set) ? 1 : 0, `${about}: ${done.stderr}`);
    if (done.status === 0) assert.ok(done.stdout.endsWith('changed\n' + told(odd(set))), `${about}: ${done.stdout}`);
    else assert.match(done.stderr, /have the same/, about);
    return done.status === 0;
  });
}

// All at once, when nothing was declared yet; the server finds them so.
function importBefore(own, app, sets) {
  writeFileSync(join(app, 'app.lua'), '');
  const file = join(app, 'old.nq');
  writeFileSync(file, sets.map(lines).join(''));
  const done = trails(own, 'import', '--app', app, file);
  assert.equal(done.status, 0, done.stderr);
  assert.ok(done.stdout.endsWith('changed\n'), done.stdout);
  writeFileSync(join(app, 'app.lua'), sets.map(declare).join(''));
  return sets;
}

function checkLog(log, sets, isOld) {
  const count = isOld ? sets.reduce((sum, set) => sum + odd(set), 0) : 0;
  const said = log.map((line) => JSON.parse(line)).filter(({ values }) => values !== undefined);
  assert.deepEqual(said.map(({ values }) => values), count ? [count] : [], `seed ${seed}`);
  const clash = isOld && count && sets.some(clashes);
  assert.equal(log.some((line) => line.includes('values that must be unique are not')), Boolean(clash), `seed ${seed}`);
}

// What is stored is spelt as it would be written, and nothing else is changed.
function checkExport(own, app, sets) {
  const wanted = new Set();
  for (const { quads, loose } of sets) {
    wanted.add(loose);
    for (const line of quads.keys()) {
      const literal = /^(\S+ \S+ )("(?:[^"\\]|\\.)*")\^\^<([^>]*)>(.*)$/.exec(line);
      const kind = literal && Object.keys(KINDS).find((name) => KINDS[name].datatype === literal[3]);
      wanted.add(kind ? `${literal[1]}${term(kind, canonical(kind, JSON.parse(literal[2])))}${literal[4]}` : line);
    }
  }
  const exported = trails(own, 'export', '--app', app).stdout.trim().split('\n');
  assert.deepEqual(exported.sort(), [...wanted].sort(), `seed ${seed}`);
}

// A value as JSON in some spelling, exact, or undefined where JSON has none.
function json(kind, text) {
  if (kind === 'boolean') return key(kind, text);
  if (kind === 'json') return text;
  if (kind === 'time' && text.startsWith('24')) return undefined;
  if (kind in ONES || ['time', 'duration', 'decimal'].includes(kind)) return JSON.stringify(text);
  if (kind === 'datetime') {
    return /T24|[0-9]$/.test(text.replace(/[+-]\d\d:\d\d$/, 'Z')) ? undefined : JSON.stringify(pick([text, text.toLowerCase()]));
  }
  if (kind === 'number') return Number.isFinite(Number(key(kind, text))) ? pick([key(kind, text), Number(key(kind, text)).toExponential()]) : undefined;
  return key(kind, text);
}

async function find(client, set, { name, kind }, text) {
  const value = kind in ONES || ['integer', 'time', 'duration', 'decimal'].includes(kind) ? text : String(JSON.parse(kind === 'datetime' ? json(kind, text) : `"${json(kind, text)}"`));
  const uri = `trails://kg/${set.type}?limit=100&where=${name}=${encodeURIComponent(value)}`;
  const page = JSON.parse((await client.readResource({ uri })).contents[0].text);
  return page.map(({ iri }) => iri);
}

// What a filter finds: a time is one instant at any offset.
function meaning(kind, text) {
  if (kind !== 'datetime') return key(kind, text);
  const [, clock, fraction = '', zone] = /^(.{19})(\.\d+)?(Z|[+-]\d\d:\d\d|)$/.exec(key(kind, text));
  return zone ? `${Date.parse(clock + zone)}${fraction}` : key(kind, text);
}

async function checkWhere(client, set) {
  for (const field of set.fields.filter(({ many, kind }) => !many && kind !== 'json')) { // there is no filter on these
    for (let n = 0; n < 4; n++) {
      const text = KINDS[field.kind].spell();
      if (json(field.kind, text) === undefined) continue;
      const expected = set.nodes.filter(({ values }) => [...values[field.name]].some((value) => meaning(field.kind, value) === meaning(field.kind, text))).map(({ id }) => id);
      assert.deepEqual((await find(client, set, field, text)).sort(), expected.sort(), `${field.name} = ${text} of ${set.type}, seed ${seed}`);
    }
  }
}

const keyOf = (kind, value) => key(kind, kind === 'json' ? JSON.stringify(value) : typeof value === 'object' ? value.value : String(value));

// Integers come as they are written: BigInt reads what Number would round.
function parse(text) {
  return JSON.parse(text.replace(/([[:,]\s*)(-?\d{16,})(?=\s*[,\]}])/g, '$1"$2"'));
}

async function checkGet(client, set) {
  const found = await client.callTool({ name: `find_${set.type.toLowerCase()}`, arguments: { limit: 100 } });
  const items = parse(found.content[0].text).items;
  assert.equal(items.length, set.nodes.length);
  for (const item of items) {
    const node = set.nodes.find(({ id }) => id === item.id);
    for (const { name, kind, many } of set.fields) {
      const isOne = kind === 'json' && !many && node.values[name].size === 1;
      const given = (isOne ? [item[name]] : [item[name] ?? []].flat()).map((value) => keyOf(kind, value));
      assert.deepEqual(given.sort(), [...node.values[name]].sort(), `${name} of ${item.id}, seed ${seed}`);
    }
  }
}

// A new node may have the value if and only if no node has it.
async function checkUnique(client, set) {
  const field = set.fields.find(({ name }) => name === set.unique);
  for (let n = 0; field && n < 3; n++) {
    const text = KINDS[field.kind].spell();
    const value = json(field.kind, text);
    if (value === undefined || !Number.isSafeInteger(Number(field.kind === 'integer' ? value : 0))) continue;
    const taken = set.nodes.some(({ values }) => values[field.name].has(key(field.kind, text)));
    const id = `${NS}T${set.number}/new${n}`;
    const call = client.callTool({ name: `create_${set.type.toLowerCase()}`,
      arguments: { id, [field.name]: JSON.parse(value) } });
    const about = `${field.name} = ${text} of ${set.type}, seed ${seed}`;
    if (taken) await assert.rejects(call, (error) => (assert.equal(error.data?.fields?.[0].code, 'unique', about), true), about);
    else {
      assert.ok(!(await call).isError, about);
      set.nodes.push({ id, values: { ...Object.fromEntries(set.fields.map(({ name }) => [name, new Set()])), [field.name]: new Set([key(field.kind, text)]) } });
    }
  }
}

// Statements without the graph that they are in.
const bare = (lines) => [...new Set(lines.map((line) => line.replace(/ <[^<> ]*> \.$/, (end) => (line.slice(0, -end.length).split(' ').length > 2 ? ' .' : end))))].sort();
const saidOf = (lines, id) => bare(lines).filter((line) => line.startsWith(`<${id}> `) && !line.includes('#double>')); // jsonld writes doubles anew

// The way of each value into another store, into JSON-LD, and through a handler,
// which reads all that the node has and writes it again: nothing is lost.
async function checkRounds(client, own, app, sets) {
  const before = trails(own, 'export', '--app', app).stdout.trim().split('\n').sort();
  const other = { ...own, TRAILS_STORE: join(app, 'again') };
  mkdirSync(other.TRAILS_STORE);
  for (const format of ['nq', 'trig']) {
    const file = join(app, `again.${format}`);
    writeFileSync(file, trails(own, 'export', '--app', app, '--format', format).stdout);
    const done = trails(other, 'import', '--app', app, '--as-written', file);
    assert.equal(done.status, 0, `${format}: ${done.stderr}, seed ${seed}`);
    assert.deepEqual(trails(other, 'export', '--app', app).stdout.trim().split('\n').sort(), before, `${format}, seed ${seed}`);
  }
  for (const { number, type, nodes } of sets) {
    for (const { id } of nodes) {
      const uri = `trails://kg/${type}/${encodeURIComponent(id)}`;
      const { contents: [{ text }] } = await client.readResource({ uri });
      const quads = (await jsonld.toRDF(JSON.parse(text), { format: 'application/n-quads', safe: false })).trim().split('\n');
      assert.deepEqual(saidOf(quads, id), saidOf(before, id), `JSON-LD of ${id}, seed ${seed}`);
      assert.ok(!(await client.callTool({ name: `again_${number}`, arguments: { id } })).isError, `${id}, seed ${seed}`);
    }
  }
  assert.deepEqual(bare(trails(own, 'export', '--app', app).stdout.trim().split('\n')), bare(before), `through Lua, seed ${seed}`);
}

// As rows: what CSV and NDJSON have no value for is left out, see above.
function checkRows(own, app, sets) {
  const set = sets.find(({ fields }) => !fields.some(({ kind }) => ['number', 'datetime'].includes(kind)));
  if (!set) return;
  const said = (store) => set.nodes.flatMap(({ id }) => saidOf(trails(store, 'export', '--app', app).stdout.trim().split('\n'), id));
  for (const format of ['csv', 'ndjson']) {
    const other = { ...own, TRAILS_STORE: join(app, format) };
    mkdirSync(other.TRAILS_STORE);
    const file = join(app, `rows.${format}`);
    writeFileSync(file, trails(own, 'export', '--app', app, '--type', set.type, '--format', format).stdout);
    const done = trails(other, 'import', '--app', app, '--type', set.type, file);
    assert.equal(done.status, 0, `${format}: ${done.stderr}, seed ${seed}`);
    assert.deepEqual(said(other), said(own), `${format}, seed ${seed}`);
  }
}

async function run(sets, isOld) {
  const app = mkdtempSync(join(folder, 'app-'));
  const own = { ...env, TRAILS_STORE: join(app, 'data') };
  mkdirSync(join(app, 'data'));
  const kept = (isOld ? importBefore : importEach)(own, app, sets);
  const server = await serveWith(own, app);
  const client = new Client({ name: 'spelling', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
  let code;
  try {
    checkExport(own, app, kept);
    for (const set of kept) {
      await checkGet(client, set);
      await checkWhere(client, set);
      await checkUnique(client, set);
      await checkWhere(client, set);
    }
    if (!isOld) await checkRounds(client, own, app, kept);
    if (!isOld) checkRows(own, app, kept);
  } finally {
    await client.close();
    code = await server.stop();
  }
  assert.equal(code, 0, 'the server ends cleanly');
  checkLog(server.log, sets, isOld);
}

const count = scaled(1000);
test(`${count} random datasets in odd spellings, seed ${seed}`, async () => {
  for (let done = 0, group = 0; done < count; done += PER_APP, group++) {
    const sets = Array.from({ length: Math.min(PER_APP, count - done) }, (_, i) => makeDataset(done + i));
    await run(sets, group % 3 === 2);
  }
});
