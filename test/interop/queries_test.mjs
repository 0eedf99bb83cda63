// Questions of every day, one call each: "overdue", "unassigned", "newest first", "count by
// state", "tickets of this account's people"; by an official client, with a ready-made tool
// and over ctx.kg. And what find_x refuses.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { connect, KINDS } from "../js/clients.mjs";
import { assertVerdicts, env, serve } from "../js/server.mjs";

const APP = "test/apps/tickets";
const folder = mkdtempSync(join(tmpdir(), "trails-queries-"));
env.TRAILS_STORE = join(folder, "data");
let server;

const trails = (...args) => spawnSync("build/debug/trails", args, { env, encoding: "utf8" });

const NODES = [
  ["create_account", { id: "acme", domain: "acme.example" }],
  ["create_account", { id: "globex", domain: "globex.example" }],
  ["create_agent", { id: "ada", name: "Ada", account: "acme", since: "2025-03-01" }],
  ["create_agent", { id: "bob", name: "Bob", account: "globex" }],
  ["create_agent", { id: "cy", name: "Cy", account: "acme", since: "2026-03-01" }],
  ["create_ticket", { id: "1", title: "Bell", state: "open", opened: "2026-07-01T08:00:00Z", due: "2026-07-28T13:59:00+02:00", owner: "ada", tags: ["loud"], size: 3 }],
  ["create_ticket", { id: "2", title: "Lamp", state: "waiting", opened: "2026-07-02T08:00:00Z", due: "2026-07-27T00:00:00Z", size: 5 }],
  ["create_ticket", { id: "3", title: "Lock", state: "closed", opened: "2026-07-04T08:00:00Z", due: "2026-01-01T00:00:00Z", owner: "bob" }],
  ["create_ticket", { id: "4", title: "Seat", state: "open", opened: "2026-07-03T10:00:00+04:00", owner: "cy", tags: ["soft", "new"] }],
  ["create_ticket", { id: "5", title: "Tyre", state: "open", opened: "2026-07-03T08:00:00Z", due: "2026-07-28T12:00:00Z" }],
];

before(async () => {
  server = await serve(APP);
  const client = await connect(KINDS[0], server.url);
  for (const [name, args] of NODES) {
    const { isError, content } = await client.callTool({ name, arguments: args });
    assert.ok(!isError, JSON.stringify(content));
  }
  await client.close();
});
after(async () => {
  assert.equal(await server.stop(), 0, "the server ends cleanly");
  assertVerdicts();
  rmSync(folder, { recursive: true });
});

const LATE = { due: { below: "2026-07-28T12:00:00Z" }, state: { one_of: ["open", "waiting"] } };

// The question, the arguments of find_ticket, the capability that asks ctx.kg, and the answer.
const QUESTIONS = [
  ["overdue", { filter: LATE, order: "due" }, "overdue", ["Lamp", "Bell"]],
  ["unassigned", { filter: { owner: { absent: true } }, order: "title" }, "unassigned", ["Lamp", "Tyre"]],
  ["newest first", { order: "-opened", limit: 2 }, "newest", ["Lock", "Tyre"]],
  ["of an account's people", { filter: { "owner.account": { one_of: ["acme"] } }, order: "title" }, "of_account", ["Bell", "Seat"]],
];

const MORE = [
  ["a value and a filter", { state: "open", filter: { size: { present: true } } }, ["Bell"]],
  ["one of many", { filter: { tags: { has: "new" } } }, ["Seat"]],
  ["the same instant elsewhere", { due: "2026-07-28T14:00:00+02:00" }, ["Tyre"]],
  ["a prefix", { filter: { title: { prefix: "L" } }, order: "-title" }, ["Lock", "Lamp"]],
  ["an empty filter", { filter: {}, order: "title", limit: 1 }, ["Bell"]],
  ["a range of an index behind a ref", { filter: { "owner.since": { above: "2025-03-01" } } }, ["Seat"]],
  ["a name behind a ref", { filter: { "owner.name": { min: "B" } } }, ["Lock", "Seat"]],
];

