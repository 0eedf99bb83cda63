// An agent that builds an app, using nothing but an official client and a token
// with the scope dev: it starts from `trails new` and never leaves MCP. The same
// script with other tokens sees no meta-capability but what they permit, and is
// refused at every step.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { KINDS, connect, failure, v1 } from "../js/clients.mjs";
import { metaNames } from "../js/metas.mjs";
import { assertVerdicts, env, serveWith } from "../js/server.mjs";

const folder = mkdtempSync(join(tmpdir(), "trails-building-"));
after(() => {
  assertVerdicts();
  rmSync(folder, { recursive: true });
});

let count = 0;
function makeApp(scope, environment = {}) {
  const app = join(folder, `shelf${++count}`);
  const own = {
    ...env, ...environment, TRAILS_STORE: join(folder, `store${count}`), TRAILS_MCP_SCOPES: "runtime,builder,dev",
  };
  const run = (...words) => execFileSync("build/debug/trails", words, { env: own, encoding: "utf8" });
  run("new", app);
  const { token } = JSON.parse(run("token", "create", "--app", app, "--scope", scope, "--name", "agent", "--json"));
  return { app, own: { ...own, TRAILS_TOKEN: token }, headers: { Authorization: `Bearer ${token}` } };
}

// What the agent hears of tools that have changed: `next` is the next time.
async function listen(client, kind) {
  let tell = () => {};
  const heard = { count: 0, next: () => new Promise((resolve) => { tell = resolve; }) };
  const take = () => {
    heard.count++;
    tell();
  };
  if (kind.sdk === v1) client.setNotificationHandler(v1.ToolListChangedNotificationSchema, take);
  else client.setNotificationHandler("notifications/tools/list_changed", take);
  if (kind.isModern) heard.stream = await client.listen({ toolsListChanged: true });
  return heard;
}

const BOOK = {
  name: "Book",
  description: "Something to read.",
  fields: [
    { name: "title", kind: "text", min_length: 2, unique: true },
    { name: "pages", kind: "integer", min_value: 1, optional: true },
  ],
  tools: ["create", "find"],
};
const LONGEST = {
  id: "longest_book",
  description: "The book with the most pages.",
  output: [{ name: "title", kind: "text" }],
  body: 'local books = ctx.kg:where("Book", {}, { order = "-pages", limit = 1 })\nreturn { title = books[1].title }',
};

const text = (result) => JSON.parse(result.content[0].text);

// What a call says that is refused for its arguments: `trails new` has such
// errors come as results, which models are sure to see.
async function mistakes(asked) {
  const result = await asked;
  assert.equal(result.isError, true);
  assert.match(result.content[0].text, /validation failed on \d+ field/);
  return JSON.parse(result.content.at(-1).text).fields;
}

