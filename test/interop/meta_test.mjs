// The meta-capabilities, each called by the official clients in both eras, over
// stdio and HTTP: what they give, what they refuse, what is on record of them, and
// where they are not to be found. Who may is in access_test.mjs and adr60_test.mjs.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { KINDS, connect, failure } from "../js/clients.mjs";
import { METAS, idOf, metaNames } from "../js/metas.mjs";
import { assertVerdicts, env, serveWith } from "../js/server.mjs";

const TOKEN = "meta-meta-meta-meta-meta-meta-meta-meta-meta";
const headers = { Authorization: `Bearer ${TOKEN}` };
const folder = mkdtempSync(join(tmpdir(), "trails-meta-"));
const guarded = {
  ...env, TRAILS_STORE: join(folder, "data"), TRAILS_MCP_SCOPES: "runtime,builder,dev", TRAILS_MCP_TOKEN: TOKEN,
  TRAILS_TOKEN: TOKEN,
};

const APP = `
node_type "Task" {
  description = "Something to do.",
  fields = {
    { "title", text { min_length = 3, max_length = 60, unique = true } },
    { "size", integer { min_value = 1, optional = true } },
  },
  tools = { "create", "find" },
}
node_type "Bug" { extends = "Task", fields = {} }
capability "store" {
  description = "Writes what no shape allows.", side_effects = { graph_writes = { "default" } },
  run = function(ctx) return "x" end,
}
prompt "hail" { description = "h", arguments = { who = text }, run = function(_, args) return args.who end }
`;

// Every test has an app of its own, and a server for it.
let count = 0;
function makeApp(settings = "") {
  const app = join(folder, `app${++count}`);
  mkdirSync(join(app, "lib"), { recursive: true });
  writeFileSync(join(app, "app.lua"), APP);
  writeFileSync(join(app, "lib", "money.lua"), "return { cents = 100 }\n");
  writeFileSync(join(app, "trails.toml"), `[project]\nname = "meta-test"\n[server]\nthreads = 2\n${settings}`);
  return { app, own: { ...guarded, TRAILS_STORE: join(folder, `data${count}`) } };
}

after(() => {
  assertVerdicts();
  rmSync(folder, { recursive: true });
});

const sha256 = (text) => createHash("sha256").update(text).digest("hex");

// What a call says, as data: the text, which the structured content agrees with.
async function say(client, id, args = {}) {
  const result = await client.callTool({ name: `trails_meta_${id.replaceAll(".", "_")}`, arguments: args });
  assert.ok(!result.isError, JSON.stringify(result));
  const data = JSON.parse(result.content[0].text);
  if (result.structuredContent) assert.deepEqual(result.structuredContent, data);
  return data;
}

// One test for each client and transport, each on a server of its own.
function everywhere(name, run, settings) {
  for (const kind of KINDS) {
    for (const transport of ["http", "stdio"]) {
      test(`${name} (${kind.kind}, ${transport})`, { timeout: 60000 }, async () => {
        const { app, own } = makeApp(settings);
        const server = transport === "http" ? await serveWith(own, app) : undefined;
        const client = await connect(kind, server?.url ?? app, headers, own);
        await run({ client, kind, app, own, call: (id, args) => say(client, id, args),
          refused: async (id, args) => failure(say(client, id, args)) });
        await client.close();
        if (server) assert.equal(await server.stop(), 0);
      });
    }
  }
}

test("names lead to ids and back, with no underscore in any segment", () => {
  const names = METAS.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  for (const name of names) {
    const id = idOf(name);
    assert.match(id, /^trails\.meta(\.[a-z][a-z0-9-]*)+$/);
    assert.equal(id.replaceAll(".", "_"), name);
  }
  for (const id of ["ping", "schema.types", "schema.describe", "gen.app", "gen.node-type", "gen.shape", "gen.capability",
    "gen.resource", "gen.prompt", "gen.policy", "data.validate", "data.import", "app.source", "app.edit", "app.check",
    "app.reload", "doctor.run"]) {
    assert.ok(names.includes(`trails_meta_${id.replaceAll(".", "_")}`), id);
  }
});

