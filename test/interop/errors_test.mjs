// What goes wrong, over the wire: a table of conditions, each by the official
// clients in both eras, over HTTP and stdio. Code, message and data are exact.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { KINDS, ask, connect, failure, v1 } from "../js/clients.mjs";
import { assertVerdicts, env, serve } from "../js/server.mjs";

const APP = "test/apps/errors";
const TRACE = /^[0-9a-f]{32}$/;
const REQUIREMENT = { status: "draft", req_id: "R1" };
const folder = mkdtempSync(join(tmpdir(), "trails-errors-"));
let server;

before(async () => {
  server = await serve(APP);
});
after(async () => {
  assert.equal(await server.stop(), 0, "the server ends cleanly");
  assertVerdicts();
  rmSync(folder, { recursive: true });
});

// A message with the place in the app that it comes from.
const lines = readFileSync(`${APP}/app.lua`, "utf8").split("\n");
const placed = (message, where = message) =>
  `${APP}/app.lua:${lines.findIndex((line) => line.includes(where)) + 1}: ${message}`;

const PLACE = /^\S+app\.lua:\d+: /;

const field = (name, code, message, value, constraint) => ({ field: name, code, message, value, constraint });

// The example of ADR-0060, to the letter.
const PROPOSED = [
  field("status", "one_of", "status must be one of ['proposed','accepted','rejected']", "draft",
    ["proposed", "accepted", "rejected"]),
  field("req_id", "pattern", "req_id must match ^REQ-\\d+$", "R1", "^REQ-\\d+$"),
];

const LONG = "y".repeat(300);
const CHECKED = {
  count: 0, share: 0, state: "c", level: 3, code: "a", flag: 1, at: "today", who: "",
  tags: ["long", "b", 3], moon: LONG, cont: 1,
};
// All that is wrong with it: in the order of declaration, then of constraints.
const VIOLATIONS = [
  field("must", "required", "must is required", null, true),
  field("count", "min_value", "count must be at least 1", 0, 1),
  field("share", "min_exclusive", "share must be more than 0", 0, 0),
  field("state", "one_of", "state must be one of ['a','b']", "c", ["a", "b"]),
  field("level", "one_of", "level must be one of [1,2]", 3, [1, 2]),
  field("code", "pattern", "code must match ^[A-Z]+$", "a", "^[A-Z]+$"),
  field("code", "min_length", "code must have at least 2 characters", "a", 2),
  field("flag", "type", "flag must be true or false", 1, "boolean"),
  field("at", "type", "at must be an RFC 3339 date and time", "today", "datetime"),
  field("who", "node_kind", "who must be an IRI", "", "iri"),
  field("tags", "max_count", "tags must have at most 2 values", ["long", "b", 3], 2),
  field("tags", "max_length", "tags must have at most 3 characters", "long", 3),
  field("tags", "type", "tags must be text", 3, "text"),
  field("moon", "unknown_field", "moon is not a field", `${"y".repeat(261)}...`, null),
  field("cont", "unknown_field", "cont is not a field; did you mean count", 1, null),
];

// The message of a validation says what is wrong with each field.
const failed = (count, fields) =>
  `validation failed on ${count} field(s): ${fields.map(({ message }) => message).join("; ")}`;

// A condition: what is done, the code in each era, the message, the data. OURS
// marks what nobody but us could have avoided: it has a trace id.
const OURS = true;
const tool = (name, args = {}) =>
  Object.assign((client) => client.callTool({ name, arguments: args }), { reaches: name });
const thrown = (code, data) =>
  Object.assign(tool("throw", { code, message: `it was ${code}`, data }), { code });
