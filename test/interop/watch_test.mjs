// Who watches: every URI that the lists and templates of an app show can be
// watched, and is told of within the commit that changes it, or is refused; in
// both eras and over both transports. And what is hidden is not told.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { KINDS, connect, v1 } from "../js/clients.mjs";
import { assertVerdicts, env, serveWith } from "../js/server.mjs";

const APP = `
node_type "Thing" { label = "title", fields = { title = text }, tools = { "create", "update", "delete" } }
node_type "Gadget" { extends = "Thing", fields = { size = integer { optional = true } }, tools = { "create", "update", "delete" } }
node_type "Plan" { scope = "builder", fields = { title = text }, tools = { "create", "update", "delete" } }
resource "own://live" { name = "live", run = function() return "x" end }
resource "own://still" { name = "still", updates = false, run = function() return "x" end }
resource_template "own://item/{id}" { name = "item", run = function() return "x" end }
resource_template "own://dead/{id}" { name = "dead", updates = false, run = function() return "x" end }
policy "no" { description = "n", run = function() return false, "no" end }
capability "touch" { description = "t", input = { uri = text }, side_effects = {},
  run = function(ctx, args) ctx:updated(args.uri) return "touched" end }
capability "never" { description = "n", side_effects = {}, policy_required = "no", run = function() return "x" end }
`;

const folder = mkdtempSync(join(tmpdir(), "trails-watch-"));
const own = { ...env, TRAILS_STORE: join(folder, "data"), TRAILS_MCP_SCOPES: "runtime,builder" };
let server;
const tokens = {};

before(async () => {
  writeFileSync(join(folder, "app.lua"), APP);
  writeFileSync(join(folder, "trails.toml"), '[project]\nname = "watched"\n');
  // Servers on stdio have another store: what they do last would be told here later.
  env.TRAILS_STORE = join(folder, "own");
  for (const [name, scopes] of [["ada", "runtime"], ["ben", "runtime"], ["cleo", "runtime,builder"]]) {
    const words = ["token", "create", "--app", folder, "--json", "--scope", scopes, "--name", name];
    tokens[name] = JSON.parse(execFileSync("build/debug/trails", words, { env: own, encoding: "utf8" })).token;
  }
  server = await serveWith(own, folder);
});
after(async () => {
  assert.equal(await server.stop(), 0, "the server ends cleanly");
  assertVerdicts();
  rmSync(folder, { recursive: true });
});

// A client that remembers what it is told, of its own accord or of a principal.
async function open(kind, transport, principal) {
  const where = transport === "http" ? server.url : folder;
  const headers = principal ? { authorization: `Bearer ${tokens[principal]}` } : {};
  const client = await connect(kind, where, headers);
  const heard = [];
  let wake = () => {};
  const hear = ({ params }) => {
    heard.push(params.uri);
    wake();
  };
  if (kind.sdk === v1) client.setNotificationHandler(v1.ResourceUpdatedNotificationSchema, hear);
  else client.setNotificationHandler("notifications/resources/updated", hear);
  const watch = (uri) =>
    kind.isModern ? client.listen({ resourceSubscriptions: [uri] }) : client.subscribeResource({ uri });
  const call = async (name, args = {}) => client.callTool({ name, arguments: args });
  const hears = async (uri) => {
    while (!heard.includes(uri)) await new Promise((resolve) => { wake = resolve; });
  };
  // What was to be told before this has been told.
  const settle = async () => {
    await watch("own://live");
    await call("touch", { uri: "own://live" });
    await hears("own://live");
  };
  return { client, heard, watch, call, hears, settle };
}

const idOf = (result) => JSON.parse(result.content[0].text).id;
const made = async ({ call }, name, args) => idOf(await call(name, args));

// What nobody tells of; all else that is shown must be told of.
const REFUSED = [/^trails:\/\/(doctor|schema)$/, /^trails:\/\/shape\//, /^trails:\/\/prov(\?.*)?$/,
  /^trails:\/\/prov\/(?!latest)/, /^trails:\/\/kg\/.*\?/, /^own:\/\/(still|dead)/];

