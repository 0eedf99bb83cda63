// apps/helpdesk from its first account to its last report, by the official clients:
// types and their tools, references by key, refusals by rules, policies and budgets, a
// prompt that completes, repeated calls, queries, and a call of another server.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { connect, v1, v2 } from "../js/clients.mjs";
import { pager } from "../js/pager.mjs";
import { assertVerdicts, env, serveWith } from "../js/server.mjs";

const TOKEN = "the-pager's-token-of-the-tests";
const folder = mkdtempSync(join(tmpdir(), "trails-helpdesk-"));
let server;
let client;
let pages;

before(async () => {
  pages = await pager(TOKEN);
  cpSync("apps/helpdesk", folder, { recursive: true });
  const file = join(folder, "trails.toml");
  writeFileSync(file, readFileSync(file, "utf8").replaceAll("127.0.0.1:9999", `127.0.0.1:${pages.port}`));
  const store = { ...env, TRAILS_STORE: join(folder, "data") };
  const seeded = spawnSync("build/debug/trails", ["seed", "--app", folder], { env: store });
  assert.equal(seeded.status, 0, String(seeded.stderr));
  server = await serveWith({ ...store, TRAILS_SECRET_PAGER_TOKEN: TOKEN }, folder);
  client = await connect({ sdk: v2, mode: { pin: "2026-07-28" } }, server.url);
});
after(async () => {
  await client.close();
  assert.equal(await server.stop(), 0, "the server ends cleanly");
  pages.stop();
  assertVerdicts();
  assert.ok(!server.log.join("\n").includes(TOKEN), "no log has the secret");
  rmSync(folder, { recursive: true });
});

