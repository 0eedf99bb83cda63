// What models and people are shown of an app: the order that its author chose,
// titles that tell things apart, what the server says of itself, and what
// `[mcp] annotations` and `result_meta` leave out.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ask } from "../js/clients.mjs";
import { assertVerdicts, env, serve } from "../js/server.mjs";

const folder = mkdtempSync(join(tmpdir(), "trails-seen-"));
const ICONS = [{ src: "https://example.com/48.png", mimeType: "image/png", sizes: ["48x48"], theme: "light" }];
const FIELDS = ["zeal", "title", "owner", "area"];
const APP = `
local icons = { { src = "https://example.com/48.png", mimeType = "image/png", sizes = { "48x48" }, theme = "light" } }
node_type "Person" { tools = { "create", "find" }, fields = { { "name", text } } }
node_type "Task" { label = "title", tools = { "create", "update", "find" }, fields = {
  { "zeal", integer }, { "title", text },
  { "owner", ref "Person" { optional = true } }, { "area", text { optional = true } },
} }
node_type "Bug" { extends = "Task", fields = {
  { "yes", boolean { optional = true } }, { "also", text { optional = true } },
} }
capability "listed" {
  description = "Has lists of fields.", icons = icons, side_effects = {},
  input = { { "z", text }, { "a", text }, { "m", ref "Person" { optional = true } } },
  output = { { "y", text }, { "b", ref "Person" { optional = true } } },
  run = function(ctx, args) return { y = args.z } end,
}
capability "named" {
  description = "Has a table of fields.", side_effects = {},
  input = { z = text, a = text },
  run = function(ctx) return "ok" end,
}
capability "asks" {
  description = "Asks.", side_effects = {},
  run = function(ctx)
    return ctx:elicit { message = "Which?", fields = { { "when", datetime }, { "how", text }, { "any", boolean } } }
  end,
}
prompt "hello" { description = "Greets.", icons = icons, run = function() return "Hello" end }
resource "seen://a" { name = "a", icons = icons, run = function() return "a" end }
resource_template "seen://b/{id}" { name = "b", icons = icons, run = function() return "b" end }
`;
const WATCHING = /Watching the full type fires one notification per instance mutation\./g;

const servers = {};

function write(name, toml, app = APP) {
  const own = join(folder, name);
  mkdirSync(own);
  writeFileSync(join(own, "app.lua"), app);
  writeFileSync(join(own, "trails.toml"), `[project]\nname = "seen"\n${toml}`);
  return own;
}

before(async () => {
  servers.full = await serve(write("full", 'title = "Seen"\n[mcp]\ninstructions = "Look first."\n'));
  servers.plain = await serve(write("plain", "[mcp]\nannotations = false\nresult_meta = false\n"));
  servers.typeless = await serve(write("typeless", "", 'capability "a" { description = "A.", run = function() end }'));
});
after(async () => {
  for (const server of Object.values(servers)) assert.equal(await server.stop(), 0, "the server ends cleanly");
  assertVerdicts();
  rmSync(folder, { recursive: true });
});

const answer = async (server, method, params = {}) => (await ask(servers[server].url, method, params)).result;
const list = async (server, method, member) => (await answer(server, method))[member];
async function toolsOf(server) {
  return Object.fromEntries((await list(server, "tools/list", "tools")).map((tool) => [tool.name, tool]));
}
const read = async (uri) => (await answer("full", "resources/read", { uri })).contents[0].text;

// What a session of an older revision begins with.
async function hello(server, protocolVersion) {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: "t", version: "1" } };
  const got = await fetch(servers[server].url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
  });
  return (await got.json()).result;
}

// The order of fields ----------------------------------------------------------

const ofTask = (properties) => Object.keys(properties).filter((name) => FIELDS.includes(name));

test("a list of fields keeps its order, a table has that of names", async () => {
  const { listed, named } = await toolsOf("full");
  assert.deepEqual(Object.keys(listed.inputSchema.properties), ["z", "a", "m"]);
  assert.deepEqual(Object.keys(listed.outputSchema.properties), ["y", "b"]);
  assert.deepEqual(Object.keys(named.inputSchema.properties), ["a", "z"]);
});