test("scopes are as they were decided: ping runtime, gen and app dev, the rest builder", () => {
  for (const { name, trails: { scope, namespace } } of METAS) {
    const wanted = { meta: "runtime", gen: "dev", app: "dev" }[namespace] ?? "builder";
    assert.equal(scope, wanted, name);
  }
});

test("an app cannot have what is reserved, however its names are spelled on MCP", () => {
  for (const id of ["trails.meta.mine", "trails_meta_mine", "trails.meta_mine", "trails_meta.mine", "trails.meta.ping"]) {
    const { app } = makeApp();
    writeFileSync(join(app, "app.lua"), `capability "${id}" { description = "d", run = function() end }\n`);
    const { status, stderr } = spawnSync("build/debug/trails", ["check", app], { encoding: "utf8" });
    assert.equal(status, 1, id);
    assert.match(stderr, /are reserved/);
  }
});

everywhere("ping, the schema and the doctor say what there is", async ({ client, call, refused }) => {
  const { tools } = await client.listTools();
  const { version, ...ping } = await call("ping");
  assert.match(version, /^\d+\.\d+\.\d+/);
  assert.deepEqual(ping, { pong: true, env: "development", scopes: ["builder", "dev", "runtime"] });
  const { types } = await call("schema.types");
  assert.deepEqual(types.map(({ name, extends: up, fields, instances }) => [name, up, fields, instances]),
    [["Task", undefined, 2, 0], ["Bug", "Task", 2, 0]]);
  assert.match(types[0].where, /app\.lua:2$/);
  const task = await call("schema.describe", { type: "Task" });
  assert.deepEqual(Object.keys(task.fields), ["title", "size"]);
  assert.deepEqual(task.fields.title.constraints, { min_length: 3, max_length: 60, unique: true });
  assert.deepEqual(task.tools, tools.map(({ name }) => name).filter((name) => /_task$/.test(name)));
  const error = await refused("schema.describe", { type: "Taks" });
  assert.equal(error.code, -32602);
  assert.equal(error.data.fields[0].field, "type");
  assert.match(error.data.fields[0].message, /did you mean 'Task'/);
  const shown = JSON.parse((await client.readResource({ uri: "trails://doctor" })).contents[0].text);
  const ids = ({ checks }) => checks.map(({ id, status }) => [id, status]);
  assert.deepEqual(ids(await call("doctor.run")), ids(shown), "what trails://doctor shows");
});

