// Objects and lists, as clients see them: who watches, and provenance, are told of
// the owner and of no part, also of what an import changes; they can be asked for,
// and are described.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { KINDS, connect, v1 } from '../js/clients.mjs';
import { assertVerdicts, env, serveWith } from '../js/server.mjs';

const APP = `
local address = { { "street", text }, { "city", text { min_length = 2 } },
  { "at", object "Point" { optional = true, fields = { lat = number } } },
  { "notes", text { list = true, optional = true } } }
node_type "Shop" { ids = "preserve", label = "name", fields = {
  { "name", text { unique = true } },
  { "home", object "Address" { optional = true, fields = address } },
  { "depots", object "Address" { many = true, optional = true, fields = address } },
  { "route", text { list = true, optional = true } },
  { "tags", text { many = true, optional = true } },
}, tools = { "create", "update", "delete", "find" } }
node_type "Stand" { extends = "Shop", ids = "uuid", fields = {} }
capability "say" { description = "s", input = { city = text },
  run = function(ctx, args)
    local A = "trails://parts/Address#"
    local home = "trails://parts/Shop/a#home"
    for _, q in ipairs(ctx.kg:quads { subject = home, predicate = A .. "city" }) do
      ctx.kg:remove(home, A .. "city", q.object.value or q.object)
    end
    ctx.kg:add(home, A .. "city", args.city)
    return "said"
  end }
capability "put" { description = "p", input = { name = text, city = text },
  run = function(ctx, args)
    return ctx.kg:upsert("Stand", { name = args.name, home = { street = "s", city = args.city },
      route = { "b", "a", "b" } }, { by = "name" })
  end }
resource "own://live" { name = "live", run = function() return "x" end }
capability "touch" { description = "t", side_effects = {}, run = function(ctx) ctx:updated("own://live") return "x" end }
`;
const HOME = 'trails://parts/Shop/';
const KG = 'trails://kg/Shop';
const OWNER = [KG, `${KG}/a`];
const ULM = { street: 'Main', city: 'Ulm', at: { lat: 1 }, notes: ['b', 'a', 'b'] };

const folder = mkdtempSync(join(tmpdir(), 'trails-parts-'));
const own = { ...env, TRAILS_STORE: join(folder, 'data') };
const trails = (...words) => execFileSync('build/debug/trails', [...words, '--app', folder], { env: own, encoding: 'utf8' });
let server;

before(async () => {
  writeFileSync(join(folder, 'app.lua'), APP);
  writeFileSync(join(folder, 'trails.toml'), '[project]\nname = "parts"\n');
  server = await serveWith(own, folder);
});
after(async () => {
  assert.equal(await server.stop(), 0, 'the server ends cleanly');
  assertVerdicts();
  rmSync(folder, { recursive: true });
});

// A client that remembers what it is told.
async function open(kind) {
  const client = await connect(kind, server.url);
  const heard = [];
  let wake = () => {};
  const hear = ({ params }) => {
    heard.push(params.uri);
    wake();
  };
  if (kind.sdk === v1) client.setNotificationHandler(v1.ResourceUpdatedNotificationSchema, hear);
  else client.setNotificationHandler('notifications/resources/updated', hear);
  const watch = (uri) => (kind.isModern ? client.listen({ resourceSubscriptions: [uri] }) : client.subscribeResource({ uri }));
  const call = async (name, args = {}) => {
    const result = await client.callTool({ name, arguments: args });
    assert.ok(!result.isError, JSON.stringify(result.content));
    return result;
  };
  const hears = async (uri) => {
    while (!heard.includes(uri)) await new Promise((resolve) => { wake = resolve; });
  };
  // Which URIs a change is told of, the owner's among them; each may have a stream
  // of its own, so that there is no order between them.
  const toldOf = async (change) => {
    heard.length = 0;
    const result = await change();
    for (const uri of OWNER) await hears(uri);
    await call('touch');
    await hears('own://live');
    return { result, told: [...new Set(heard)].filter((uri) => uri !== 'own://live').sort() };
  };
  const read = async (uri) => JSON.parse((await client.readResource({ uri })).contents[0].text);
  return { client, watch, call, toldOf, read };
}

const items = (result) => JSON.parse(result.content[0].text).items.map(({ name }) => name).sort();
const IDS = ['a', 'a%23home', 'a%23home.at', 'a%23depots.1'].map((end) => `${KG}/${end}`);

async function watchAll(it) {
  for (const uri of [KG, `${KG}/a`, 'own://live']) await it.watch(uri);
  for (const uri of [...IDS.slice(1), `${HOME}a#home`]) await it.watch(uri).catch(() => {});
}