const WRONG = [
  ["no such form", { filter: { due: { before: "2026-01-01T00:00:00Z" } } }, "before"],
  ["no such field", { filter: { stat: { prefix: "o" } } }, "stat is not a field; did you mean state"],
  ["no such field behind a ref", { filter: { "owner.nam": { prefix: "x" } } }, "owner.nam is not a field; did you mean owner.name"],
  ["a value of another kind", { filter: { due: { min: "soon" } } }, "date"],
  ["an order that is none", { order: "tags" }, "order"],
  ["a hidden field", { filter: { cost: { min: 1 } } }, "cost is not a field"],
  ["a field behind a guard", { filter: { "invoice.amount": { min: 1 } } }, "invoice.amount is not a field"],
  ["a field of who refers behind a guard", { filter: { "^ticket.amount": { min: 1 } } }, "nothing refers by that"],
  ["a hidden order", { order: "cost" }, "order"],
  ["a filter of something else", { filter: "due" }, "filter must be an object"],
];

const titles = (result) => JSON.parse(result.content[0].text).items.map(({ title }) => title);

async function refused(client, args) {
  try {
    const result = await client.callTool({ name: "find_ticket", arguments: args });
    assert.ok(result.isError, `${JSON.stringify(args)} is refused`);
    return result.content[0].text;
  } catch (error) {
    return error.message;
  }
}

for (const kind of KINDS) {
  test(`${kind.kind}: a question is one call`, async () => {
    const client = await connect(kind, server.url);
    for (const [what, args, capability, answer] of QUESTIONS) {
      assert.deepEqual(titles(await client.callTool({ name: "find_ticket", arguments: args })), answer, what);
      const own = await client.callTool({ name: capability, arguments: {} });
      assert.deepEqual(JSON.parse(own.content[0].text), answer, `${what}, over ctx.kg`);
    }
    const counted = await client.callTool({ name: "by_state", arguments: {} });
    assert.deepEqual(JSON.parse(counted.content[0].text), { closed: 1, open: 3, waiting: 1 });
    for (const [what, args, answer] of MORE)
      assert.deepEqual(titles(await client.callTool({ name: "find_ticket", arguments: args })), answer, what);
    await client.close();
  });

  test(`${kind.kind}: pages go on in their order alone`, async () => {
    const client = await connect(kind, server.url);
    const args = { order: "-due", limit: 1, filter: { state: { one_of: ["open", "closed"] } } };
    const seen = [];
    let cursor;
    do {
      const { content } = await client.callTool({ name: "find_ticket", arguments: cursor ? { ...args, cursor } : args });
      const page = JSON.parse(content[0].text);
      seen.push(...page.items.map(({ title }) => title));
      if (page.next) {
        for (const other of [{ order: "due" }, { order: undefined }, { filter: undefined }, { filter: { state: { one_of: ["open"] } } }])
          assert.match(await refused(client, { ...args, ...other, cursor: page.next }), /cursor is not of this search/);
      }
      cursor = page.next;
    } while (cursor);
    assert.deepEqual(seen, ["Tyre", "Bell", "Lock", "Seat"]);
    await client.close();
  });

  test(`${kind.kind}: what is wrong with a filter is said`, async () => {
    const client = await connect(kind, server.url);
    for (const [what, args, part] of WRONG) {
      const text = await refused(client, args);
      assert.ok(text.includes(part), `${what}: ${text}`);
    }
    await client.close();
  });
}

test("a field keeps the name of an argument, and check says so", async () => {
  const client = await connect(KINDS[0], server.url);
  for (const rule of [{ filter: "all", order: 2 }, { filter: "none" }])
    await client.callTool({ name: "create_rule", arguments: rule });
  const { content } = await client.callTool({ name: "find_rule", arguments: { filter: "all", order: 2 } });
  assert.equal(JSON.parse(content[0].text).items.length, 1);
  await client.close();
  const { stdout, stderr } = trails("check", APP);
  for (const name of ["filter", "order"])
    assert.ok((stdout + stderr).includes(`it goes without the argument '${name}'`), stdout + stderr);
});