everywhere("data comes in whole or not at all, and is validated", async ({ client, call, refused }) => {
  const rows = [{ title: "Write it" }, { title: "Test it", size: 2 }];
  const dry = await call("data.import", { type: "Task", rows, dry_run: true });
  assert.deepEqual(dry, { rows: 2, created: 2, changed: 0, same: 0, bad: 0, dry_run: true });
  assert.equal((await call("schema.types")).types[0].instances, 0, "nothing was written");
  assert.equal((await call("data.import", { type: "Task", rows })).created, 2);
  assert.equal((await call("schema.types")).types[0].instances, 2);
  const wrong = await refused("data.import", { type: "Task", rows: [{ title: "Good one" }, { title: "x", size: 0, y: 1 }] });
  assert.equal(wrong.code, -32602);
  assert.deepEqual([...new Set(wrong.data.fields.map(({ field }) => field))], ["rows[1]"]);
  assert.match(wrong.message, /^.*validation failed on 1 field\(s\): rows\[1\]: /);
  assert.equal((await call("schema.types")).types[0].instances, 2, "nor was the good one");
  const csv = { type: "Task", text: "title,size\nShip it,3\nx,1\n", format: "csv" };
  const [at] = (await refused("data.import", csv)).data.fields;
  assert.deepEqual([at.field, at.line], ["text:3:1", 3]);
  const some = await call("data.import", { ...csv, skip_bad: true });
  assert.deepEqual([some.created, some.bad, some.mistakes.length], [1, 1, 1]);
  const ttl = '<trails://meta-test/Task/t> a <trails://meta-test/Task> ; <trails://meta-test/Task#title> "By RDF" .';
  const rdf = await call("data.import", { text: ttl, format: "ttl" });
  assert.deepEqual([rdf.statements, rdf.added, rdf.nodes], [2, 2, 1]);
  const shaped = await refused("data.import", { text: ttl.replace("By RDF", "x"), format: "ttl" });
  assert.deepEqual(shaped.data.fields.map(({ node, field }) => [node, field]), Array(shaped.data.fields.length).fill(
    ["trails://meta-test/Task/t", "title"]));
  const broken = await refused("data.import", { text: "<a", format: "ttl" });
  assert.equal(broken.data.fields[0].code, "syntax");
  const prov = await refused("data.import", { text: "<urn:a> <urn:b> <urn:c> <trails://meta-test/prov> .", format: "nq" });
  assert.match(prov.message, /provenance/);
  for (const [args, field] of [
    [{}, "rows"], [{ rows: [], text: "", type: "Task" }, "rows"], [{ rows: {}, type: "Task" }, "rows"],
    [{ rows: [] }, "type"], [{ rows: [], type: "Tusk" }, "type"], [{ text: "a" }, "format"],
    [{ rows: [], type: "Task", format: "csv" }, "format"], [{ text: ttl, format: "ttl", type: "Task" }, "type"],
    [{ text: ttl, format: "ttl", replace: true }, "replace"], [{ rows: [], type: "Task", graph: "urn:g" }, "graph"],
    [{ text: "a".repeat((1 << 20) + 1), format: "csv", type: "Task" }, "text"],
  ]) {
    const error = await refused("data.import", args);
    assert.equal(error.code, -32602, JSON.stringify(args).slice(0, 80));
    assert.equal(error.data.fields[0].field, field);
  }
  assert.deepEqual(await call("data.validate"), { conforms: true, count: 0, results: [] });
  const seen = JSON.parse((await client.readResource({ uri: "trails://kg/Task" })).contents[0].text);
  assert.equal(seen.length, 4, "resources have what was imported");
});

test("a report has as many results as it may, and counts all", { timeout: 60000 }, async () => {
  const { app, own } = makeApp();
  const lax = APP.replace("min_length = 3, ", "");
  writeFileSync(join(app, "app.lua"), lax);
  const lines = Array.from({ length: 12 }, (_, i) => `<trails://meta-test/Task/${i}> a <trails://meta-test/Task> ; ` +
    `<trails://meta-test/Task#title> "${String.fromCharCode(97 + i)}" .`);
  writeFileSync(join(app, "data.ttl"), lines.join("\n"));
  execFileSync("build/debug/trails", ["import", "--app", app, join(app, "data.ttl")], { env: own });
  writeFileSync(join(app, "app.lua"), APP);
  const server = await serveWith(own, app);
  const client = await connect(KINDS[0], server.url, headers);
  const report = await say(client, "data.validate", { limit: 5 });
  assert.deepEqual([report.conforms, report.count, report.results.length], [false, 12, 5]);
  assert.equal(report.results[0].code, "min_length");
  const all = await say(client, "data.validate");
  assert.equal(all.results.length, 12);
  await client.close();
  assert.equal(await server.stop(), 0);
});