// Every URI that is shown; the ids of instances are those of a Gadget.
async function shown(client, id, activity) {
  const end = id.split("/").at(-1);
  const uris = (await client.listResources()).resources.map(({ uri }) => uri);
  for (const { uriTemplate } of (await client.listResourceTemplates()).resourceTemplates) {
    if (/^trails:\/\/kg\/.*\{id\}/.test(uriTemplate)) {
      uris.push(uriTemplate.replace("{id}", end));
      if (!uriTemplate.includes("Gadget")) uris.push(uriTemplate.replace("{id}", encodeURIComponent(id)));
    } else if (uriTemplate.startsWith("trails://prov/")) uris.push(activity);
    else uris.push(uriTemplate.replace(/\{\?.*/, "?limit=1").replace("{name}", "Thing").replace("{id}", "7"));
  }
  return uris.filter((uri) => !uri.includes("/Plan"));
}

for (const kind of KINDS) {
  for (const transport of ["http", "stdio"]) {
    test(`${kind.kind}, ${transport}: what is shown is told of, or cannot be watched`, async () => {
      const it = await open(kind, transport, transport === "http" ? "ada" : undefined);
      const first = await it.call("create_gadget", { title: "watched" });
      const id = idOf(first);
      const uris = await shown(it.client, id, first._meta["dev.trails/provenance"]);
      for (const part of ["kg/types", "stats", "prov/latest", "own://item/", "doctor", "/Thing/", "shape/", "prov?"])
        assert.ok(uris.some((uri) => uri.includes(part)), `${part} is among ${uris}`);
      for (const uri of uris) {
        if (REFUSED.some((pattern) => pattern.test(uri))) {
          await assert.rejects(it.watch(uri), (error) => {
            assert.equal(error.code, -32602, uri);
            assert.match(error.message, /nothing is told of this URI|a filter cannot be watched/, uri);
            return true;
          });
          continue;
        }
        await it.watch(uri);
        it.heard.length = 0;
        if (uri.startsWith("own:")) await it.call("touch", { uri });
        else await it.call("update_gadget", { id, title: `of ${uri}`.slice(0, 60) });
        await it.hears(uri);
      }
      for (const uri of ["own://nothing", "trails://kg/Nothing", "nothing:at-all", "own://item/1\n2"])
        await assert.rejects(it.watch(uri), { code: -32602 }, uri);
      await it.call("delete_gadget", { id });
      await it.client.close();
    });
  }
}

for (const kind of KINDS) {
  test(`${kind.kind}: who reads on each notification is not told of its own reads`, async () => {
    const it = await open(kind, "http", "ada");
    for (const uri of ["trails://prov/latest", "trails://stats", "trails://kg/types"]) await it.watch(uri);
    await it.call("create_thing", { title: "once" });
    for (const uri of ["trails://prov/latest", "trails://stats", "trails://kg/types"]) {
      await it.hears(uri);
      for (let i = 0; i < 3; i++) await it.client.readResource({ uri });
    }
    await it.settle();
    assert.deepEqual([...it.heard].sort(), ["own://live", "trails://kg/types", "trails://prov/latest", "trails://stats"]);
    it.heard.length = 0;
    await assert.rejects(it.call("never"), "what is denied is told");
    await it.hears("trails://prov/latest");
    assert.deepEqual(it.heard, ["trails://prov/latest"]);
    await it.client.close();
  });

  test(`${kind.kind}: activities are told to who did them, and counts to who sees the type`, async () => {
    const [ada, ben, cleo] = await Promise.all(["ada", "ben", "cleo"].map((name) => open(kind, "http", name)));
    for (const each of [ada, ben, cleo])
      for (const uri of ["trails://prov/latest", "trails://kg/types"]) await each.watch(uri);
    await ben.call("create_thing", { title: "by ben" });
    await ben.hears("trails://prov/latest");
    for (const each of [ada, ben, cleo]) await each.hears("trails://kg/types");
    for (const each of [ada, cleo]) {
      await each.settle();
      assert.ok(!each.heard.includes("trails://prov/latest"), "what ben did is ben's");
    }
    for (const each of [ada, ben, cleo]) each.heard.length = 0;
    const id = await made(cleo, "create_plan", { title: "secret" });
    await cleo.hears("trails://kg/types");
    await ada.settle();
    assert.ok(!ada.heard.includes("trails://kg/types"), "who does not see the type is not told");
    await cleo.call("delete_plan", { id });
    for (const each of [ada, ben, cleo]) await each.client.close();
  });
}