test("ready-made tools have the fields of their type in its order", async () => {
  const { create_task, update_task, find_task } = await toolsOf("full");
  for (const { inputSchema, outputSchema } of [create_task, update_task, find_task]) {
    assert.deepEqual(ofTask(inputSchema.properties), FIELDS);
    const { properties } = outputSchema.properties.items?.items ?? outputSchema;
    assert.deepEqual(ofTask(properties), FIELDS);
  }
  assert.equal(Object.keys(update_task.inputSchema.properties)[0], "id", "which one comes first");
});

test("so has trails://schema, where a subtype goes on after the type above", async () => {
  const { node_types } = JSON.parse(await read("trails://schema"));
  assert.deepEqual(Object.keys(node_types.Task.fields), FIELDS);
  assert.deepEqual(Object.keys(node_types.Bug.fields), [...FIELDS, "yes", "also"]);
});

test("so has a shape, and `trails schema` makes the same of it", async () => {
  const turtle = await read("trails://shape/Task");
  const orders = [...turtle.matchAll(/sh:name "(\w+)"(?:[^.[\]]*?)sh:order (\d+)/g)];
  assert.deepEqual(orders.sort((a, b) => a[2] - b[2]).map(([, name]) => name), FIELDS);
  const file = join(folder, "task.ttl");
  writeFileSync(file, turtle);
  const { stdout } = spawnSync("build/debug/trails", ["schema", "--shapes", file, "--type", "Task"], { encoding: "utf8" });
  assert.deepEqual(ofTask(JSON.parse(stdout).properties), FIELDS);
});

