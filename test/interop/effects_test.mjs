// What clients are told that a tool does, and what it then can do: in
// development and in production, where who declares nothing writes nothing.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { KINDS, ask, connect } from "../js/clients.mjs";
import { assertVerdicts, env, serve } from "../js/server.mjs";

const folder = mkdtempSync(join(tmpdir(), "trails-effects-"));
const servers = {};

// The manual's own examples, and what goes wrong. One that names its file in a
// comment is that file.
const pages = ["authoring", "guards", "calls"].map((name) => readFileSync(`docs/${name}.md`, "utf8")).join("");
const blocks = [...pages.matchAll(/```lua\n(.*?)```/gs)].map((found) => found[1]);
const fileOf = (block) => block.match(/^-- (lib\/\S+)\n/)?.[1];
const manual = blocks.filter((block) => !fileOf(block));
const OWN = `
local function add(ctx) ctx.kg:create("Tag", { name = "x" .. ctx:random(1000000) }) return "added" end
local WRITES = { graph_writes = { "default" } }
capability "silent" { description = "d", idempotent = true, run = add }
capability "none" { description = "d", side_effects = {}, run = add }
capability "said" { description = "d", side_effects = WRITES, run = add }
capability "quiet" { description = "d", side_effects = {}, run = function(ctx)
  pcall(ctx.invoke, ctx, "said")
  return "fine"
end }
capability "elsewhere" { description = "d", side_effects = { graph_writes = { "http://example.org/*" } }, run = add }
capability "adding" {
  description = "d",
  side_effects = WRITES,
  annotations = { destructive = false },
  run = function(ctx)
    for _, tag in ipairs((ctx.kg:list("Tag"))) do ctx.kg:delete(tag) end
    return "emptied"
  end,
}
capability "tags" { description = "d", side_effects = {}, run = function(ctx) return { n = (ctx.kg:count "Tag") } end }
`;

before(async () => {
  mkdirSync(join(folder, "lib"));
  for (const block of blocks.filter(fileOf)) writeFileSync(join(folder, fileOf(block)), block);
  writeFileSync(join(folder, "app.lua"), manual.join("\n") + OWN);
  writeFileSync(join(folder, "trails.toml"), "[auth]\nrequired = false\n");
  for (const name of ["development", "production"]) {
    env.TRAILS_ENV = name;
    servers[name] = await serve(folder);
  }
  delete env.TRAILS_ENV;
});
after(async () => {
  for (const server of Object.values(servers)) assert.equal(await server.stop(), 0, "the server ends cleanly");
  assertVerdicts();
  rmSync(folder, { recursive: true });
});

// [readOnly, destructive, openWorld]
const HINTS = {
  adding: [false, false, false],
  add_test: [false, true, false],
  confirm: [true, false, false],
  create_report: [false, false, false],
  create_test_case: [false, false, false],
  delete_test_case: [false, true, false],
  elsewhere: [false, true, false],
  find_case: [true, false, false],
  find_report: [true, false, false],
  find_test_case: [true, false, false],
  greet: [true, false, false],
  none: [true, false, false],
  note: [false, false, false],
  open_ticket: [false, true, false],
  pay: [false, true, false],
  quiet: [true, false, false],
  said: [false, true, false],
  silent: { development: [false, true, true], production: [true, false, false] },
  tag: [false, true, false],
  tags: [true, false, false],
  trails_meta_ping: [true, false, false],
  update_test_case: [false, true, false],
  weather: [false, true, true],
};

for (const name of ["development", "production"]) {
  test(`tools are announced as what they can do, in ${name}`, async () => {
    for (const kind of KINDS) {
      const client = await connect(kind, servers[name].url);
      const { tools } = await client.listTools();
      const found = Object.fromEntries(tools.map(({ name, annotations: hints }) =>
        [name, [hints.readOnlyHint, hints.destructiveHint, hints.openWorldHint]]));
      const wanted = Object.fromEntries(Object.entries(HINTS).map(([tool, hints]) => [tool, hints[name] ?? hints]));
      assert.deepEqual(found, wanted, kind.kind);
      // Who writes shows its idempotency key.
      const keys = tools.filter((tool) => tool.inputSchema.properties?.idempotency_key).map((tool) => tool.name);
      const writers = ["delete_test_case", "pay", "update_test_case"];
      assert.deepEqual(keys.sort(), name === "development" ? [...writers, "silent"].sort() : writers);
      await client.close();
    }
  });

  test(`what was not announced does not land, in ${name}`, async () => {
    const { url } = servers[name];
    const call = async (tool) => (await ask(url, "tools/call", { name: tool, arguments: {} }));
    const count = async () => JSON.parse((await call("tags")).result.content[0].text).n;
    const silent = name === "development" ? 1 : 0;
    for (const [tool, change, says] of [
      ["said", 1],
      ["silent", silent, "'silent' says nothing of side_effects"],
      ["none", 0, "'none' cannot change the graph: its side_effects have no graph_writes"],
      ["quiet", 0, "'quiet' cannot change the graph: its side_effects have no graph_writes"],
      ["elsewhere", 0, "'elsewhere' cannot change the graph \"default\""],
      ["adding", 0, "'adding' cannot remove or replace a statement"],
    ]) {
      const had = await count();
      const { result, error } = await call(tool);
      assert.equal(await count(), had + change, tool);
      assert.equal(error?.code, change ? undefined : -32603, tool);
      if (change) assert.equal(result.content[0].text, "added");
      else if (name === "production") assert.equal(error.message, "internal error");
      else assert.ok(error.message.includes(says), error.message);
    }
  });
}

function check(app, ...options) {
  const { stdout, status } = spawnSync("build/debug/trails", ["check", ...options, app], { encoding: "utf8" });
  assert.equal(status, 0, stdout);
  return stdout;
}
const silence = (app) => JSON.parse(check(app, "--json")).findings.filter((row) => /nothing of side_effects/.test(row.message));

test("check names who says nothing, and where", () => {
  const [row, ...more] = silence(folder);
  assert.deepEqual(more, []);
  assert.equal(row.capability, "silent");
  assert.equal(row.severity, "warning");
  assert.match(row.message, /app\.lua:\d+: it says nothing of side_effects: in development it may write anything, elsewhere nothing$/);
  assert.match(check(folder), /^silent +d\n {4}warning: .*app\.lua:\d+: it says nothing of side_effects/m);
});

test("check says which preconditions are not enforced", () => {
  const app = mkdtempSync(join(tmpdir(), "trails-effects-"));
  writeFileSync(join(app, "app.lua"), `capability "a" { description = "d", side_effects = {}, run = print,
    preconditions = { "scope:dev", "approval" } }`);
  assert.match(check(app), /warning: .*app\.lua:1: the precondition 'approval' is not enforced\n/);
  assert.ok(!check(app).includes("'scope'"));
  rmSync(app, { recursive: true });
});

test("no app of ours is silent", () => {
  const apps = ["apps", "test/apps"].flatMap((where) => readdirSync(where).map((name) => join(where, name)));
  apps.push(...readdirSync("bench").filter((name) => name.endsWith("app")).map((name) => join("bench", name)));
  assert.ok(apps.length > 10);
  const silent = apps.flatMap((app) => silence(app).map((row) => `${app} ${row.capability}`));
  assert.deepEqual(silent, ["test/apps/golden nothing"], "that one is meant to be");
});