everywhere("app.check says what is wrong with a text, and where, and changes nothing", async ({ client, call, refused, app }) => {
  const before_ = readFileSync(join(app, "app.lua"), "utf8");
  const well = await call("app.check");
  assert.deepEqual(well, { ok: true, findings: [], types: 2, capabilities: 3, resources: 0, resource_templates: 0, prompts: 1 });
  const wrong = await call("app.check", { text: `${APP}\ncapability "late" {\n  description = 7 }\n` });
  assert.equal(wrong.ok, false);
  const [{ severity, file, line, message }] = wrong.findings;
  assert.deepEqual([severity, file], ["error", "app.lua"]);
  assert.ok(line >= 16, String(line));
  assert.match(message, /late/);
  const both = [{ path: "lib/money.lua", text: "return { cents = 1 +" }, { path: "app.lua", text: 'require "lib.money"' }];
  const [module] = (await call("app.check", { files: both })).findings;
  assert.deepEqual([module.file, module.line], ["lib/money.lua", 1]);
  const fresh = [{ path: "lib/new.lua", text: "return 1" }, { path: "app.lua", text: 'require "lib.new"' }];
  assert.equal((await call("app.check", { files: fresh })).ok, true, "a file that is not there yet");
  const toml = await call("app.check", { path: "trails.toml", text: "[project]\nname = 3\n" });
  assert.deepEqual([toml.findings[0].file, toml.findings[0].line], ["trails.toml", 2]);
  const names = (await client.listTools()).tools.map(({ name }) => name);
  const more = await call("app.check", { text: `${APP}\ncapability "more" { description = "d", run = function() end }` });
  assert.equal(more.capabilities, 4);
  assert.deepEqual((await client.listTools()).tools.map(({ name }) => name), names, "nobody else sees it");
  assert.equal(readFileSync(join(app, "app.lua"), "utf8"), before_);
  for (const path of ["../x.lua", "/etc/passwd", "lib/../../x.lua", "a\0b", ".hidden", "data/store.db"]) {
    const error = await refused("app.check", { path, text: "" });
    assert.equal(error.code, -32602, path);
    assert.equal(error.data.fields[0].field, "path");
  }
  const many = Array.from({ length: 17 }, (_, i) => ({ path: `lib/m${i}.lua`, text: "return 1" }));
  for (const files of [{}, [{ path: "app.lua" }], many]) {
    assert.equal((await refused("app.check", { files })).code, -32602);
  }
});

everywhere("a generator only tells, unless it is to apply; app.edit sees who was first", async ({ client, call, refused, app }) => {
  const path = join(app, "app.lua");
  const note = { name: "Note", fields: [{ name: "body", kind: "text" }], tools: ["create"] };
  const told = await call("gen.node-type", note);
  const [diff] = told.files;
  assert.deepEqual([told.applied, diff.path, diff.op, diff.before_sha256], [false, "app.lua", "modify", sha256(APP)]);
  assert.equal(readFileSync(path, "utf8"), APP);
  assert.equal((await call("gen.node-type", { ...note, apply: true })).applied, true);
  assert.equal(readFileSync(path, "utf8"), diff.after);
  assert.equal((await call("app.reload")).ok, true);
  assert.ok((await client.listTools()).tools.some(({ name }) => name === "create_note"));
  const { files } = await call("app.source");
  assert.deepEqual(files.map((file) => file.path).sort(), ["app.lua", "lib/money.lua", "trails.toml"]);
  assert.equal(files.find((file) => file.path === "app.lua").sha256, sha256(diff.after));
  const edit = { path: "app.lua", text: `${diff.after}\n-- more\n`, before_sha256: sha256(APP), apply: true };
  assert.equal((await refused("app.edit", edit)).code, -32602, "somebody was first");
  assert.equal(readFileSync(path, "utf8"), diff.after);
  await call("app.edit", { ...edit, before_sha256: sha256(diff.after) });
  assert.equal(readFileSync(path, "utf8"), edit.text);
  writeFileSync(path, "capability 3");
  const broken = await call("app.reload");
  assert.deepEqual([broken.ok, broken.findings[0].file, broken.findings[0].line], [false, "app.lua", 1]);
  assert.ok((await client.listTools()).tools.some(({ name }) => name === "create_note"), "the old one goes on");
  const { checks } = await call("doctor.run");
  assert.ok(checks.some(({ status, message }) => status === "warn" && /app\.lua:1/.test(message)), "the doctor knows");
});

// Provenance ------------------------------------------------------------------

