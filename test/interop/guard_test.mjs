// Who gets at what: an app in which something of each kind asks for a scope or
// a policy, three callers, both eras. The doors are those that the lists show to
// a builder, so that a new one is tried by itself.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { assertEveryDoor } from "../js/doors.mjs";
import { metaNames } from "../js/metas.mjs";
import { assertVerdicts, env, serveWith } from "../js/server.mjs";

const require = createRequire(new URL("../js/package.json", import.meta.url));
const load = (name) => import(require.resolve(`@modelcontextprotocol/${name}`));
const v2 = await load("client");
const v1 = { ...(await load("sdk/client/index.js")), ...(await load("sdk/client/streamableHttp.js")) };

const APP = `
local asked, last = 0, nil
policy "watchful" {
  run = function(ctx, call)
    asked, last = asked + 1, call
    return not (call.id or call.arguments.id or ""):find("hush"), "hush"
  end,
}
capability "asked" {
  description = "How often the policy was asked, and what it was told last.",
  run = function() return { asked = asked, last = last } end,
}
capability "open" { description = "o", run = function() return "o" end }
capability "build.it" { description = "b", scope = "builder", run = function() return "b" end }
capability "deploy" { description = "d", preconditions = { "scope:builder" }, run = function() return "d" end }
resource "test://open" { name = "open", run = function() return "o" end }
resource "test://secret" { name = "secret", scope = "builder", run = function() return "s" end }
resource "test://watched" { name = "w", policy_required = "watchful", run = function() return "w" end }
resource_template "test://secret/{id}" { name = "secret.one", scope = "builder", run = function() return "s" end }
resource_template "test://watched/{id}" {
  name = "watched.one", policy_required = { "watchful" }, run = function() return "w" end,
}
prompt "hail" { description = "h", arguments = { who = text }, run = function(_, args) return args.who end }
prompt "plan" {
  description = "p", scope = "builder", arguments = { who = text, why = text },
  run = function(_, args) return args.who end,
}
prompt "hint" { description = "p", policy_required = "watchful", arguments = { id = text }, run = function() return "h" end }
completion { prompt = "plan", argument = "who", run = function() return { "Ada" } end }
completion { prompt = "hint", argument = "id", run = function() return { "Ada" } end }
completion { template = "test://secret/{id}", argument = "id", run = function() return { "1" } end }
local all = { "create", "update", "delete", "find" }
node_type "Doc" { scope = "builder", ids = "preserve", tools = all, fields = { title = text } }
node_type "Memo" { extends = "Doc", tools = { "find" }, fields = { to = text } }
node_type "Note" {
  ids = "preserve",
  tools = { "find", create = { scope = "builder" }, delete = { policy_required = "watchful" },
    update = { preconditions = { "scope:builder" } } },
  fields = { title = text },
}
node_type "Task" { policy_required = { "watchful" }, ids = "preserve", tools = all, fields = { title = text } }
node_type "Bug" { extends = "Task", fields = {} }
shape "DocRules" { target = "Doc", fields = { title = text { max_length = 50 } } }
capability "fill" {
  description = "Makes tasks and a bug.", scope = "builder",
  run = function(ctx)
    for i = 1, 120 do ctx.kg:create("Task", { title = "t" .. i }, { id = "trails://gate/Task/" .. i }) end
    ctx.kg:create("Task", { title = "h" }, { id = "trails://gate/Task/hush" })
    ctx.kg:create("Bug", { title = "b" }, { id = "trails://gate/Bug/hush-bug" })
    ctx.kg:create("Doc", { title = "d" }, { id = "trails://gate/Doc/1" })
    ctx.kg:create("Memo", { title = "m", to = "a" }, { id = "trails://gate/Memo/1" })
    return "filled"
  end,
}
`;

// What a builder sees and others do not, by name.
const HIDDEN = {
  tool: ["build.it", "create_doc", "create_note", "delete_doc", "deploy", "fill", "find_doc", "find_memo",
    ...metaNames("builder").sort(), "update_doc", "update_note"],
  resource: ["test://secret", "trails://kg/Doc", "trails://kg/Memo"],
  template: ["test://secret/{id}", "trails://kg/Doc/{id}", "trails://kg/Doc{?where,limit,offset}",
    "trails://kg/Memo/{id}", "trails://kg/Memo{?where,limit,offset}"],
  prompt: ["plan"],
};

const folder = mkdtempSync(join(tmpdir(), "trails-gate-"));
const own = { ...env, TRAILS_MCP_SCOPES: "runtime,builder", TRAILS_STORE: join(folder, "store.db") };
const SCOPES = { nobody: undefined, runtime: "runtime", builder: "runtime,builder" };
const tokens = {};
let server;

