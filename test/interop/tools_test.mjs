// Tools over MCP, by the official clients: what they are said to take and give,
// the ready-made ones, what is refused, and what hosts would refuse.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { assertVerdicts, env, serve, stdio } from "../js/server.mjs";

const APP = "test/apps/tools";
const DRAFT_07 = "http://json-schema.org/draft-07/schema#";
const require = createRequire(new URL("../js/package.json", import.meta.url));
const load = (name) => import(require.resolve(name));
const mcp = (name) => load(`@modelcontextprotocol/${name}`);
const { Ajv } = await load("ajv");
const addFormats = (await load("ajv-formats")).default;
const v2 = { ...(await mcp("client")), ...(await mcp("client/stdio")) };
const v1 = {
  ...(await mcp("sdk/types.js")),
  ...(await mcp("sdk/client/index.js")),
  ...(await mcp("sdk/client/streamableHttp.js")),
};

const folder = mkdtempSync(join(tmpdir(), "trails-tools-"));
env.TRAILS_STORE = join(folder, "data");
let server;
let client; // 2026-07-28
let legacy; // with a session
let tools;
let ann;

before(async () => {
  server = await serve(APP);
  client = await connect(v2, "2026-07-28");
  legacy = await connect(v1);
  tools = byName((await client.listTools()).tools);
  ann = (await call("create_person", { name: "Ann", email: "ann@example.org" })).id;
});
after(async () => {
  await client.close();
  await legacy.close();
  assert.equal(await server.stop(), 0, "the server ends cleanly");
  assertVerdicts();
  rmSync(folder, { recursive: true });
});

async function connect(sdk, pin) {
  const made =
    sdk === v1
      ? new v1.Client({ name: "tools", version: "1" })
      : new v2.Client({ name: "tools", version: "1" }, { versionNegotiation: { mode: pin ? { pin } : "legacy" } });
  await made.connect(new sdk.StreamableHTTPClientTransport(new URL(server.url)));
  return made;
}

const byName = (list) => Object.fromEntries(list.map((tool) => [tool.name, tool]));

// What a tool gives: structured, and the same as text, in both eras. The
// clients hold it against the outputSchema, as they were told to.
async function call(name, args, by = client) {
  const result = await by.callTool({ name, arguments: args });
  assert.ok(!result.isError, name);
  assert.equal(result.content.length, 1);
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent, name);
  return result.structuredContent;
}

async function refused(name, args, check) {
  for (const by of [client, legacy]) {
    await assert.rejects(by.callTool({ name, arguments: args }), (error) => {
      assert.equal(error.code, -32602, `${name}: ${error.message}`);
      check(error.data, error.message);
      return true;
    });
  }
}

const fields = (...expected) => (data) =>
  assert.deepEqual(data.fields.map(({ field, code }) => `${field} ${code}`), expected);

let numbers = 0;
const item = (more) =>
  call("create_work_item", { project: "HUB", number: ++numbers, title: `Item ${numbers}`, tags: ["x"], ...more });

// How a schema is written ----------------------------------------------------

test("refs name their type, also as items, and what is unique together is said", () => {
  const { inputSchema } = tools.create_work_item;
  const wanted = "a Person, as find_person gives it, such as trails://tools/Person/ID, or just ID.";
  assert.deepEqual(inputSchema.properties.owner, {
    description: `The id of ${wanted}`, format: "iri", "trails:node_type": "Person", type: "string",
  });
  assert.deepEqual(inputSchema.properties.watchers, {
    description: `Ids, each of ${wanted}`,
    items: { format: "iri", "trails:node_type": "Person", type: "string" },
    type: "array",
  });
  assert.equal(inputSchema.description, "Something to do. Unique together: (project, number).");
  assert.equal(inputSchema.additionalProperties, false);
  assert.deepEqual(inputSchema.required, ["project", "number", "title", "tags"]);
  assert.equal(
    tools.create_bug.inputSchema.description,
    "Unique together: (number, severity). Unique together: (project, number).",
    "what its ancestors ask for holds, too",
  );
});