everywhere("every call is a trails:MetaActivity, with its scope and what it has made", async ({ client, app, own }) => {
  const args = {
    trails_meta_schema_describe: { type: "Task" },
    trails_meta_data_import: { type: "Task", rows: [{ title: "Recorded" }] },
    "trails_meta_gen_node-type": { name: "Kept", fields: [{ name: "a", kind: "text" }], apply: true },
    trails_meta_gen_shape: { name: "Rule", target: "Task", fields: [{ name: "size", kind: "integer" }] },
    trails_meta_app_edit: { path: "lib/money.lua", text: "return {}\n" },
  };
  const told = [];
  for (const { name, trails } of METAS) {
    let meta;
    let code = 0;
    try {
      meta = (await client.callTool({ name, arguments: args[name] ?? {} }))._meta;
    } catch (error) {
      code = error.code;
    }
    const id = meta?.["dev.trails/provenance"];
    assert.ok(id || code, name);
    told.push({ name, trails, id, code });
  }
  // What only reads is written within 100 ms.
  let list = [];
  while (list.filter(({ kind }) => kind === "meta").length < told.length) {
    list = JSON.parse((await client.readResource({ uri: "trails://prov?limit=500" })).contents[0].text).activities;
  }
  for (const { name, trails, id, code } of told) {
    const found = list.filter((activity) => activity.name === idOf(name));
    const activity = id ? found.find((one) => one.id === id) : found[0];
    assert.ok(activity, `${name} ${code}`);
    assert.deepEqual([activity.kind, activity.scope, activity.outcome],
      ["meta", trails.scope, code ? "refused" : "ok"], name);
  }
  const of = (name) => list.find((activity) => activity.name === `trails.meta.${name}`);
  const text = readFileSync(join(app, "app.lua"), "utf8");
  assert.deepEqual(of("gen.node-type").files.map(({ path, sha256: hash }) => [path, hash]), [["app.lua", sha256(text)]]);
  assert.equal(of("gen.node-type").wrote, true, "what has changed files is kept as what has changed the graph");
  assert.equal(of("gen.shape").wrote, false);
  assert.equal(of("gen.shape").files.length, 1, "what it would have made");
  assert.equal(of("app.edit").files[0].sha256, sha256("return {}\n"));
  assert.deepEqual([of("data.import").wrote, of("data.import").left_out.generated], [true, 1]);
  assert.deepEqual(of("ping").files, []);
  const quads = execFileSync("build/debug/trails", ["export", "--app", app, "--prov", "--format", "nq"],
    { env: own, encoding: "utf8" });
  const iri = of("gen.shape").id;
  const file = of("gen.shape").files[0];
  for (const triple of [
    `<${iri}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <trails://meta/MetaActivity>`,
    `<${iri}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/ns/prov#Activity>`,
    "<trails://meta/MetaActivity> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://www.w3.org/ns/prov#Activity>",
    `<${iri}> <trails://meta/scope> "dev"`,
    `<${iri}> <trails://meta/op> "trails.meta.gen.shape"`,
    `<${iri}> <http://www.w3.org/ns/prov#generated> <${file.id}>`,
    `<${file.id}> <trails://meta/sha256> "${file.sha256}"`,
  ]) assert.ok(quads.includes(triple), triple);
});

// Budgets, keys, and doors that have none of it ---------------------------------

everywhere("a budget holds for a meta-capability", async ({ call, refused, kind }) => {
  await call("ping");
  await call("ping");
  const error = await refused("ping");
  assert.equal(error.code, kind.isModern ? -31003 : -32003);
  assert.equal(error.data.capability, "trails.meta.ping");
}, "[budget]\ncapability = ['trails.meta.ping 2 calls/day']\n");

everywhere("an idempotency key holds for one that may be repeated", async ({ client, call }) => {
  const again = { _meta: { "dev.trails/idempotency_key": "once" } };
  const ask = (params) => client.callTool({ name: "trails_meta_schema_types", arguments: {}, ...params });
  const first = JSON.parse((await ask(again)).content[0].text);
  await call("data.import", { type: "Task", rows: [{ title: "Later" }] });
  assert.deepEqual(JSON.parse((await ask(again)).content[0].text), first, "the kept result");
  assert.equal(JSON.parse((await ask({})).content[0].text).types[0].instances, 1);
});