const read = (uri) => (client) => client.readResource({ uri });
const rows = [
  // what, how, legacy, modern, message, data, is it ours
  ["no or wrong credential", thrown("unauthenticated"), -32001, -31001, "it was unauthenticated"],
  ["policy denied", thrown("policy", { policy: "a::b" }), -32002, -31002, "it was policy", { policy: "a::b" }],
  ["budget exhausted", thrown("budget", { spent: 3 }), -32003, -31003, "it was budget", { spent: 3 }],
  ["scope denied", thrown("scope", { tool: "throw" }), -32004, -31004, "it was scope", { tool: "throw" }],
  ["a code that cannot be taken over", thrown("scope", { trails_code: 1, a: 2 }), -32004, -31004, "it was scope",
    { trails_code: 1, a: 2 }],
  ["validation failed", tool("propose", REQUIREMENT), -32602, -32602,
    "validation failed on 2 field(s): status must be one of ['proposed','accepted','rejected']; "
    + "req_id must match ^REQ-\\d+$", { fields: PROPOSED }],
  ["all violations", tool("check", CHECKED), -32602, -32602, failed(12, VIOLATIONS), { fields: VIOLATIONS }],
  ["validation by a schema", tool("check_schema", { size: 2 }), -32602, -32602,
    "validation failed on 1 field(s): size must be at least 3",
    { fields: [field("size", "min_value", "size must be at least 3", 2, 3)] }],
  ["validation in a handler", tool("create", { key: "x", title: "xy" }), -32602, -32602,
    "validation failed on 2 field(s): key must match ^T-\\d+$; title must have at least 3 characters",
    { fields: [field("key", "pattern", "key must match ^T-\\d+$", "x", "^T-\\d+$"),
      field("title", "min_length", "title must have at least 3 characters", "xy", 3)] }],
  ["fields that an app refuses", thrown("validation", { fields: [PROPOSED[0]] }), -32602, -32602,
    failed(1, [PROPOSED[0]]), { fields: [PROPOSED[0]] }],
  ["fields that are none", thrown("validation", { fields: "nope" }), -32602, -32602,
    "validation failed on 1 field(s): it was validation",
    { fields: [field("", "invalid", "it was validation", null, null)] }],
  ["a field that is none", thrown("validation", { fields: [{}] }), -32602, -32602,
    "validation failed on 1 field(s): it was validation",
    { fields: [field("", "invalid", "it was validation", null, null)] }],
  ["unknown tool", tool("nobody"), -32602, -32602, "Unknown tool: nobody"],
  ["bad params", (client) => client.complete({ ref: { type: "ref/prompt", name: "none" },
    argument: { name: "a", value: "" } }), -32602, -32602, "Unknown prompt: none"],
  ["bad cursor", (client) => client.listTools({ cursor: "bogus" }), -32602, -32602, "Invalid cursor"],
  ["unknown prompt", (client) => client.getPrompt({ name: "none" }), -32602, -32602, "Unknown prompt: none"],
  ["invalid", thrown("invalid", { hint: "that" }), -32602, -32602, "it was invalid", { hint: "that" }],
  ["refused by a resource", read("errors://refused"), -32602, -32602, "not like this", { hint: "that" }],
  ["retired", tool("old_way"), -32602, -32602, "old_way is retired: use new_way",
    { reason: "retired", use: "new_way" }],
  ["bad syntax", thrown("syntax"), -32602, -32602, "it was syntax"],
  ["not found by a tool", thrown("not_found"), -32602, -32602, "it was not_found"],
  ["unsupported", thrown("unsupported"), -32602, -32602, "it was unsupported"],
  ["precondition not met", thrown("precondition", { precondition: "signed" }), -32602, -32602, "it was precondition",
    { precondition: "signed" }],
  ["conflict", thrown("conflict", { reason: "idempotency_conflict" }), -32602, -32602, "it was conflict",
    { reason: "idempotency_conflict" }],
  ["over its instructions", tool("spin"), -32603, -32603,
    placed("the handler is over its instructions budget, [lua] instructions", "while true do end"), { reason: "instructions" }, OURS],
  ["over its memory", tool("hoard"), -32603, -32603,
    placed("the handler is over its memory budget, [lua] call_bytes", "all[i] = "), { reason: "memory" }, OURS],
  ["over its time", tool("sleep"), -32603, -32603, "the call took longer than 1 s", { reason: "timeout" }, OURS],
  ["over a limit", thrown("limit"), -32603, -32603, "it was limit", {}, OURS],
  ["too busy", thrown("unavailable"), -32005, -31005, "it was unavailable", { retry_after_s: 1 }, OURS],
  ["too busy, for a time that the app knows", thrown("unavailable", { retry_after_s: 60 }), -32005, -31005,
    "it was unavailable", { retry_after_s: 60 }, OURS],
  ["store failing", thrown("io"), -32603, -32603, "it was io", {}, OURS],
  ["no memory", thrown("no_memory"), -32603, -32603, "it was no_memory", {}, OURS],
  ["uncategorised: a text is thrown", tool("crash"), -32603, -32603,
    placed("the moon is at fault"), {}, OURS],
  ["uncategorised: Lua itself", tool("index"), -32603, -32603,
    placed("attempt to index a nil value (local 'none')", "none.field"), {}, OURS],
  ["uncategorised: in what it invokes", tool("through"), -32603, -32603,
    placed("the moon is at fault"), {}, OURS],
  ["uncategorised: no such code", tool("throw", { code: "moon", message: "new", data: { a: 1 } }), -32603, -32603,
    "new", { a: 1 }, OURS],
  ["uncategorised: a trace id that cannot be taken over", thrown("internal", { trace_id: "mine" }), -32603, -32603,
    "it was internal", {}, OURS],
  ["uncategorised: a promise that is not kept", tool("misfit"), -32603, -32603,
    placed("the output does not fit: n must be an integer", 'capability "misfit"'), {}, OURS],
  ["uncategorised: a resource", read("errors://crash"), -32603, -32603,
    placed("the sun is at fault"), {}, OURS],
  ["uncategorised: a prompt", (client) => client.getPrompt({ name: "crash" }), -32603, -32603,
    placed("the stars are at fault"), {}, OURS],
];