test("so has a form", async () => {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
  };
  const params = { name: "asks", arguments: {}, _meta };
  const input = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })}\n`;
  const { stdout } = spawnSync("build/debug/trails", ["serve", join(folder, "full"), "--stdio"], { env, input, encoding: "utf8" });
  const [asked] = Object.values(JSON.parse(stdout).result.inputRequests);
  assert.deepEqual(Object.keys(asked.params.requestedSchema.properties), ["when", "how", "any"]);
});

// Titles -------------------------------------------------------------------------

test("everything that is built in has a title, and no two templates have one", async () => {
  const resources = await list("full", "resources/list", "resources");
  const templates = await list("full", "resources/templates/list", "resourceTemplates");
  for (const things of [resources, templates]) {
    const own = things.filter(({ uri, uriTemplate }) => (uri ?? uriTemplate).startsWith("trails://"));
    assert.ok(own.length > 5);
    for (const { title, name } of own) assert.ok(title, name);
    assert.equal(new Set(own.map(({ title }) => title)).size, own.length, own.map(({ title }) => title).join());
  }
});

// What the server says of itself ---------------------------------------------------

test("who meets the server is told all of it, others its name and version", async () => {
  const INFO = "io.modelcontextprotocol/serverInfo";
  const { version, ...met } = (await answer("full", "server/discover"))._meta[INFO];
  assert.deepEqual(met, { name: "seen", title: "Seen" });
  assert.deepEqual((await answer("full", "tools/list"))._meta[INFO], { name: "seen", version });
  assert.deepEqual((await answer("plain", "server/discover"))._meta[INFO], { name: "seen", version });
  for (const revision of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]) {
    const { serverInfo } = await hello("full", revision);
    assert.equal(serverInfo.title, revision < "2025-06-18" ? undefined : "Seen", revision);
  }
});

test("tools, prompts, resources and templates have the icons of their author", async () => {
  const rows = [["tools/list", "tools", "listed"], ["prompts/list", "prompts", "hello"],
    ["resources/list", "resources", "a"], ["resources/templates/list", "resourceTemplates", "b"]];
  for (const [method, member, name] of rows) {
    const things = await list("full", method, member);
    assert.deepEqual(things.find((thing) => thing.name === name).icons, ICONS, method);
    assert.ok(things.length === 1 || things.some(({ icons }) => !icons), method);
  }
});

test("an icon that is none is refused where it stands", () => {
  const own = write("broken", "", 'capability "a" {\n  description = "A.", icons = { { src = "file:///etc/passwd" } },\n  run = function() end }\n');
  const { status, stderr } = spawnSync("build/debug/trails", ["check", own], { encoding: "utf8" });
  assert.equal(status, 1);
  assert.match(stderr, /app\.lua:1: .*icon 1: src must be https:\/\/\.\.\. or data:image/);
});

test("what templates have in common is said once, after the author's instructions", async () => {
  for (const { description } of [
    ...(await list("full", "resources/list", "resources")),
    ...(await list("full", "resources/templates/list", "resourceTemplates")),
  ])
    assert.doesNotMatch(description ?? "", WATCHING);
  const all = [await answer("full", "server/discover"), await hello("full", "2024-11-05"), await hello("full", "2025-11-25")];
  for (const { instructions } of all) {
    assert.ok(instructions.startsWith("Look first.\n\n"));
    assert.equal(instructions.match(WATCHING).length, 1);
  }
  assert.ok((await answer("plain", "server/discover")).instructions.startsWith("Of trails://kg/<Type>: Watching"));
  assert.equal((await answer("typeless", "server/discover")).instructions, undefined, "there is nothing to watch");
});

// Settings ---------------------------------------------------------------------------

test("annotations = false takes two keywords and a twin out of tools, and nothing else", async () => {
  const without = (value) => JSON.parse(JSON.stringify(value), function (key, each) {
    if (key === "trails:node_type" || (key === "format" && each === "iri")) return undefined;
    return key === "trails" && "inputSchema" in this ? undefined : each;
  });
  const [full, plain] = [await toolsOf("full"), await toolsOf("plain")];
  assert.deepEqual(plain, without(full));
  assert.notDeepEqual(plain, full);
  assert.deepEqual(plain.listed._meta, {
    "dev.trails/tool": { kind: "runtime" },
    "dev.trails/manifest_uri": "/.well-known/capabilities#listed",
  });
  assert.match(JSON.stringify(await answer("plain", "resources/read", { uri: "trails://schema" })), /node_type/);
});

test("result_meta = false takes activity and trace out of results, which are recorded", async () => {
  const call = { name: "create_person", arguments: { name: "Ann" } }; // who writes is recorded before the answer
  const keys = ["dev.trails/provenance", "dev.trails/trace_id"];
  const info = ["io.modelcontextprotocol/serverInfo"];
  for (const [server, wanted] of [["full", [...keys, ...info]], ["plain", info]]) {
    assert.deepEqual(Object.keys((await answer(server, "tools/call", call))._meta), wanted);
    assert.deepEqual(Object.keys((await answer(server, "prompts/get", { name: "hello" }))._meta), wanted);
    assert.deepEqual(Object.keys((await answer(server, "resources/read", { uri: "seen://a" }))._meta), wanted);
    const latest = await answer(server, "resources/read", { uri: "trails://prov/latest" });
    assert.match(latest.contents[0].text, /"create_person"/, server);
  }
});

test("check has one line for each complaint, and none when there is no cause", () => {
  const check = (name) => {
    const run = (...options) => spawnSync("build/debug/trails", ["check", ...options, join(folder, name)], { encoding: "utf8" });
    const { warnings } = JSON.parse(run("--json").stdout);
    for (const { message } of warnings) assert.ok(run().stdout.includes(`warning: ${message}\n`));
    return warnings;
  };
  const warnings = check("full");
  assert.deepEqual(warnings.map(({ id }) => id), ["hosts.format_iri", "hosts.node_type"]);
  for (const { message } of warnings) assert.match(message, /\[mcp\] annotations = false/);
  assert.deepEqual(check("plain"), []);
  assert.deepEqual(check("typeless"), []);
});