test("in production nobody has dev, and ping says where it is", { timeout: 60000 }, async () => {
  const { app, own } = makeApp();
  const there = { ...own, TRAILS_ENV: "production" };
  const server = await serveWith(there, app);
  for (const kind of KINDS) {
    for (const where of [server.url, app]) {
      const client = await connect(kind, where, headers, there);
      const seen = (await client.listTools()).tools.map(({ name }) => name).filter((name) => name.startsWith("trails_meta_"));
      assert.deepEqual(seen.sort(), [...metaNames("runtime"), ...metaNames("builder")].sort());
      assert.deepEqual(await say(client, "ping").then(({ env: at, scopes }) => [at, scopes]),
        ["production", ["builder", "runtime"]]);
      for (const name of metaNames("dev")) {
        const error = await failure(client.callTool({ name, arguments: {} }));
        assert.equal(error.code, kind.isModern ? -31004 : -32004, name);
        assert.equal(error.data.required_scope, "dev");
      }
      await client.close();
    }
  }
  assert.equal(await server.stop(), 0);
});

test("no view of the app has them, and no plain door: they are reached over MCP", { timeout: 60000 }, async () => {
  const { app, own } = makeApp('[mcp]\ntool_names = "portable"\n');
  const server = await serveWith(own, app);
  const base = new URL("/", server.url);
  for (const path of ["capabilities", ".well-known/capabilities", "openapi.json", ".well-known/wot", "meta-test/card"]) {
    const answer = await fetch(new URL(path, base), { headers });
    assert.equal(answer.status, 200, path);
    assert.doesNotMatch(await answer.text(), /trails[._]meta[._]|"trails:?meta/, path);
  }
  for (const name of METAS.flatMap(({ name: tool }) => [tool, idOf(tool)])) {
    const answer = await fetch(new URL(`invoke/${name}`, base), {
      method: "POST", headers: { ...headers, "content-type": "application/json" }, body: "{}",
    });
    assert.equal(answer.status, 404, name);
  }
  const client = await connect(KINDS[0], server.url, headers);
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map(({ name }) => name).filter((name) => name.startsWith("trails_meta_")).sort(), metaNames().sort(),
    "their names are the same however ids are spelled");
  assert.equal(JSON.parse((await client.callTool({ name: "trails.meta.ping", arguments: {} })).content[0].text).pong, true);
  await client.close();
  assert.equal(await server.stop(), 0);
});

test("a handler of the app cannot invoke them", { timeout: 60000 }, async () => {
  const { app, own } = makeApp();
  writeFileSync(join(app, "app.lua"), `capability "reach" { description = "d",
    run = function(ctx) return ctx:invoke("trails.meta.ping", {}) end }`);
  const { stderr, status } = spawnSync("build/debug/trails", ["call", "reach", "--app", app], { env: own, encoding: "utf8" });
  assert.equal(status, 1);
  assert.match(stderr, /no capability 'trails\.meta\.ping'/);
});

test("the command line calls them, and lists them by scope", () => {
  const { app, own } = makeApp();
  const run = (...words) => execFileSync("build/debug/trails", [...words, "--app", app], { env: own, encoding: "utf8" });
  assert.equal(JSON.parse(run("call", "trails.meta.ping")).pong, true);
  for (const scope of ["runtime", "builder", "dev"]) {
    const { tools } = JSON.parse(run("capabilities", "--as", "mcp", "--scopes", scope));
    assert.deepEqual(tools.filter(({ trails }) => trails.kind === "meta").map(({ name }) => name).sort(),
      metaNames(scope).sort());
  }
  const one = JSON.parse(run("capabilities", "trails.meta.gen.shape", "--as", "mcp"));
  assert.equal(one.tools[0].name, "trails_meta_gen_shape");
});