before(async () => {
  writeFileSync(join(folder, "app.lua"), APP);
  writeFileSync(join(folder, "trails.toml"), '[project]\nname = "gate"\n[auth]\nrequired = false\n[server]\nthreads = 1\n');
  for (const [who, scope] of Object.entries(SCOPES).filter(([, scope]) => scope)) {
    const words = ["token", "create", "--app", folder, "--name", who, "--scope", scope, "--json"];
    tokens[who] = JSON.parse(execFileSync("build/debug/trails", words, { encoding: "utf8", env: own })).token;
  }
  server = await serveWith(own, folder);
  const client = await connect("2025-11-25", "builder");
  await client.callTool({ name: "fill" });
  await client.close();
});

after(async () => {
  assert.equal(await server.stop(), 0, "the server ends cleanly");
  assertVerdicts();
  rmSync(folder, { recursive: true });
});

// The older client has the codes of its revisions, the newer one translates them.
async function connect(era, who) {
  const headers = tokens[who] ? { Authorization: `Bearer ${tokens[who]}` } : {};
  const sdk = era === "2026-07-28" ? v2 : v1;
  const options = sdk === v2 ? { versionNegotiation: { mode: { pin: era } } } : {};
  const client = new sdk.Client({ name: who, version: "1" }, options);
  await client.connect(new sdk.StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } }));
  return client;
}

// Doors -----------------------------------------------------------------------

const watch = async (client, era, ...uris) => {
  if (era === "2026-07-28") return (await client.listen({ resourceSubscriptions: uris })).close();
  for (const uri of uris) await client.subscribeResource({ uri });
};

const expand = (template) => template.replace(/\{\?[^}]*\}/, "").replace(/\{[^}]*\}/g, "1");
const variables = (template) => [...template.matchAll(/\{\??([^}]*)\}/g)].flatMap(([, names]) => names.split(","));
const complete = (ref, name) => (client) => client.complete({ ref, argument: { name, value: "" } });

// Each has the name of what it is a door of, and how its refusals call it.
async function doorsOf(client, era) {
  const doors = [];
  const add = (kind, of, key, value, open, door = kind) => doors.push({ kind, of, key, value, open, door });
  for (const { name } of (await client.listTools()).tools) {
    const door = name.startsWith("trails_meta_") ? "meta" : "tool";
    add("tool", name, "tool", name, (c) => c.callTool({ name, arguments: {} }), door);
  }
  for (const { uri } of (await client.listResources()).resources) {
    add("resource", uri, "uri", uri, (c) => c.readResource({ uri }));
    add("resource", uri, "uri", uri, (c) => watch(c, era, uri), "subscription");
  }
  for (const { uriTemplate } of (await client.listResourceTemplates()).resourceTemplates) {
    const uri = expand(uriTemplate);
    add("template", uriTemplate, "uri", uri, (c) => c.readResource({ uri }));
    add("template", uriTemplate, "uri", uri, (c) => watch(c, era, uri), "subscription");
    for (const name of variables(uriTemplate)) {
      add("template", uriTemplate, "ref", uriTemplate, complete({ type: "ref/resource", uri: uriTemplate }, name), "completion");
    }
  }
  for (const { name, arguments: list } of (await client.listPrompts()).prompts) {
    const args = Object.fromEntries(list.map((argument) => [argument.name, "x"]));
    add("prompt", name, "prompt", name, (c) => c.getPrompt({ name, arguments: args }));
    add("prompt", name, "prompt", name, (c) => c.getPrompt({ name }));
    for (const argument of list) {
      add("prompt", name, "ref", name, complete({ type: "ref/prompt", name }, argument.name), "completion");
    }
  }
  assertEveryDoor(doors.map(({ door }) => door));
  return doors;
}

const names = async (client) => ({
  tool: (await client.listTools()).tools.map(({ name }) => name),
  resource: (await client.listResources()).resources.map(({ uri }) => uri),
  template: (await client.listResourceTemplates()).resourceTemplates.map((item) => item.uriTemplate),
  prompt: (await client.listPrompts()).prompts.map(({ name }) => name),
});

// How a door answers: the code that it has in every era, and the data.
async function knock(client, open) {
  try {
    return { result: await open(client) };
  } catch (error) {
    const { trails_code, ...data } = error.data ?? {};
    return { code: trails_code ?? error.code, data, message: error.message };
  }
}

const read = async (client, uri) => JSON.parse((await client.readResource({ uri })).contents[0].text);
const json = (result) => JSON.parse(result.content[0].text);

