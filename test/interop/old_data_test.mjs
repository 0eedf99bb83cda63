// Data that is older than its type: an app writes, the same app with stricter
// types serves the store. Whatever is asked is answered, in both eras, and the
// official clients hold each answer against the schema that they were given.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { KINDS, connect, failure } from "../js/clients.mjs";
import { assertVerdicts, env, serveWith } from "../js/server.mjs";

const UNFIT = "dev.trails/unfit";

// Each way to make a type stricter: its fields before and after, what is
// stored, and what is wrong with that then. `without` is left out of what
// clients hold against the schema, because it is of another kind.
const WAYS = {
  Shorter: { before: "f = text", after: "f = text { max_length = 3 }", stored: { f: "long text" }, wrong: ["f max_length"] },
  Longer: { before: "f = text", after: "f = text { min_length = 30 }", stored: { f: "short" }, wrong: ["f min_length"] },
  Required: { before: "f = text { optional = true }", after: "f = text", stored: {}, wrong: ["f required"] },
  Added: { before: "f = text", after: "f = text, g = integer", stored: { f: "x" }, wrong: ["g required"] },
  Defaulted: { before: "f = text", after: 'f = text, g = text { default = "d" }', stored: { f: "x" }, wrong: [] },
  Narrowed: { before: 'f = text { one_of = { "a", "b" } }', after: 'f = text { one_of = { "a" } }', stored: { f: "b" }, wrong: ["f one_of"] },
  Fewer: { before: "f = text { many = true }", after: "f = text { many = true, max_count = 1 }", stored: { f: ["a", "b"] }, wrong: ["f max_count"] },
  More: { before: "f = text { many = true }", after: "f = text { many = true, min_count = 3 }", stored: { f: ["a", "b"] }, wrong: ["f min_count"] },
  Matched: { before: "f = text", after: 'f = text { pattern = "^[0-9]+$" }', stored: { f: "letters" }, wrong: ["f pattern"] },
  Less: { before: "f = integer", after: "f = integer { max_value = 5, min_value = 1 }", stored: { f: 7 }, wrong: ["f max_value"] },
  Counted: { before: "f = text", after: "f = integer", stored: { f: "seven" }, wrong: ["f type"], without: ["f"] },
  Worded: { before: "f = integer", after: "f = text", stored: { f: 7 }, wrong: ["f type"], without: ["f"] },
  Timed: { before: "f = text", after: "f = datetime", stored: { f: "noon" }, wrong: ["f type"], without: ["f"] },
  Pointed: { before: "f = text", after: 'f = ref "Shorter"', stored: { f: "there" }, wrong: ["f node_kind"], without: ["f"] },
  Single: { before: "f = text { many = true }", after: "f = text", stored: { f: ["a", "b"] }, wrong: ["f type"], without: ["f"] },
  Several: { before: "f = text", after: "f = text { many = true, min_count = 2 }", stored: { f: "a" }, wrong: ["f min_count"], now: { f: ["a"] } },
  Gone: { before: "f = text", after: "g = text { optional = true }", stored: { f: "x" }, wrong: [], now: {} },
  Unique: { before: "f = text", after: "f = text { unique = true }", stored: { f: "same" }, wrong: [] },
  Hidden: { before: "f = text", after: 'f = text { max_length = 3, optional = true, scope = "builder" }', stored: { f: "long text" }, wrong: [], now: {} },
};
const NAMES = Object.keys(WAYS);
const lower = (name) => name.toLowerCase();

const source = (era) => NAMES.map((name) => `
node_type "${name}" { label = "note", tools = { "create", "update", "delete", "find" },
  fields = { note = text { search = true }, ${WAYS[name][era]} } }
capability "show_${lower(name)}" { description = "Shows one.", input = { id = ref "${name}" }, output = "${name}",
  side_effects = {}, run = function(ctx, args) ${name === "Hidden" ? "local n = ctx.kg:get(args.id) n.f = nil return n" : "return ctx.kg:get(args.id)"} end }
`).join("") + `
capability "touch" { description = "Changes one.", input = { id = ref(), note = text },
  side_effects = { graph_writes = { "default" } },
  run = function(ctx, args) ctx.kg:update(args.id, { note = args.note }) return "done" end }
node_type "Big" { tools = { "create", "find" }, fields = { n = integer } }
capability "copy" { description = "Makes another.", input = { n = integer }, output = "Big",
  side_effects = { graph_writes = { "default" } },
  run = function(ctx, args) return ctx.kg:create("Big", { n = args.n }) end }
capability "lie" { description = "Says what is not so.", input = { id = ref() }, output = "Shorter",
  side_effects = {}, run = function(ctx, args) return { id = args.id, note = "n", f = "not what is stored" } end }
`;