async function call(name, args = {}, meta) {
  const result = await client.callTool({ name, arguments: args, ...(meta ? { _meta: meta } : {}) });
  const text = result.content[0]?.text ?? "";
  assert.ok(!JSON.stringify(result).includes(TOKEN), "no answer has the secret");
  if (result.isError) return { error: text };
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

test("an account, its contacts, and who works here", async () => {
  const { items } = await call("find_account", {});
  assert.deepEqual(items.map(({ domain, rate }) => [domain, rate]).sort(),
    [["acme.example", "120"], ["birch.example", "90.5"]], "the seed; decimals are exact, and spelt in one way");
  const made = await call("create_account", { domain: "cedar.example", name: "Cedar", since: "2024-04-01", rate: "80.00",
    address: { street: "Main 1", city: "Ulm" } });
  assert.equal(made.plan, "basic", "a default");
  assert.deepEqual(made.address, { street: "Main 1", city: "Ulm" });
  const cat = await call("create_contact", { email: "cat@cedar.example", name: "Cat Cole", account: "cedar.example" });
  assert.equal(cat.account_domain, "cedar.example");
  for (const [wrong, says] of [
    [{ email: "nobody", name: "No Body", account: "acme.example" }, /email must be an email address/],
    [{ email: "cat@acme.example", name: "Cat", account: "acme.exampel" }, /account/],
    [{ email: "ann@acme.example", name: "Another", account: "acme.example" }, /email must be unique/],
  ]) assert.match((await call("create_contact", wrong)).error, says);
});

test("a ticket is opened once, has its number, and is one of few", async () => {
  const key = { "dev.trails/idempotency_key": "ticket-1" };
  const urgent = { contact: "ann@acme.example", title: "It does not print", priority: "urgent",
    steps: ["press print", "wait", "press print"], tags: ["printer", "office"] };
  assert.equal(await call("open_ticket", urgent, key), "T-1001");
  assert.equal(await call("open_ticket", urgent, key), "T-1001", "the same key, the same ticket");
  for (const n of [2, 3, 4]) {
    const made = await call("open_ticket", { contact: "bob@birch.example", title: `It is slow, ${n}` });
    assert.equal(made, `T-100${n}`);
  }
  const most = await call("open_ticket", { contact: "bob@birch.example", title: "It is slow again" });
  assert.match(most.error, /3 open tickets already/, "[app] max_open");
  const { ticket } = await call("get_ticket", { ticket: "T-1001" });
  assert.deepEqual(ticket.steps, urgent.steps, "a list keeps its order, and what comes twice");
  assert.equal(ticket.contact_email, "ann@acme.example");
  assert.ok(ticket.due > ticket.opened);
});

test("what is internal is not told", async () => {
  await call("comment_ticket", { ticket: "T-1001", text: "Is it plugged in?" });
  await call("comment_ticket", { ticket: "T-1001", text: "It never is.", internal: true });
  const { comments } = await call("get_ticket", { ticket: "T-1001" });
  assert.deepEqual(comments.map(({ text }) => text), ["Is it plugged in?"]);
  const { resources } = await client.listResources();
  assert.ok(!JSON.stringify(resources).includes("Comment"), "comments are private");
});

test("the queries", async () => {
  const names = ({ tickets }) => tickets.map(({ ticket }) => ticket);
  assert.deepEqual(names(await call("overdue_tickets")), []);
  assert.deepEqual(names(await call("overdue_tickets", { at: "2100-01-01T00:00:00Z" })), ["T-1001"]);
  assert.deepEqual(names(await call("unassigned_tickets")), ["T-1004", "T-1003", "T-1002", "T-1001"]);
  assert.match(await call("assign_ticket", { ticket: "T-1003" }), /Eve Ellis/);
  assert.deepEqual(names(await call("unassigned_tickets")), ["T-1004", "T-1002", "T-1001"]);
  assert.deepEqual(names(await call("search_tickets", { text: "slow" })).sort(), ["T-1002", "T-1003", "T-1004"]);
  assert.deepEqual(await call("account_tickets", { account: "birch.example" }), { open: 3 });
  const work = (day, hours, agent = "eve") => call("log_work", { ticket: "T-1003", agent: `${agent}@helpdesk.example`, day, hours });
  for (const [day, hours] of [["2026-07-01", "1.25"], ["2026-07-31", "2.1"], ["2026-08-01", "5"]]) await work(day, hours);
  await work("2026-07-02", "0.2", "fay");
  assert.match((await work("2026-07-03", "25")).error, /hours must be at most 24/);
  assert.match((await work("2026-02-30", "1")).error, /day must be/);
  assert.deepEqual(await call("hours_worked", { from: "2026-07-01", to: "2026-07-31" }),
    { "Eve Ellis": "3.35", "Fay Foster": "0.2" });
  const found = await call("find_ticket", { contact: "bob@birch.example" });
  assert.equal(found.items.length, 3);
});

test("a ticket is closed by those who may, once, and opened again", async () => {
  const done = { text: "It was not plugged in." };
  assert.match((await call("close_ticket", { ticket: "T-1001", ...done })).error, /ticket of acme.example: ask a lead/);
  assert.equal(await call("close_ticket", { ticket: "T-1002", ...done }), "closed");
  assert.match((await call("close_ticket", { ticket: "T-1002", ...done })).error, /precondition not met/);
  assert.deepEqual(await call("account_tickets", { account: "birch.example" }), { closed: 1, open: 2 });
  assert.equal(await call("reopen_ticket", { ticket: "T-1002", text: "It was plugged in." }), "open");
});

test("the outside: a page with a secret, once for each key, and a budget", async () => {
  const refused = await call("page_on_call", { ticket: "T-1002" });
  assert.match(refused.error, /precondition not met/, "it is not urgent");
  assert.equal(pages.asked.length, 0);
  const key = { "dev.trails/idempotency_key": "page-1" };
  assert.deepEqual(await call("page_on_call", { ticket: "T-1001" }, key), { page: "page-1", paged: "Eve Ellis" });
  assert.deepEqual(await call("page_on_call", { ticket: "T-1001" }, key), { page: "page-1", paged: "Eve Ellis" });
  assert.equal(pages.asked.length, 1);
  assert.equal(pages.asked[0].url, "/pages");
  assert.deepEqual(JSON.parse(pages.asked[0].body),
    { who: "eve@helpdesk.example", text: "It does not print", ticket: "T-1001" });
  let last;
  for (let i = 0; i < 6; i++) last = await call("page_on_call", { ticket: "T-1001" }).catch((error) => ({ error: error.message }));
  assert.match(last.error, /budget/);
  assert.ok(pages.asked.length <= 5, "5 calls/day");
});

test("a prompt completes by itself and by hand, also for the client of before", async () => {
  const old = await connect({ sdk: v1 }, server.url);
  for (const one of [client, old]) {
    const complete = async (name, value) => (await one.complete({
      ref: { type: "ref/prompt", name: "answer" }, argument: { name, value } })).completion.values;
    assert.deepEqual(await complete("ticket", "T-100"), ["T-1004", "T-1003", "T-1002", "T-1001"]);
    assert.deepEqual(await complete("tone", "f"), ["formal", "friendly"]);
    const { messages } = await one.getPrompt({ name: "answer", arguments: { ticket: "T-1001", tone: "formal" } });
    assert.match(messages[0].content.text, /formal answer to Ann Archer about 'It does not print'/);
  }
  await old.close();
});