for (const era of ["2025-11-25", "2026-07-28"]) {
  describe(era, () => {
    const clients = {};
    before(async () => {
      for (const who of Object.keys(SCOPES)) clients[who] = await connect(era, who);
    });
    after(async () => {
      for (const client of Object.values(clients)) await client.close();
    });
    const refusal = (who, key, value) =>
      who === "nobody"
        ? { code: -32001, data: { [key]: value, required_scope: "builder" } }
        : { code: -32004, data: { [key]: value, required_scope: "builder", caller_scopes: ["runtime"] } };
    const isRefused = async (who, open, key, value) => {
      const { code, data, message } = await knock(clients[who], open);
      assert.deepEqual({ code, data }, refusal(who, key, value), `${who}: ${value}: ${message}`);
    };

    test("lists have what the caller may see, and nothing else", async () => {
      const all = await names(clients.builder);
      for (const who of ["nobody", "runtime"]) {
        const seen = await names(clients[who]);
        for (const kind of Object.keys(all)) {
          const hidden = all[kind].filter((name) => !seen[kind].includes(name));
          assert.deepEqual(hidden.sort(), HIDDEN[kind], `${who}: ${kind}`);
          assert.deepEqual(seen[kind].filter((name) => !all[kind].includes(name)), []);
        }
      }
    });

    test("every door is open to who sees it, and says to others what they lack", async () => {
      const doors = await doorsOf(clients.builder, era);
      let refused = 0;
      for (const { kind, of, key, value, open } of doors) {
        const { code } = await knock(clients.builder, open);
        assert.ok(![-32001, -32004].includes(code), `builder: ${value}: ${code}`);
        for (const who of ["nobody", "runtime"]) {
          if (HIDDEN[kind].includes(of)) {
            await isRefused(who, open, key, value);
            refused++;
          } else {
            const answer = await knock(clients[who], open);
            assert.ok(![-32001, -32004].includes(answer.code), `${who}: ${value}: ${answer.message}`);
          }
        }
      }
      assert.ok(refused > 60, `${refused} of ${doors.length}`);
    });

    test("a type is hidden wherever types are named, under every name of its shape", async () => {
      const shapes = ["Doc", "Memo", "DocRules", "trails://gate/Doc", "trails://gate/DocRules"];
      for (const who of ["nobody", "runtime"]) {
        for (const uri of ["trails://schema", "trails://kg/types"]) {
          assert.doesNotMatch(JSON.stringify(await read(clients[who], uri)), /Doc|Memo/, uri);
        }
        for (const name of shapes) {
          const uri = `trails://shape/${encodeURIComponent(name)}`;
          await isRefused(who, (c) => c.readResource({ uri }), "uri", uri);
          assert.ok((await clients.builder.readResource({ uri })).contents[0].text);
        }
      }
      assert.match(JSON.stringify(await read(clients.builder, "trails://schema")), /Doc.*Memo.*DocRules/);
      assert.match(JSON.stringify(await read(clients.builder, "trails://kg/types")), /Doc.*Memo/);
    });

    test("an instance is behind the gate of its family under every name", async () => {
      const whole = encodeURIComponent("trails://gate/Memo/1");
      for (const uri of ["trails://kg/Doc/1", "trails://kg/Memo/1", `trails://kg/Doc/${whole}`]) {
        assert.equal((await clients.builder.readResource({ uri })).contents.length, 1);
        for (const who of ["nobody", "runtime"]) await isRefused(who, (c) => c.readResource({ uri }), "uri", uri);
      }
      const other = `trails://kg/Note/${whole}`;
      const { code, data } = await knock(clients.runtime, (c) => c.readResource({ uri: other }));
      assert.deepEqual({ code, data }, { code: era === "2026-07-28" ? -32602 : -32002, data: { uri: other } });
    });

    test("what is watched is behind a guard however it is spelled, or cannot be watched", async () => {
      const ends = ["1", "a%2Fb", encodeURIComponent("http://x/y"), "a/b", "a#b", "a%20b", "%31", ""];
      const codes = [];
      for (const end of ends) {
        const { code } = await knock(clients.runtime, (c) => watch(c, era, `trails://kg/Doc/${end}`));
        codes.push(code);
      }
      assert.deepEqual([...new Set(codes)].sort(), [-32004, -32602], `${codes}`);
      assert.equal(codes[0], -32004);
    });

    test("the doctor names tools to who sees them", async () => {
      const named = async (who) => JSON.stringify(await read(clients[who], "trails://doctor")).includes("build.it");
      assert.deepEqual([await named("nobody"), await named("runtime"), await named("builder")], [false, false, true]);
    });

    test("one URI that is closed keeps a stream from being opened", async (t) => {
      if (era !== "2026-07-28") return t.skip("sessions subscribe one by one");
      const many = Array.from({ length: 500 }, (_, i) => `trails://kg/Task/${i}`);
      const closed = "trails://kg/Doc/1";
      await isRefused("runtime", (c) => watch(c, era, "test://open", closed), "uri", closed);
      await watch(clients.runtime, era, "test://open", ...many);
      const answer = await knock(clients.runtime, (c) => watch(c, era, ...many, "trails://kg/Task/hush"));
      assert.equal(answer.code, -32002);
      assert.deepEqual(Object.keys(answer.data).sort(), ["decision_id", "policy"]);
    });

    // Policies ------------------------------------------------------------------

    const askedBy = async (open) => {
      const before = json(await clients.runtime.callTool({ name: "asked" })).asked;
      const answer = await knock(clients.runtime, open);
      const { asked, last } = json(await clients.runtime.callTool({ name: "asked" }));
      return { ...answer, asked: asked - before, last };
    };

    test("a policy of a type is asked once for each request, whatever that has", async () => {
      const template = "trails://kg/Task/{id}";
      const id = "trails://gate/Task/7";
      const rows = [
        [(c) => c.readResource({ uri: "trails://kg/Task?limit=100" }), "resource", "trails://kg/Task"],
        [(c) => c.readResource({ uri: "trails://kg/Task/7" }), "resource", template, id],
        [(c) => c.readResource({ uri: `trails://kg/Task/${encodeURIComponent(id)}` }), "resource", template, id],
        [(c) => c.readResource({ uri: "trails://shape/Task" }), "resource", "trails://shape/{name}"],
        [complete({ type: "ref/resource", uri: template }, "id"), "completion", template],
        [(c) => watch(c, era, "trails://kg/Task/7"), "subscription", "trails://kg/Task/7", id],
        [(c) => watch(c, era, "trails://kg/Task"), "subscription", "trails://kg/Task"],
        [(c) => c.callTool({ name: "find_task", arguments: { limit: 100 } }), "capability", "find_task"],
        [(c) => c.callTool({ name: "update_task", arguments: { id, title: "u" } }), "capability", "update_task", id],
      ];
      for (const [open, kind, name, iri] of rows) {
        const { code, message, asked, last } = await askedBy(open);
        assert.equal(code, undefined, `${name}: ${message}`);
        assert.equal(asked, 1, name);
        assert.deepEqual([last.kind, last.name, last.type, last.id], [kind, name, "Task", iri]);
        assert.equal(last.principal, "token:runtime");
      }
      const page = await read(clients.runtime, "trails://kg/Task?limit=100");
      assert.equal(page.length, 100);
      const { result } = await askedBy((c) => c.callTool({ name: "find_task", arguments: { limit: 100 } }));
      assert.equal(json(result).items.length, 100);
    });

    test("what a policy denies and what is not there are told apart by their data", async () => {
      const whole = (iri) => `trails://kg/Task/${encodeURIComponent(iri)}`;
      const denied = [
        (c) => c.readResource({ uri: "trails://kg/Task/hush" }),
        (c) => c.readResource({ uri: whole("trails://gate/Task/hush") }),
        (c) => c.readResource({ uri: "trails://kg/Task/hush-bug" }),
        (c) => c.readResource({ uri: "trails://kg/Bug/hush-bug" }),
        (c) => c.readResource({ uri: "test://watched/hush" }),
        (c) => c.getPrompt({ name: "hint", arguments: { id: "hush" } }),
        (c) => c.callTool({ name: "delete_task", arguments: { id: "trails://gate/Task/hush" } }),
        (c) => c.callTool({ name: "delete_note", arguments: { id: "trails://gate/Note/hush" } }),
        (c) => watch(c, era, "trails://kg/Task/hush"),
      ];
      for (const open of denied) {
        const { code, data, message } = await knock(clients.runtime, open);
        assert.equal(code, -32002, `${open}: ${message}`);
        assert.deepEqual(Object.keys(data).sort(), ["decision_id", "policy"]);
        assert.equal(data.policy, "watchful");
        // It is on disk before the answer.
        const decision = await read(clients.builder, `trails://prov/${data.decision_id}`);
        assert.equal(decision.outcome, "denied", `${open}`);
      }
      for (const uri of ["trails://kg/Task/none", "test://nothing"]) {
        const { code, data } = await knock(clients.runtime, (c) => c.readResource({ uri }));
        assert.deepEqual({ code, data }, { code: era === "2026-07-28" ? -32602 : -32002, data: { uri } });
      }
    });
  });
}
