// References by key, by the official clients: what the schemas say, what is
// taken and shown, filters and completions of resources, and that what a caller
// may not see is neither used nor probed. Structured results are held against
// their schemas by the clients, and by AJV here.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { connect, failure, KINDS } from "../js/clients.mjs";
import { assertVerdicts, env, serveWith } from "../js/server.mjs";

const require = createRequire(new URL("../js/package.json", import.meta.url));
const { Ajv } = require("ajv");
const addFormats = require("ajv-formats").default;

const folder = mkdtempSync(join(tmpdir(), "trails-keys-"));
const app = join(folder, "app");
const own = { ...env, TRAILS_STORE: join(folder, "data"), TRAILS_MCP_SCOPES: "runtime,builder" };
let server;
let tokens;

const SOURCE = `
node_type "Account" { label = "name", tools = { "create", "find", "delete" },
  fields = { { "name", text }, { "domain", text { unique = true } }, { "number", integer { unique = true, optional = true } } } }
node_type "Person" { label = "name", tools = { "create" },
  fields = { { "name", text }, { "email", text { unique = true, optional = true } } } }
node_type "Ticket" { label = "title", tools = { "create", "update", "find" }, fields = {
  { "title", text },
  { "account", ref "Account" { by = "domain", description = "Whose it is" } },
  { "payer", ref "Account" { by = "number", optional = true } },
  { "watchers", ref "Person" { by = "email", many = true, optional = true } },
  { "steps", ref "Person" { by = "email", list = true, optional = true } },
  { "filed_in", ref "Drawer" { by = "code", optional = true } } } }
node_type "Drawer" { private = true, fields = { code = text { unique = true } } }
node_type "Plan" { scope = "builder", label = "code", tools = { "create", "find" }, fields = { code = text { unique = true } } }
node_type "Step" { scope = "builder", tools = { "create", "find" }, fields = { of = ref "Plan" { by = "code" } } }
capability "open_ticket" { description = "Opens one.", side_effects = { graph_writes = { "default" } },
  input = { account = ref "Account" { by = "domain" } }, output = "Ticket",
  run = function(ctx, args) return ctx.kg:create("Ticket", { title = "Opened", account = args.account }) end }
capability "file" { description = "Files one.", side_effects = { graph_writes = { "default" } },
  input = { id = ref "Ticket", code = text }, output = "Ticket",
  run = function(ctx, args)
    if #ctx.kg:where("Drawer", { code = "top" }) == 0 then ctx.kg:create("Drawer", { code = "top" }) end
    return ctx.kg:update(args.id, { filed_in = args.code }) end }
`;

before(async () => {
  mkdirSync(app);
  writeFileSync(join(app, "app.lua"), SOURCE);
  writeFileSync(join(app, "trails.toml"), '[project]\nname = "keys"\n[mcp]\nerrors = "tool"\n');
  server = await serveWith(own, app);
  const token = (scopes) => JSON.parse(execFileSync("build/debug/trails",
    ["token", "create", "--app", app, "--json", "--scope", scopes, "--name", scopes.replace(",", "-")],
    { env: own, encoding: "utf8" })).token;
  tokens = { runtime: token("runtime"), builder: token("runtime,builder") };
});
after(async () => {
  assert.equal(await server.stop(), 0, "the server ends cleanly");
  assertVerdicts();
  rmSync(folder, { recursive: true });
});

const as = (scope) => ({ authorization: `Bearer ${tokens[scope]}` });
const textOf = (result) => result.content.map(({ text }) => text).join("\n");

async function call(client, name, args) {
  const result = await client.callTool({ name, arguments: args });
  assert.ok(!result.isError, textOf(result));
  return result.structuredContent;
}

async function refusal(client, name, args) {
  const result = await client.callTool({ name, arguments: args });
  assert.ok(result.isError, textOf(result));
  return textOf(result);
}