// The clients put the code before the message.
const said = (error) => error.message.replace(/^MCP error -?\d+: /, "");

function compare(error, isModern, [what, , legacy, modern, message, data, isOurs]) {
  const wanted = isModern && modern !== legacy ? { ...data, trails_code: legacy } : data;
  const found = error.data && { ...error.data };
  if (isOurs) {
    assert.match(found.trace_id, TRACE, what);
    delete found.trace_id;
  }
  assert.equal(error.code, isModern ? modern : legacy, what);
  assert.equal(said(error), message, what);
  assert.deepEqual(found, wanted, what);
}

for (const kind of KINDS) {
  for (const transport of ["http", "stdio"]) {
    test(`${kind.kind}, ${transport}: each condition has its code, message and data`, async (t) => {
      const client = await connect(kind, transport === "http" ? server.url : APP);
      for (const row of rows) {
        await t.test(row[0], async () => compare(await failure(row[1](client)), kind.isModern, row));
      }
      await client.close();
    });
  }
}

// What is not there ------------------------------------------------------------

for (const kind of KINDS) {
  test(`${kind.kind}: a resource that is not there is named`, async () => {
    const client = await connect(kind, server.url);
    for (const uri of ["errors://never", "errors://nothing", "errors://lost", "trails://kg/Nothing"]) {
      const error = await failure(client.readResource({ uri }));
      assert.equal(said(error), "Resource not found", uri);
      assert.deepEqual(error.data, { uri });
      if (kind.sdk === v1) assert.equal(error.code, -32002, uri);
      const { error: raw } = await ask(server.url, "resources/read", { uri });
      assert.deepEqual(raw, { code: -32602, message: "Resource not found", data: { uri } });
    }
    await client.close();
  });
}

// What an app says itself ------------------------------------------------------

const REFUSED = [{ type: "text", text: "no such order" }, { type: "text", text: '{"order":7}' }];

for (const kind of KINDS) {
  test(`${kind.kind}: what is retired is not listed, what is deprecated says so in its results`, async () => {
    const client = await connect(kind, server.url);
    const { tools } = await client.listTools();
    const names = tools.map((one) => one.name);
    assert.ok(!names.includes("old_way"));
    for (const name of ["new_way", "fading"]) assert.ok(names.includes(name), name);
    assert.ok(!JSON.stringify(tools.find((one) => one.name === "fading")).includes("deprecated"));
    const meta = async (name) => (await client.callTool({ name }))._meta["dev.trails/deprecated"];
    assert.deepEqual(await meta("fading"), {});
    assert.equal(await meta("new_way"), undefined);
    await client.close();
  });
}