// Every step of the agent. `call` gives what a tool says, or, where it is to be
// refused, nothing, once it was.
function steps({ client, heard, call }) {
  const edit = {};
  return {
    "looks where it is": async () => {
      const said = await call("doctor.run");
      if (said) assert.equal(said.status, "ok", JSON.stringify(said));
    },
    "adds a type, which the server then has": async () => {
      const told = await call("gen.node-type", BOOK);
      if (told) assert.equal(told.applied, false, "first it looks at what would change");
      const changed = heard.next();
      const done = await call("gen.node-type", { ...BOOK, apply: true });
      if (!done) return;
      assert.equal(done.files[0].unified_diff, told.files[0].unified_diff);
      assert.equal((await call("app.reload")).ok, true);
      await changed;
      const { tools } = await client.listTools();
      assert.ok(tools.some(({ name }) => name === "create_book"));
    },
    "adds a capability, and hears that there is a new tool": async () => {
      const changed = heard.next();
      if (!(await call("gen.capability", { ...LONGEST, apply: true }))) return;
      assert.equal((await call("app.reload")).ok, true);
      await changed;
      assert.ok((await client.listTools()).tools.some(({ name }) => name === "longest_book"));
    },
    "brings in data, and is told what is wrong with it": async () => {
      const rows = [{ title: "Middlemarch", pages: 880 }, { title: "X", pages: 0 }];
      const fields = await call("data.import", { type: "Book", rows }, mistakes);
      if (!fields) return;
      const wrong = fields.map(({ field }) => Number(/^rows\[(\d+)\]$/.exec(field)[1]));
      const good = rows.filter((_, i) => !wrong.includes(i));
      const said = await call("data.import", { type: "Book", rows: [...good, { title: "Emma", pages: 474 }] });
      assert.equal(said.created, 2);
    },
    "calls what it has made": async () => {
      if (!(await call("schema.types"))) return;
      assert.deepEqual(text(await client.callTool({ name: "longest_book", arguments: {} })), { title: "Middlemarch" });
      const fields = await mistakes(client.callTool({ name: "create_book", arguments: { title: "Y", pages: 0 } }));
      assert.deepEqual(fields.map(({ field, code }) => [field, code]),
        [["title", "min_length"], ["pages", "min_value"]]);
      const made = await client.callTool({ name: "create_book", arguments: { title: "Yes", pages: 1 } });
      assert.match(text(made).id, /^trails:\/\/shelf\d+\/Book\//);
    },
    "reads the source, and breaks it": async () => {
      const source = await call("app.source", { paths: ["app.lua"] });
      if (!source) return;
      const file = source.files.find(({ path }) => path === "app.lua");
      Object.assign(edit, { path: file.path, before_sha256: file.sha256 });
      edit.text = `${file.text}\ncapability "shortest_book" {\n  description = "The shortest one.",\n  side_effects = {,\n` +
        '  run = function(ctx) return ctx.kg:where("Book", {}, { order = "pages", limit = 1 })[1].title end,\n}\n';
    },
    "mends the edit by what app.check says of it": async () => {
      if (!edit.path) return void (await call("app.check", { text: "" }));
      const { ok, findings } = await call("app.check", { path: edit.path, text: edit.text });
      assert.equal(ok, false);
      const [{ file, line, message }] = findings;
      assert.equal(file, edit.path);
      assert.match(message, /unexpected symbol near ','/);
      const lines = edit.text.split("\n");
      lines[line - 1] = lines[line - 1].replace("{,", "{},");
      edit.text = lines.join("\n");
      assert.equal((await call("app.check", { path: edit.path, text: edit.text })).ok, true);
    },
    "applies it, and calls the third tool": async () => {
      const changed = heard.next();
      if (!(await call("app.edit", { path: "app.lua", text: "", ...edit, apply: true }))) return;
      assert.equal((await call("app.reload")).ok, true);
      await changed;
      const said = await client.callTool({ name: "shortest_book", arguments: {} });
      assert.equal(said.content[0].text, "Yes");
    },
    "leaves with all data valid and the doctor content": async () => {
      const report = await call("data.validate");
      if (!report) return void (await call("doctor.run"));
      assert.deepEqual(report, { conforms: true, count: 0, results: [] });
      const { status, checks } = await call("doctor.run");
      assert.equal(status, "ok", JSON.stringify(checks.filter((check) => check.status !== "ok")));
    },
  };
}

// `permits` is what the token's scopes permit of the meta-capabilities.
function build(name, { scope, permits, environment }) {
  for (const kind of KINDS) {
    for (const transport of ["http", "stdio"]) {
      test(`${name} (${kind.kind}, ${transport})`, { timeout: 120000 }, async (t) => {
        const { app, own, headers } = makeApp(scope, environment);
        const server = transport === "http" ? await serveWith(own, app) : undefined;
        const client = await connect(kind, server?.url ?? app, headers, own);
        const heard = await listen(client, kind);
        const before_ = readFileSync(join(app, "app.lua"), "utf8");
        let refusals = 0;
        const seesAll = permits.length === metaNames().length;
        const call = async (id, args = {}, read = async (asked) => text(await asked)) => {
          const tool = `trails_meta_${id.replaceAll(".", "_")}`;
          const asked = client.callTool({ name: tool, arguments: args });
          if (seesAll) return read(asked);
          if (permits.includes(tool)) return void (await asked);
          const error = await failure(asked);
          assert.equal(error.code, kind.isModern ? -31004 : -32004, `${tool}: ${error.message}`);
          assert.equal(error.data.tool, tool);
          refusals++;
          return undefined;
        };
        const { tools } = await client.listTools();
        assert.deepEqual(tools.map((tool) => tool.name).filter((tool) => tool.startsWith("trails_meta_")).sort(),
          [...permits].sort(), "it sees what it may, and nothing else");
        const all = steps({ client, heard, call });
        for (const [step, take] of Object.entries(all)) await t.test(step, take);
        if (seesAll) {
          assert.equal(refusals, 0);
          assert.ok(heard.count >= 3);
        } else {
          const dev = metaNames("runtime").length < permits.length;
          assert.ok(refusals >= (dev ? 6 : Object.keys(all).length), `${refusals} refusals`);
          assert.equal(readFileSync(join(app, "app.lua"), "utf8"), before_, "nothing has changed");
        }
        await heard.stream?.close();
        await client.close();
        if (server) assert.equal(await server.stop(), 0);
      });
    }
  }
}

build("an agent with dev builds an app", { scope: "runtime,builder,dev", permits: metaNames() });
build("with runtime it is refused at every step", { scope: "runtime", permits: metaNames("runtime") });
build("in production dev is refused", {
  scope: "runtime,builder,dev",
  permits: [...metaNames("runtime"), ...metaNames("builder")],
  environment: { TRAILS_ENV: "production" },
});