for (const kind of KINDS) {
  test(`${kind.kind}: keys are taken and shown`, async () => {
    const client = await connect(kind, server.url, as("runtime"));
    const { tools } = await client.listTools(); // so that the client holds results against the schemas
    const at = kind.kind.replace(" ", "-");
    const domain = `${at}.example`;
    const number = KINDS.indexOf(kind) + 100;
    const account = await call(client, "create_account", { name: "Acme", domain, number });
    const person = await call(client, "create_person", { name: "Ada", email: `ada@${domain}` });
    const nobody = await call(client, "create_person", { name: "Bob" });
    const made = await call(client, "create_ticket", { title: "T", account: domain, payer: String(number),
      watchers: [`ada@${domain}`, nobody.id], steps: [person.id, nobody.id, `ada@${domain}`] });
    assert.equal(made.account, account.id);
    assert.equal(made.account_domain, domain);
    assert.equal(made.payer_number, String(number));
    assert.deepEqual(made.watchers, [person.id, nobody.id]);
    assert.deepEqual(made.watchers_email, [`ada@${domain}`], "only who has one");
    assert.deepEqual([made.steps, made.steps_email], [[person.id, nobody.id, person.id], [`ada@${domain}`, `ada@${domain}`]], "in their order");
    const { items } = await call(client, "find_ticket", { account: domain, fields: ["account"] });
    assert.deepEqual(items, [{ id: made.id, _type: "Ticket", _version: 1, account: account.id, account_domain: domain }]);
    const opened = await call(client, "open_ticket", { account: account.id });
    assert.equal(opened.account_domain, domain);
    // What was shown can be given.
    const again = await call(client, "update_ticket", { id: opened.id, account: made.account_domain, payer: made.payer_number });
    assert.equal(again.payer, account.id);
    const said = await refusal(client, "create_ticket", { title: "T", account: `${at}.exmple` });
    assert.match(said, new RegExp(`account: there is no Account ${at}.exmple; .*${domain} \\(Acme\\)`));
    // Each result fits, and what the schemas say holds.
    const ajv = new Ajv({ strict: false });
    addFormats(ajv);
    ajv.addFormat("iri", /^[a-z]+:/);
    const { inputSchema, outputSchema } = tools.find(({ name }) => name === "create_ticket");
    assert.ok(ajv.validate(outputSchema, made), ajv.errorsText());
    assert.ok(ajv.validate(inputSchema, { title: "T", account: domain }), ajv.errorsText());
    assert.deepEqual(inputSchema.properties.account, {
      description: "Whose it is. The id of an Account, as find_account gives it, such as trails://keys/Account/ID, or just ID, or its domain.",
      "trails:node_type": "Account", type: "string" });
    assert.equal(outputSchema.properties.account.format, "iri");
    assert.deepEqual(outputSchema.properties.account_domain, { description: "Its key, if it has one.", type: "string" });
    await client.close();
  });

  test(`${kind.kind}: filters of resources and completions know keys`, async () => {
    const client = await connect(kind, server.url, as("runtime"));
    const domain = `${kind.kind.replace(" ", "-")}.example`;
    const { contents } = await client.readResource({ uri: `trails://kg/Ticket?where=account=${domain}` });
    assert.equal(JSON.parse(contents[0].text).length, 2);
    await assert.rejects(client.readResource({ uri: "trails://kg/Ticket?where=account=nope" }), /account names no Account by id or domain/);
    const { resourceTemplates } = await client.listResourceTemplates();
    const { uriTemplate } = resourceTemplates.find(({ uriTemplate: uri }) => uri.startsWith("trails://kg/Ticket{?"));
    const complete = async (value) => (await client.complete(
      { ref: { type: "ref/resource", uri: uriTemplate }, argument: { name: "where", value } })).completion.values;
    assert.deepEqual(await complete(`account=${domain.slice(0, 7)}`), [`account=${domain}`]);
    assert.deepEqual(await complete("account=zzz"), []);
    await client.close();
  });
}

test("what a caller may not see is neither used nor probed", async () => {
  const client = await connect(KINDS[2], server.url, as("runtime"));
  const boss = await connect(KINDS[2], server.url, as("builder"));
  await client.listTools();
  const { items: [ticket] } = await call(client, "find_ticket", { limit: 1 });
  const filed = await call(client, "file", { id: ticket.id, code: "top" });
  assert.ok(filed.filed_in, "a handler gives the key of a private node");
  assert.equal(filed.filed_in_code, undefined, "and no caller is shown it");
  // There or not, the answer is the same.
  for (const name of ["create_ticket", "find_ticket"]) {
    const [there, absent] = await Promise.all(["top", "pot"].map((code) =>
      refusal(client, name, { title: "T", account: ticket.account, filed_in: code })));
    assert.equal(there.replaceAll("top", "pot"), absent);
  }
  for (const code of ["top", "pot"]) {
    const error = await failure(client.readResource({ uri: `trails://kg/Ticket?where=filed_in=${code}` }));
    assert.match(error.message, /invalid filter value for filed_in/);
  }
  await call(boss, "create_plan", { code: "alpha" });
  const step = await call(boss, "create_step", { of: "alpha" });
  assert.equal(step.of_code, "alpha");
  for (const of of ["alpha", "beta"])
    assert.match((await failure(client.callTool({ name: "create_step", arguments: { of } }))).message, /create_step requires builder/);
  await client.close();
  await boss.close();
});

test("an account that goes between two calls is told as what is not there", async () => {
  const client = await connect(KINDS[2], server.url, as("runtime"));
  const account = await call(client, "create_account", { name: "Gone", domain: "gone.example" });
  await call(client, "delete_account", { id: account.id });
  assert.match(await refusal(client, "open_ticket", { account: "gone.example" }), /there is no Account gone.example/);
  await client.close();
});