test("each revision gets the schemas, annotations and _meta that it knows", async () => {
  const list = async (protocolVersion) => {
    const lines = [
      { id: 1, method: "initialize", params: { protocolVersion, capabilities: {}, clientInfo: { name: "t", version: "1" } } },
      { method: "notifications/initialized" },
      { id: 2, method: "tools/list" },
    ];
    const input = lines.map((line) => JSON.stringify({ jsonrpc: "2.0", ...line })).join("\n") + "\n";
    const { command, args } = stdio(APP);
    const done = spawnSync(command, args, { env: { ...env, TRAILS_STORE: ":memory:" }, input, encoding: "utf8" });
    const answers = done.stdout.trim().split("\n").map((line) => JSON.parse(line));
    return byName(answers.find(({ id }) => id === 2).result.tools);
  };
  const expected = [
    ["2024-11-05", []],
    ["2025-03-26", ["annotations"]],
    ["2025-06-18", ["annotations", "outputSchema", "_meta"]],
    ["2025-11-25", ["annotations", "outputSchema", "_meta", "$schema"]],
  ];
  for (const [revision, has] of expected) {
    for (const tool of Object.values(await list(revision))) {
      const what = `${tool.name} in ${revision}`;
      const promises = tool.name !== "dotted.name" && tool.name !== "union";
      assert.equal("annotations" in tool, has.includes("annotations"), what);
      assert.equal("_meta" in tool, has.includes("_meta"), what);
      assert.equal("outputSchema" in tool, has.includes("outputSchema") && promises, what);
      for (const schema of [tool.inputSchema, tool.outputSchema]) {
        if (!schema || tool.name === "union") continue;
        assert.equal(schema.$schema, has.includes("$schema") ? DRAFT_07 : undefined, what);
      }
    }
  }
});

test("annotations follow from what a tool does", () => {
  const hints = (readOnlyHint, destructiveHint, idempotentHint) =>
    ({ readOnlyHint, destructiveHint, idempotentHint, openWorldHint: false });
  assert.deepEqual(tools.create_person.annotations, hints(false, false, false));
  assert.deepEqual(tools.update_person.annotations, hints(false, true, true));
  assert.deepEqual(tools.delete_person.annotations, hints(false, true, true));
  assert.deepEqual(tools.find_person.annotations, hints(true, false, true));
  assert.deepEqual(tools.period.annotations, hints(true, false, false));
  assert.deepEqual(tools.report_bug.annotations, hints(false, true, false));
});

// Whoever reads only the schemas comes to the same verdict as the server.
test("schemas are draft-07, and ajv takes and refuses what the server does", async () => {
  const ajv = new Ajv({ strict: true, strictTypes: false, keywords: ["trails:node_type", "x-mcp-header"] });
  addFormats(ajv);
  ajv.addFormat("iri", (text) => URL.canParse(text));
  for (const tool of Object.values(tools)) {
    if (tool.name === "union") continue;
    assert.ok(ajv.validateSchema(tool.inputSchema), tool.name);
    assert.ok(ajv.validateSchema(tool.outputSchema ?? true), tool.name);
  }
  const good = { project: "HUB", number: 900, title: "Valid", tags: ["x"], due: "2026-07-28T12:00:00Z", owner: ann };
  const takes = ajv.compile(tools.create_work_item.inputSchema);
  assert.ok(takes(good), JSON.stringify(takes.errors));
  const gives = ajv.compile(tools.create_work_item.outputSchema);
  assert.ok(gives(await call("create_work_item", good)), JSON.stringify(gives.errors));
  const bad = [
    [{ number: 0 }, "number min_value"],
    [{ number: 1.5 }, "number type"],
    [{ title: "no" }, "title min_length"],
    [{ state: "lost" }, "state one_of"],
    [{ effort: 0 }, "effort min_exclusive"],
    [{ urgent: "yes" }, "urgent type"],
    [{ due: "tomorrow" }, "due type"],
    [{ owner: "Ann" }, "owner node_kind"],
    [{ tags: [] }, "tags min_count"],
    [{ tags: ["a", "b", "c", "d"] }, "tags max_count"],
    [{ colour: 1 }, "colour unknown_field"],
    [{ title: undefined }, "title required"],
  ];
  for (const [change, code] of bad) {
    const args = JSON.parse(JSON.stringify({ ...good, number: 901, ...change }));
    assert.equal(takes(args), false, code);
    await refused("create_work_item", args, fields(code));
  }
});