for (const kind of KINDS) {
  test(`${kind.kind}: a change in an object or a list is told of its owner, and of no part`, async () => {
    const it = await open(kind);
    await it.call('create_shop', { id: `${HOME}a`, name: 'A', home: ULM, depots: [ULM], route: ['x', 'y'] });
    await watchAll(it);
    for (const change of [
      () => it.call('say', { city: 'Bonn' }),
      () => it.call('update_shop', { id: 'a', home: { ...ULM, at: { lat: 2 } } }),
      () => it.call('update_shop', { id: 'a', home: { ...ULM, notes: ['c'] } }),
      () => it.call('update_shop', { id: 'a', route: ['y', 'x', 'y'] }),
      () => it.call('update_shop', { id: 'a', depots: [] }),
      () => it.call('update_shop', { id: 'a', clear: ['home'] }),
    ]) {
      const { result, told } = await it.toldOf(change);
      assert.deepEqual(told, OWNER);
      const activity = await it.read(result._meta['dev.trails/provenance']);
      assert.deepEqual([activity.generated, activity.invalidated], [[`${HOME}a`], []]);
      assert.ok(!activity.used.some((uri) => /#|genid/.test(uri)), activity.used);
    }
    const { told } = await it.toldOf(() => it.call('delete_shop', { id: 'a' }));
    assert.deepEqual(told, OWNER);
    await it.client.close();
  });

  test(`${kind.kind}: what an import changes, replaces and deletes is told, too`, async () => {
    const it = await open(kind);
    const file = join(folder, 'shops.ndjson');
    const load = (rows, ...more) => async () => {
      writeFileSync(file, rows.map((row) => JSON.stringify(row)).join('\n'));
      trails('import', '--type', 'Shop', ...more, file);
    };
    await watchAll(it);
    const a = { id: `${HOME}a`, name: 'A', home: ULM, route: ['x'] };
    const b = { id: `${HOME}b`, name: 'B' };
    for (const change of [
      load([a, b]),
      load([{ ...a, home: { ...ULM, at: { lat: 5 } } }, b], '--replace'),
      load([{ ...a, route: ['x', 'x'] }, b], '--replace'),
      load([b], '--replace', '--delete-missing'),
    ]) assert.deepEqual((await it.toldOf(change)).told, OWNER);
    await it.call('delete_shop', { id: 'b' });
    await it.client.close();
  });

  test(`${kind.kind}: objects and lists are asked for by their being there`, async () => {
    const it = await open(kind);
    await it.call('create_shop', { name: 'full', id: 'full', home: ULM, depots: [ULM], route: ['x'], tags: ['t'] });
    await it.call('create_shop', { name: 'bare', id: 'bare' });
    for (const field of ['home', 'depots', 'route', 'tags']) {
      for (const [filter, wanted] of [['present', 'full'], ['absent', 'bare']]) {
        const found = await it.call('find_shop', { filter: { [field]: { [filter]: true } } });
        assert.deepEqual(items(found), [wanted], `${field} ${filter}`);
      }
    }
    for (const wrong of [{ home: { min: 1 } }, { route: { prefix: 'x' } }, { 'home.city': { prefix: 'U' } }, { home: { has: 'x' } }]) {
      const outcome = await it.client.callTool({ name: 'find_shop', arguments: { filter: wrong } }).catch((error) => error);
      assert.ok(outcome instanceof Error || outcome.isError, `${JSON.stringify(wrong)}: ${JSON.stringify(outcome)}`);
    }
    for (const id of ['full', 'bare']) await it.call('delete_shop', { id });
    await it.client.close();
  });

  test(`${kind.kind}: upsert writes objects and lists, and the same again changes nothing`, async () => {
    const it = await open(kind);
    const put = async (city) => {
      await it.call('put', { name: 'up', city });
      return JSON.parse((await it.call('find_shop', { name: 'up' })).content[0].text).items[0];
    };
    const made = await put('Ulm');
    assert.deepEqual([made.home, made.route], [{ street: 's', city: 'Ulm', notes: [] }, ['b', 'a', 'b']]);
    assert.equal((await put('Ulm'))._version, made._version);
    const changed = await put('Bonn');
    assert.deepEqual([changed.home.city, changed._version, changed.id], ['Bonn', made._version + 1, made.id]);
    await it.call('delete_shop', { id: made.id });
    await it.client.close();
  });

  test(`${kind.kind}: the schema describes what is in an object, and the doctor finds nothing`, async () => {
    const it = await open(kind);
    await it.call('create_shop', { name: 'full', id: 'full', home: ULM, depots: [ULM], route: ['x'] });
    const { fields } = (await it.read('trails://schema')).node_types.Shop;
    assert.deepEqual(Object.keys(fields.home.fields), ['street', 'city', 'at', 'notes']);
    assert.equal(fields.home.fields.city.constraints.min_length, 2);
    assert.equal(fields.home.fields.city.required, true);
    assert.deepEqual(Object.keys(fields.home.fields.at.fields), ['lat']);
    assert.equal(fields.home.fields.notes.list, true);
    assert.equal(fields.depots.many, true);
    assert.equal(fields.route.list, true);
    const doctor = await it.read('trails://doctor');
    assert.ok(!JSON.stringify(doctor).match(/#home|#depots|genid|Address|Point/), JSON.stringify(doctor));
    const types = await it.read('trails://kg/types');
    assert.ok(!JSON.stringify(types).match(/Address|Point/), JSON.stringify(types));
    await it.call('delete_shop', { id: 'full' });
    await it.client.close();
  });
}
