// Who finds an activity: every id that any door tells anybody, in production, by
// its owner, by builder, by another, and by nobody in particular.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { assertEveryDoor } from "../js/doors.mjs";
import { assertVerdicts, env, serveWith, stdio } from "../js/server.mjs";

const require = createRequire(new URL("../js/package.json", import.meta.url));
const load = (name) => import(require.resolve(`@modelcontextprotocol/${name}`));
const { Client, StreamableHTTPClientTransport } = await load("client");
const { StdioClientTransport } = await load("client/stdio");

const APP = `
node_type "Note" { fields = { title = text } }
policy "never" { run = function() return false, "no" end }
capability "look" { description = "d", run = function() return "ran" end }
capability "write" { description = "d", side_effects = { graph_writes = { "default" } },
  run = function(ctx) ctx.kg:create("Note", { title = "x" }) return "ran" end }
capability "fail" { description = "d", run = function(ctx) return ctx:error("no") end }
capability "above" { description = "d", run = function(ctx) return ctx:invoke("look", {}) end }
capability "denied" { description = "d", policy_required = "never", run = function() end }
capability "denied_below" { description = "d", run = function(ctx) return ctx:invoke("denied", {}) end }
resource "test://one" { name = "one", run = function() return "ran" end }
resource_template "test://many/{x}" { name = "many", run = function() return "ran" end }
prompt "tell" { description = "d", arguments = { x = text }, run = function() return "ran" end }
completion { prompt = "tell", argument = "x", run = function() return {} end }
`;

// What every door is opened with, and whether it tells an id.
const doors = {
  "a tool": [true, (c) => c.callTool({ name: "look" })],
  "a tool that writes": [true, (c) => c.callTool({ name: "write" })],
  "a tool that fails": [true, (c) => c.callTool({ name: "fail" })],
  "a tool that invokes": [true, (c) => c.callTool({ name: "above" })],
  "a denial": [true, (c) => c.callTool({ name: "denied" })],
  "a denial of what is invoked": [true, (c) => c.callTool({ name: "denied_below" })],
  "a resource": [true, (c) => c.readResource({ uri: "test://one" })],
  "a template": [true, (c) => c.readResource({ uri: "test://many/1" })],
  "a meta": [true, (c) => c.callTool({ name: "trails_meta_ping" })],
  "a built-in": [true, (c) => c.readResource({ uri: "trails://stats" })],
  "a prompt": [true, (c) => c.getPrompt({ name: "tell", arguments: { x: "1" } })],
  "a completion": [
    false,
    (c) => c.complete({ ref: { type: "ref/prompt", name: "tell" }, argument: { name: "x", value: "" } }),
  ],
};

test("every door is tried", () => {
  const names = Object.keys(doors).map((name) => name.replace("a ", ""));
  assertEveryDoor(names, { subscription: "its activity is told when a policy denies it: guard_test.mjs" });
});

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const NONE = "trails://prov/019fa8cd-1200-7000-8000-000000000001";
const folder = mkdtempSync(join(tmpdir(), "trails-prov-"));
const own = { ...env, TRAILS_MCP_SCOPES: "runtime,builder" };
delete own.TRAILS_STORE;
const tokens = {};
const open = [];
let server;

function token(name, scope) {
  const words = ["token", "create", "--app", folder, "--name", name, "--scope", scope, "--json"];
  return JSON.parse(execFileSync("build/debug/trails", words, { encoding: "utf8", env: own })).token;
}

before(async () => {
  writeFileSync(join(folder, "app.lua"), APP);
  writeFileSync(join(folder, "trails.toml"), '[project]\nname = "ids"\nenv = "production"\n[auth]\nrequired = false\n[server]\nthreads = 2\n');
  for (const who of ["ann", "bob"]) tokens[who] = token(who, "runtime");
  tokens.builder = token("builder", "runtime,builder");
  server = await serveWith(own, folder);
});
after(async () => {
  for (const client of open) await client.close();
  assert.equal(await server.stop(), 0, "the server ends cleanly");
  assertVerdicts();
  rmSync(folder, { recursive: true });
});