test("what is structured can be read in the content, also beside a text", async () => {
  for (const by of [client, legacy]) {
    const result = await by.callTool({ name: "both", arguments: {} });
    assert.deepEqual(result.structuredContent, { n: 7 });
    assert.deepEqual(result.content.map(({ text }) => text), ["It is seven.", '{"n":7}']);
  }
});

test("a tool that breaks its promise fails, one that returns an error does not", async () => {
  for (const [how, says] of [["text", "there is none"], ["nothing", "there is none"], ["wrong", "n must be an integer"]]) {
    await assert.rejects(client.callTool({ name: "broken", arguments: { how } }), (error) => {
      assert.equal(error.code, -32603);
      assert.match(error.message, new RegExp(`the output does not fit: ${says}`));
      return true;
    });
  }
  const result = await client.callTool({ name: "broken", arguments: { how: "error" } });
  assert.equal(result.isError, true);
});

// The ready-made ones --------------------------------------------------------

test("create gives the node, with defaults, and says all that is wrong", async () => {
  const made = await item({ owner: ann, effort: 2.5 });
  assert.match(made.id, /^trails:\/\/tools\/WorkItem\//);
  assert.deepEqual(
    { ...made, id: 0 },
    { id: 0, _type: "WorkItem", _version: 1, project: "HUB", number: numbers, title: `Item ${numbers}`,
      state: "open", effort: 2.5, owner: ann, watchers: [], tags: ["x"] },
  );
  await refused("create_work_item", { project: "SHED", title: 3, colour: 1 }, (data, message) => {
    assert.match(message, /validation failed on 5 field\(s\): project must be one of .*; colour is not a field/);
    fields("project one_of", "number required", "title type", "tags required", "colour unknown_field")(data);
  });
});

test("what must be unique is refused with its fields", async () => {
  const { number } = await item();
  await refused("create_work_item", { project: "HUB", number, title: "Again", tags: ["x"] }, (data) => {
    fields("project unique")(data);
    assert.deepEqual(data.fields[0].constraint, ["project", "number"]);
  });
  await refused("create_person", { name: "Eve", email: "ann@example.org" }, fields("email unique"));
});

test("a ref that leads nowhere is refused with its field", async () => {
  await refused("create_work_item",
    { project: "HUB", number: 902, title: "Whose", tags: ["x"], owner: "trails://tools/Person/nobody" },
    fields("owner class"));
});

test("where whoever creates says the id, it is needed, and taken once", async () => {
  const id = "trails://tools/Place/here";
  await refused("create_place", { name: "Here" }, fields("id required"));
  assert.deepEqual(await call("create_place", { id, name: "Here" }), { id, _type: "Place", _version: 1, name: "Here" });
  await refused("create_place", { id, name: "Here" }, (data, message) => {
    assert.deepEqual(data, { reason: "conflict" });
    assert.match(message, /there is a <trails:\/\/tools\/Place\/here> already/);
  });
});

test("update leaves alone what is not given or null, and `clear` takes away what is optional", async () => {
  const { id } = await item({ owner: ann, urgent: true });
  const same = await call("update_work_item", { id, state: "done", owner: null, title: null, version: null });
  assert.equal(same.owner, ann);
  const changed = await call("update_work_item", { id, clear: ["owner"], owner: null });
  assert.equal(changed._version, 3);
  assert.equal(changed.state, "done");
  assert.equal(changed.urgent, true);
  assert.ok(!("owner" in changed));
  await refused("update_work_item", { id, clear: ["title"] }, fields("clear one_of"));
  await refused("update_work_item", { id, clear: ["due"], due: "2026-01-02T03:04:05Z" }, fields("due clear"));
  await refused("update_work_item", { id, tags: [null] }, fields("tags type"));
  await refused("update_work_item", { id, title: 3, tags: [] }, fields("title type", "tags min_count"));
  await refused("update_work_item", { state: "done" }, fields("id required"));
  await refused("update_work_item", { id, colour: 1 }, fields("colour unknown_field"));
});

test("update and delete are refused when somebody was faster", async () => {
  const { id } = await item();
  const { _version } = await call("update_work_item", { id, version: 1, state: "done" }, legacy);
  assert.equal(_version, 2);
  for (const name of ["update_work_item", "delete_work_item"]) {
    await refused(name, { id, version: 1 }, (data, message) => {
      assert.equal(data.reason, "conflict");
      assert.match(message, /is at version 2, not 1: read it again with find_work_item$/);
    });
    await refused(name, { id, version: "2" }, fields("version type"));
  }
  assert.deepEqual(await call("delete_work_item", { id, version: 2 }), { id, deleted: true });
});

test("an id of nothing, or of another type, is not found", async () => {
  const { id } = await item();
  for (const wrong of ["trails://tools/WorkItem/nothing", ann, "urn:x:y"]) {
    for (const name of ["update_work_item", "delete_work_item"]) {
      await refused(name, { id: wrong }, (data, message) => {
        assert.deepEqual(data, { reason: "not_found", id: wrong });
        const name = wrong.replace("trails://tools/WorkItem/", "");
        assert.ok(message.replace(/^MCP error -32602: /, "").startsWith(`there is no WorkItem ${name}; `), message);
        assert.match(message, /find_work_item lists them$/);
      });
    }
  }
  await refused("delete_work_item", { id: "1" }, (data) =>
    assert.deepEqual(data, { reason: "not_found", id: "trails://tools/WorkItem/1" }));
  await call("delete_work_item", { id });
  await refused("delete_work_item", { id }, (data) => assert.equal(data.reason, "not_found"));
});

test("what others need is not deleted", async () => {
  const person = (await call("create_person", { name: "Cyd" })).id;
  const { id } = await item({ owner: person });
  await refused("delete_person", { id: person }, (data, message) => {
    const name = person.split("/").at(-1);
    assert.ok(message.endsWith(`cannot delete ${name}: still needed by WorkItem Item ${numbers} (field owner)`), message);
    fields("owner class")(data);
    assert.equal(data.fields[0].node, id);
  });
  await call("update_work_item", { id, clear: ["owner"] });
  assert.deepEqual(await call("delete_person", { id: person }), { id: person, deleted: true });
});

test("find takes several values, pages and shows a part", async () => {
  const owner = (await call("create_person", { name: "Dot" })).id;
  const made = [];
  for (let i = 0; i < 5; i++) made.push((await item({ owner, state: i % 2 ? "done" : "open", effort: 3 })).id);
  await item({ effort: 3 });
  const found = await call("find_work_item", { owner, effort: 3 });
  assert.deepEqual(found.items.map(({ id }) => id), made);
  assert.ok(!("next" in found));
  const open = await call("find_work_item", { owner, state: "open", fields: ["state"] });
  assert.deepEqual(open.items[0], { id: made[0], _type: "WorkItem", _version: 1, state: "open" });
  assert.equal(open.items.length, 3);
  const paged = [];
  let cursor;
  do {
    const page = await call("find_work_item", { owner, limit: 2, ...(cursor && { cursor }) });
    assert.ok(page.items.length <= 2);
    paged.push(...page.items.map(({ id }) => id));
    cursor = page.next;
  } while (cursor);
  assert.deepEqual(paged, made);
});

test("find refuses other people's cursors and values of another kind", async () => {
  const { next } = await call("find_work_item", { limit: 1 });
  const invalid = (data) => assert.deepEqual(data, { field: "cursor", reason: "invalid_cursor" });
  await refused("find_work_item", { state: "open", cursor: next }, invalid);
  await refused("find_person", { cursor: next }, invalid);
  await refused("find_work_item", { cursor: next.slice(0, -1) }, invalid);
  await refused("find_work_item", { number: "1" }, fields("number type"));
  await refused("find_work_item", { limit: 101 }, fields("limit max_value"));
  await refused("find_work_item", { limit: 0 }, fields("limit min_value"));
  await refused("find_work_item", { fields: ["colour"] }, fields("fields one_of"));
  await refused("find_work_item", { tags: "x" }, fields("tags unknown_field"));
});

test("25 are found unless more are asked for, and instances of subtypes are among them", async () => {
  const owner = (await call("create_person", { name: "Fay" })).id;
  for (let i = 0; i < 26; i++) await item({ owner });
  const bug = await call("create_bug",
    { project: "HUB", number: ++numbers, title: "A bug", tags: ["x"], owner, severity: 2 });
  assert.equal((await call("find_work_item", { owner })).items.length, 25);
  const all = await call("find_work_item", { owner, limit: 100 });
  assert.equal(all.items.length, 27);
  assert.deepEqual(all.items.at(-1), bug);
  assert.equal((await call("update_work_item", { id: bug.id, state: "done" })).severity, 2);
});

// By name, from a handler, from the command line -----------------------------

test("a capability takes and gives a type, or a shape, by its name", async () => {
  assert.deepEqual(tools.report_bug.inputSchema, tools.create_bug.inputSchema);
  assert.deepEqual(tools.report_bug.outputSchema, tools.create_bug.outputSchema);
  const bug = { project: "DOCK", number: 1, title: "Reported", tags: ["x"], severity: 1 };
  const made = await call("report_bug", bug);
  assert.equal(made._type, "Bug");
  await refused("report_bug", { ...bug, severity: 9 }, fields("severity max_value"));
  assert.deepEqual(Object.keys(tools.period.inputSchema.properties), ["from", "to"]);
  assert.deepEqual(await call("period", { from: "2026-07-28T12:00:00Z" }), { from: "2026-07-28T12:00:00Z" });
  await refused("period", { to: "x" }, fields("from required", "to type"));
});

test("a handler invokes ready-made tools, and what they change lands together", async () => {
  const { person, item: id, found } = await call("hire", { name: "Gil", title: "Learn" });
  assert.equal(found, 1);
  assert.equal((await call("find_work_item", { owner: person })).items[0].id, id);
  const before = (await call("find_person", { limit: 100 })).items.length;
  await refused("hire", { name: "Hal", title: "no" }, fields("title min_length"));
  assert.equal((await call("find_person", { limit: 100 })).items.length, before, "Hal is gone, too");
});

// Writes are recorded with what they write, reads a little later.
test("provenance knows ready-made tools by their name, and what they changed and read", async () => {
  const { id } = await item();
  const latest = async (key) => {
    const { text } = (await client.readResource({ uri: "trails://prov/latest" })).contents[0];
    return JSON.parse(text).activities.filter((activity) => activity[key].includes(id)).map(({ name }) => name);
  };
  assert.deepEqual(await latest("generated"), ["create_work_item"]);
  let used = [];
  for (let tries = 0; !used.length && tries < 1000; tries++) {
    await call("find_work_item", { number: numbers });
    used = await latest("used");
  }
  assert.equal(used[0], "find_work_item");
  await call("delete_work_item", { id });
  assert.deepEqual(await latest("invalidated"), ["delete_work_item"]);
});

test("the command line calls them and shows what hosts would refuse", () => {
  const run = (...args) => spawnSync("build/debug/trails", args, { env, encoding: "utf8" });
  const made = run("call", "--app", APP, "create_person", "--json", '{"name":"Ida"}');
  assert.equal(made.status, 0, made.stderr);
  assert.equal(JSON.parse(made.stdout).name, "Ida");
  const wrong = run("call", "--app", APP, "create_person", "--json", "{}");
  assert.equal(wrong.status, 1);
  assert.match(wrong.stderr, /name is required/);
  const page = run("call", "--app", APP, "find_person", "--json", '{"limit":1}');
  const { next } = JSON.parse(page.stdout);
  const second = run("call", "--app", APP, "find_person", "--json", JSON.stringify({ cursor: next, limit: 1 }));
  assert.equal(JSON.parse(second.stdout).items.length, 1, second.stderr);
  const { findings, capabilities } = JSON.parse(run("check", "--json", APP).stdout);
  assert.ok(capabilities.includes("find_work_item"));
  assert.deepEqual(findings.map(({ capability, path }) => `${capability} ${path}`),
    ["dotted.name ", "union /anyOf", "union /properties/a"]);
});

test("trails://doctor warns of the same", async () => {
  const doctor = JSON.parse((await client.readResource({ uri: "trails://doctor" })).contents[0].text);
  assert.equal(doctor.status, "warn");
  const warnings = doctor.checks.filter(({ status }) => status === "warn");
  assert.deepEqual(warnings.map(({ id, message }) => `${id} ${message}`), [
    "mcp.names dotted.name: hosts refuse dots in a tool's name, or put underscores there",
    "mcp.schemas union: /anyOf: several hosts refuse combinators at the root",
    "mcp.schemas union: /properties/a: some hosts refuse a list of types",
  ]);
  assert.equal(warnings[0].fix, 'trails.toml: [mcp] tool_names = "portable"');
});