const folder = mkdtempSync(join(tmpdir(), "trails-old-"));
const own = { ...env, TRAILS_STORE: join(folder, "data") };
const ids = {}; // of each type, two nodes
let server;
let clients;

function write(era) {
  mkdirSync(join(folder, era));
  writeFileSync(join(folder, era, "app.lua"), source(era));
  writeFileSync(join(folder, era, "trails.toml"), '[project]\nname = "old"\n');
  return join(folder, era);
}

const call = async (client, name, args) => {
  const result = await client.callTool({ name, arguments: args });
  assert.ok(!result.isError, name);
  return result;
};

before(async () => {
  const first = await serveWith(own, write("before"));
  const client = await connect(KINDS[2], first.url);
  for (const name of NAMES) {
    ids[name] = [];
    for (const note of ["one", "two"]) {
      const { structuredContent } = await call(client, `create_${lower(name)}`, { note, ...WAYS[name].stored });
      ids[name].push(structuredContent.id);
    }
  }
  await client.close();
  assert.equal(await first.stop(), 0);
  server = await serveWith(own, write("after"));
  clients = [];
  // Clients know the schemas that they have listed, and check what is given.
  for (const kind of KINDS) {
    const made = await connect(kind, server.url);
    await made.listTools();
    clients.push(made);
  }
});
after(async () => {
  for (const client of clients ?? []) await client.close();
  assert.equal(await server.stop(), 0, "the server ends cleanly");
  assertVerdicts();
  rmSync(folder, { recursive: true });
});

// What is said of nodes: id and what is wrong.
const said = (result) =>
  (result._meta?.[UNFIT] ?? []).map(({ id, fields }) => [id, fields.map(({ field, code }) => `${field} ${code}`)]);

// The text has the node whole, and the structured content what fits its schema.
function checkNode(name, whole, structured) {
  const { stored, now = stored, without = [] } = WAYS[name];
  const { id, _type, _version, note, ...fields } = whole;
  assert.equal(_type, name);
  assert.deepEqual(Object.keys(fields), Object.keys(now), name);
  for (const [key, value] of Object.entries(now)) {
    if (Array.isArray(value)) assert.deepEqual([...fields[key]].sort(), value, name);
    else if (!without.length) assert.equal(fields[key], value, name);
  }
  const wanted = { ...whole };
  for (const key of without) delete wanted[key];
  assert.deepEqual(structured, wanted, name);
}