for (const kind of KINDS) {
  test(`${kind.kind}: an error that is returned is a result`, async () => {
    const client = await connect(kind, server.url);
    await client.listTools(); // so that the client holds results against them
    const plain = await client.callTool({ name: "refuse", arguments: {} });
    assert.equal(plain.isError, true);
    assert.deepEqual(plain.content, REFUSED);
    assert.deepEqual(plain.structuredContent, { order: 7 });
    const promised = await client.callTool({ name: "refuse_promised", arguments: { n: 1 } });
    assert.equal(promised.isError, true);
    assert.deepEqual(promised.content, REFUSED);
    assert.equal(promised.structuredContent, undefined, "it is not what was promised");
    await client.close();
  });
}

// What only the writer can decide ----------------------------------------------

for (const kind of KINDS) {
  test(`${kind.kind}: the writer's field errors are of the same form`, async () => {
    const client = await connect(kind, server.url);
    const run = async (name, args) => JSON.parse((await client.callTool({ name, arguments: args })).content[0].text);
    const fields = async (name, args) => {
      const error = await failure(client.callTool({ name, arguments: args }));
      assert.equal(error.code, -32602);
      const items = error.data.fields.map(({ node, other, ...rest }) => {
        assert.match(node, /^trails:\/\/errors\//);
        return rest;
      });
      assert.equal(said(error), failed(new Set(items.map((item) => item.field)).size, items));
      return items;
    };
    const number = KINDS.indexOf(kind) + 1;
    const { id: owner } = await run("name", { name: "Ann" });
    const { id: one } = await run("create", { key: `T-${number}`, title: "First", project: "p", number, owner });
    const { n } = await run("count", {});

    assert.deepEqual(await fields("create", { key: `T-${number}`, title: "Again" }),
      [field("key", "unique", "key must be unique", `T-${number}`, ["key"])]);
    assert.deepEqual(await fields("create", { key: "T-90", title: "Second", project: "p", number, owner }),
      [field("project", "unique", "project must be unique together with number", ["p", number],
        ["project", "number"])]);
    for (const who of ["trails://errors/Person/nobody", one]) {
      const [wrong, ...others] = await fields("create", { key: "T-91", title: "Third", owner: who });
      const name = who === one ? who : "nobody";
      assert.ok(wrong.message.startsWith(`owner: there is no Person ${name}; `), wrong.message);
      assert.match(wrong.message, /trails:\/\/kg\/Person lists them$/);
      assert.deepEqual([wrong, ...others],
        [field("owner", "class", wrong.message, who, "trails://errors/Person")]);
    }
    assert.deepEqual(
      await fields("create", { key: "T-92", title: "low", project: "q", number: 1, weight: 0.75, state: "closed" }),
      [
        field("owner", "min_count", "owner must have at least 1 value", null, 1),
        field("state", "one_of", "state must be one of ['open']", "closed", ["open"]),
        field("weight", "max_value", "weight must be at most 0.5", 0.75, 0.5),
        field("title", "pattern", "title must match ^[A-Z]", "low", "^[A-Z]"),
        field("title", "min_length", "title must have at least 5 characters", "low", 5),
      ]);
    const long = "z".repeat(300);
    assert.deepEqual(await fields("add", { subject: one, predicate: "trails://errors/Ticket#state", object: long }),
      [
        field("state", "max_count", "state must have at most 1 value", null, 1),
        field("state", "one_of", "state must be one of ['open','closed']", `${"z".repeat(253)}...`,
          ["open", "closed"]),
        field("state", "max_count", "state must have at most 1 value", null, 1),
        field("state", "one_of", "state must be one of ['open']", `${"z".repeat(253)}...`, ["open"]),
      ]);
    assert.deepEqual(await run("count", {}), { n }, "nothing has landed");
    await client.close();
  });

  test(`${kind.kind}: a version that is not the latest is a conflict`, async () => {
    const client = await connect(kind, server.url);
    const { id } = JSON.parse((await client.callTool({ name: "name", arguments: { name: "Bo" } })).content[0].text);
    const error = await failure(client.callTool({ name: "rename", arguments: { id, name: "Bob", version: 7 } }));
    assert.equal(error.code, -32602);
    const read = `trails://kg/Person/${id.split("/").at(-1)}`;
    assert.equal(said(error), `<${id}> is at version 1, not 7: read it again as ${read}`);
    assert.deepEqual(error.data, { reason: "conflict" });
    await client.close();
  });
}

// Where to look ----------------------------------------------------------------

async function lineOf(client, log, traceId) {
  for (;;) {
    const line = log.map((text) => (text.startsWith("{") ? JSON.parse(text) : {}))
      .find(({ msg, trace_id: id }) => msg === "fault" && id === traceId);
    if (line) return line;
    await client.listTools();
  }
}

// A look is an activity, too, and few are shown: so each waits longer.
async function activityOf(client, traceId) {
  for (let pause = 50; ; pause *= 2) {
    const { contents } = await client.readResource({ uri: "trails://prov/latest" });
    const found = JSON.parse(contents[0].text).activities.find(({ trace_id: id }) => id === traceId);
    if (found) return found;
    await setTimeout(pause);
  }
}

// The activity of a call that has written nothing comes a little later.
async function recorded(client, uri) {
  for (let pause = 20; pause < 20000; pause *= 2) {
    try {
      return (await client.readResource({ uri })).contents[0].text;
    } catch {
      await setTimeout(pause);
    }
  }
  throw new Error(`there is no ${uri}`);
}

async function checkTrace(kind, at, wanted) {
  const client = await connect(kind, at.url);
  const error = await failure(client.callTool({
    name: "throw",
    arguments: { code: "internal", message: "the cellar is flooded", data: { depth: 3 } },
  }));
  assert.equal(error.code, -32603);
  assert.equal(said(error), wanted.message);
  const { trace_id: traceId, ...rest } = error.data;
  assert.match(traceId, TRACE);
  assert.deepEqual(rest, wanted.data);
  const { time, ...line } = await lineOf(client, at.log, traceId);
  assert.deepEqual(line, {
    level: "error", msg: "fault", method: "tools/call", name: "throw", trace_id: traceId,
    error: "the cellar is flooded",
  });
  if (wanted.isStranger) {
    const { contents } = await client.readResource({ uri: "trails://prov/latest" });
    assert.deepEqual(JSON.parse(contents[0].text).activities, [], "strangers see none");
  } else {
    const activity = await activityOf(client, traceId);
    assert.equal(activity.name, "throw");
    assert.equal(activity.outcome, "failed");
    assert.ok(!JSON.stringify(activity).includes("cellar"), "provenance does not say what was said");
  }
  await client.close();
}

for (const kind of KINDS) {
  test(`${kind.kind}: the trace id of a fault is in the log and in provenance`, () =>
    checkTrace(kind, server, { message: "the cellar is flooded", data: { depth: 3 } }));
}

test("in production a client is shown the trace id and no more", async () => {
  env.TRAILS_ENV = "production";
  const production = await serve(APP);
  delete env.TRAILS_ENV;
  for (const kind of KINDS) {
    await checkTrace(kind, production, { message: "internal error", data: {}, isStranger: true });
    const client = await connect(kind, production.url);
    // What an app foresees, and what a client can do something about, is shown.
    for (const row of rows.filter(([what]) => !/^uncategorised|^store failing|^no memory/.test(what))) {
      compare(await failure(row[1](client)), kind.isModern, row.with(4, row[4].replace(PLACE, "")));
    }
    for (const name of ["crash", "index", "misfit"]) {
      assert.equal(said(await failure(client.callTool({ name, arguments: {} }))), "internal error", name);
    }
    await client.close();
  }
  assert.equal(await production.stop(), 0);
});

// For hosts that hide errors from the model --------------------------------------

const OWN = {
  validation: '[mcp]\nvalidation_errors = "tool"\n',
  tool: '[mcp]\nerrors = "tool"\n',
};

// The app with other settings in [mcp].
function told(setting) {
  const app = join(folder, setting);
  cpSync(APP, app, { recursive: true });
  const toml = readFileSync(`${APP}/trails.toml`, "utf8");
  writeFileSync(join(app, "trails.toml"), toml.replace("[mcp]\n", OWN[setting]));
  return app;
}

// The host has to act on these.
const isForHost = ({ reaches, code }) =>
  !reaches || reaches === "nobody" || ["scope", "unauthenticated"].includes(code);

function compareResult(result, isModern, [what, , legacy, modern, message, data, isOurs], app) {
  const wanted = isModern && modern !== legacy ? { ...data, trails_code: legacy } : data;
  const [text, more, ...rest] = result.content;
  const found = more && JSON.parse(more.text);
  assert.equal(result.isError, true, what);
  assert.deepEqual(rest, [], what);
  assert.deepEqual(result.structuredContent, what.includes("promise") ? undefined : found, what);
  assert.match(result._meta["dev.trails/provenance"], /^trails:\/\/prov\//, what);
  assert.match(result._meta["dev.trails/trace_id"], TRACE, what);
  if (isOurs) {
    assert.equal(found.trace_id, result._meta["dev.trails/trace_id"], what);
    delete found.trace_id;
  }
  assert.equal(text.text, message.replace(APP, app), what);
  assert.deepEqual(found, wanted, what);
}

for (const setting of Object.keys(OWN)) {
  test(`with ${setting} each condition of a call that reached its tool is a result`, async (t) => {
    const app = told(setting);
    const server = await serve(app);
    for (const kind of KINDS) {
      for (const transport of setting === "tool" ? ["http", "stdio"] : ["http"]) {
        const client = await connect(kind, transport === "http" ? server.url : app);
        await client.listTools(); // so that the client holds results against them
        for (const row of rows) {
          await t.test(`${kind.kind}, ${transport}: ${row[0]}`, async () => {
            if (isForHost(row[1])) {
              compare(await failure(row[1](client)), kind.isModern, row.with(4, row[4].replace(APP, app)));
            } else {
              compareResult(await row[1](client), kind.isModern, row, app);
            }
          });
        }
        assert.equal((await client.callTool({ name: "new_way", arguments: {} })).isError, undefined);
        await client.close();
      }
    }
    assert.equal(await server.stop(), 0);
  });
}

test("an error that is a result is in the log and in provenance, and production hides it", async () => {
  const app = told("tool");
  for (const [name, message, data] of [["development", "the cellar is flooded", { depth: 3 }],
    ["production", "internal error", {}]]) {
    env.TRAILS_ENV = name;
    const server = await serve(app);
    delete env.TRAILS_ENV;
    for (const kind of KINDS) {
      const client = await connect(kind, server.url);
      const result = await client.callTool({
        name: "throw",
        arguments: { code: "internal", message: "the cellar is flooded", data: { depth: 3 } },
      });
      const traceId = result._meta["dev.trails/trace_id"];
      assert.equal(result.content[0].text, message);
      assert.deepEqual(JSON.parse(result.content[1].text), { ...data, trace_id: traceId });
      assert.equal((await lineOf(client, server.log, traceId)).error, "the cellar is flooded");
      // Nobody has no activities of its own but those of its session.
      if (name === "development" || !kind.isModern) {
        const text = await recorded(client, result._meta["dev.trails/provenance"]);
        assert.ok(text.includes("failed"), text);
      }
      await client.close();
    }
    assert.equal(await server.stop(), 0);
  }
});

test("an error that is a result is not kept under an idempotency key", async () => {
  const server = await serve(told("tool"));
  for (const kind of KINDS) {
    const client = await connect(kind, server.url);
    const name = `Zoe ${kind.kind}`;
    const call = () => client.callTool({
      name: "keyed", arguments: { name }, _meta: { "dev.trails/idempotency_key": `key ${kind.kind}` },
    });
    for (let i = 0; i < 2; i++) assert.equal((await call()).content[0].text, `there is no ${name}`);
    await client.callTool({ name: "name", arguments: { name } });
    for (let i = 0; i < 2; i++) assert.equal((await call()).content[0].text, `${name} is there`);
    await client.close();
  }
  assert.equal(await server.stop(), 0);
});