const eras = { "2026-07-28": { pin: "2026-07-28" }, "2025-11-25": "legacy" };

async function connect(transport, era, who) {
  const authorization = who !== "nobody" && { authorization: { bearer: tokens[who] } };
  const info = { name: "test", version: "1", ...(transport === "stdio" && authorization) };
  const client = new Client(info, { versionNegotiation: { mode: eras[era] } });
  const headers = who === "nobody" ? {} : { Authorization: `Bearer ${tokens[who]}` };
  await client.connect(
    transport === "stdio"
      ? new StdioClientTransport(stdio(folder, own))
      : new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } }),
  );
  open.push(client);
  return client;
}

// What a door says, with every id in it, as the URI that it is read by.
async function told(client, enter) {
  let said;
  try {
    said = await enter(client);
  } catch (error) {
    said = { code: error.code, data: error.data };
  }
  const text = JSON.stringify(said);
  const ids = [...text.matchAll(new RegExp(`"(?:dev.trails/provenance|decision_id)":"(?:trails://prov/)?(${UUID})"`, "g"))];
  return { text, iris: ids.map(([, id]) => `trails://prov/${id}`) };
}

async function read(client, uri) {
  try {
    return JSON.parse((await client.readResource({ uri })).contents[0].text);
  } catch (error) {
    return { code: error.code, message: error.message, data: error.data };
  }
}

// Reads are written within 100 ms.
async function found(client, iri) {
  let seen;
  for (let pause = 10; pause < 20000; pause *= 1.6) {
    seen = await read(client, iri);
    if (seen.id) return seen;
    await sleep(pause);
  }
  assert.fail(`${iri} is not found: ${JSON.stringify(seen)}`);
}

async function missing(client, iri, who) {
  const refusal = JSON.stringify(await read(client, iri)).replaceAll(iri, NONE);
  assert.equal(refusal, JSON.stringify(await read(client, NONE)), who);
  assert.match(refusal, /not found/);
}

for (const era of Object.keys(eras)) {
  for (const transport of ["http", "stdio"]) {
    for (const who of ["ann", "nobody"]) {
      describe(`${who}, ${transport}, ${era}`, () => {
        let client;
        let strangers;
        before(async () => {
          client = await connect(transport, era, who);
          strangers = {
            bob: await connect("http", era, "bob"),
            nobody: await connect("http", era, "nobody"),
            "nobody in a session": await connect("http", "2025-11-25", "nobody"),
          };
        });

        for (const [door, [tells, enter]] of Object.entries(doors)) {
          test(`${door} tells ids that its owner and builder find, and nobody else`, async () => {
            const { text, iris } = await told(client, enter);
            assert.equal(iris.length > 0, tells, text);
            const builder = await connect("http", era, "builder");
            // A request without a session is nobody's: nothing remembers it.
            const isLost = who === "nobody" && transport === "http" && era === "2026-07-28";
            for (const iri of iris) {
              const all = await found(builder, iri);
              assert.equal(all.id, iri);
              assert.equal(all.principal, who === "nobody" ? undefined : `token:${who}`);
              if (isLost) await missing(client, iri, "itself");
              else assert.deepEqual(await read(client, iri), all);
              for (const [name, other] of Object.entries(strangers)) await missing(other, iri, name);
            }
          });
        }

        test("lists of nobody are empty, and others have their own", async () => {
          for (const uri of ["trails://prov", "trails://prov/latest"]) {
            const { activities } = await read(client, uri);
            if (who === "nobody") assert.deepEqual(activities, []);
            else assert.deepEqual([...new Set(activities.map((a) => a.principal))], ["token:ann"]);
          }
        });
      });
    }
  }
}

test("a connection is remembered for its newest ids", async () => {
  const client = await connect("stdio", "2026-07-28", "nobody");
  const first = (await told(client, doors["a tool"][1])).iris[0];
  await found(client, first);
  for (let i = 0; i < 128; i++) await client.callTool({ name: "look" });
  const last = (await told(client, doors["a tool"][1])).iris[0];
  await found(client, last);
  await missing(client, first, "itself");
});