for (const name of NAMES) {
  const { wrong } = WAYS[name];
  const expected = (...nodes) => (wrong.length ? nodes.map((id) => [id, wrong]) : []);

  test(`${name}: found, shown and changed`, async () => {
    for (const client of clients) {
      const found = await call(client, `find_${lower(name)}`, {});
      const page = JSON.parse(found.content[0].text);
      assert.deepEqual(page.items.map(({ id }) => id), ids[name]);
      page.items.forEach((node, i) => checkNode(name, node, found.structuredContent.items[i]));
      assert.deepEqual(said(found), expected(...ids[name]));

      const one = await call(client, `find_${lower(name)}`, { limit: 1 });
      const next = await call(client, `find_${lower(name)}`, { limit: 1, cursor: one.structuredContent.next });
      assert.deepEqual(next.structuredContent.items.map(({ id }) => id), [ids[name][1]]);
      const part = await call(client, `find_${lower(name)}`, { note: "one", fields: ["note"] });
      assert.deepEqual(said(part), [], "only of what was asked for");
      const fields = WAYS[name].wrong.map((wrong) => wrong.split(" ")[0]);
      if (fields.length) {
        const asked = await call(client, `find_${lower(name)}`, { fields });
        assert.deepEqual(said(asked), expected(...ids[name]), "all of what was asked for");
      }

      const shown = await call(client, `show_${lower(name)}`, { id: ids[name][0] });
      assert.deepEqual(said(shown), expected(ids[name][0]));
      checkNode(name, JSON.parse(shown.content[0].text), shown.structuredContent);

      const changed = await call(client, `update_${lower(name)}`, { id: ids[name][0], note: "one" });
      assert.deepEqual(said(changed), expected(ids[name][0]));
      checkNode(name, JSON.parse(changed.content[0].text), changed.structuredContent);
      await call(client, "touch", { id: ids[name][0], note: "one" });
      const key = `${name} ${clients.indexOf(client)}`;
      for (let i = 0; i < 2; i++) {
        const kept = await call(client, `update_${lower(name)}`, { id: ids[name][1], note: "two", idempotency_key: key });
        assert.deepEqual(said(kept), expected(ids[name][1]));
        assert.equal("dev.trails/replayed" in kept._meta, i === 1);
      }
    }
  });

  test(`${name}: read and completed`, async () => {
    for (const client of clients) {
      const [page] = (await client.readResource({ uri: `trails://kg/${name}` })).contents;
      assert.equal(JSON.parse(page.text).items?.length ?? JSON.parse(page.text).length, 2, page.text);
      const uri = `trails://kg/${name}/${ids[name][0].split("/").at(-1)}`;
      const [shown] = (await client.readResource({ uri })).contents;
      assert.equal(JSON.parse(shown.text)["@id"], ids[name][0]);
      assert.deepEqual(said(shown), expected(ids[name][0]), "what a tool says");
      await client.readResource({ uri: `trails://kg/${name}?where=note=one` });
      await client.readResource({ uri: `trails://shape/${name}` });
      const { resourceTemplates } = await client.listResourceTemplates();
      for (const { uriTemplate } of resourceTemplates.filter((item) => item.uriTemplate.includes(`/${name}`))) {
        for (const [, argument] of uriTemplate.matchAll(/[{?,](\w+)/g)) {
          await client.complete({ ref: { type: "ref/resource", uri: uriTemplate }, argument: { name: argument, value: "" } });
        }
      }
    }
  });
}

test("what is wrong and is changed is judged as it will be", async () => {
  const [id] = ids.Shorter;
  for (const client of clients) {
    const error = await failure(call(client, "update_shorter", { id, f: "still too long" }));
    assert.equal(error.code, -32602);
    assert.deepEqual(error.data.fields.map(({ code }) => code), ["max_length"]);
  }
  const mended = await call(clients[2], "update_shorter", { id, f: "ok" });
  assert.deepEqual(said(mended), []);
  assert.equal(mended.structuredContent.f, "ok");
  const uri = `trails://kg/Shorter/${id.split("/").at(-1)}`;
  assert.deepEqual(said((await clients[2].readResource({ uri })).contents[0]), []);
  const half = await call(clients[2], "update_added", { id: ids.Added[0], g: 1 });
  assert.deepEqual(said(half), []);
});

test("what is repeated counts once", async () => {
  const tries = [
    ["create_more", { note: "three", f: ["a", "a", "b"] }],
    ["update_more", { id: ids.More[0], f: ["a", "b", "b"] }],
  ];
  for (const client of clients) {
    for (const [name, args] of tries) {
      const error = await failure(call(client, name, args));
      assert.equal(error.code, -32602, error.message);
      assert.deepEqual(error.data.fields.map(({ field, code }) => `${field} ${code}`), ["f min_count"]);
    }
  }
  const made = await call(clients[2], "create_more", { note: "three", f: ["a", "b", "b", "c"] });
  assert.deepEqual(made.structuredContent.f.sort(), ["a", "b", "c"]);
  await call(clients[2], "delete_more", { id: made.structuredContent.id });
});

// As text, since JavaScript would round it.
test("an integer beyond 64 bits is the same behind a handler", async () => {
  for (const n of ["9223372036854775808", "123456789012345678901234567891"]) {
    const run = (name, args) =>
      execFileSync("build/debug/trails", ["call", name, "--json", args, "--app", join(folder, "after")], { env: own, encoding: "utf8" });
    assert.match(run("copy", `{"n":${n}}`), new RegExp(`"n": ?${n}\\b`));
    assert.match(run("find_big", `{"n":${n}}`), new RegExp(`"n": ?${n}\\b`));
  }
});

test("a handler that says what the graph does not breaks its promise", async () => {
  for (const client of clients) {
    const error = await failure(call(client, "lie", { id: ids.Shorter[1] }));
    assert.equal(error.code, -32603);
    assert.match(error.message, /the output does not fit: f must have at most 3 characters/);
  }
});

test("the command line shows it too, and what is old can be deleted", async () => {
  const out = execFileSync("build/debug/trails", ["call", "find_counted", "--json", "{}", "--app", join(folder, "after")], { env: own, encoding: "utf8" });
  assert.match(out, /seven/);
  for (const name of NAMES) await call(clients[2], `delete_${lower(name)}`, { id: ids[name][1] });
});
