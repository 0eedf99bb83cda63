// Budgets by the official client, in both eras: a capability that is used up is
// refused by whatever door it is reached, what counts as a call, and what a call
// with questions costs.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { assertEveryDoor } from "../js/doors.mjs";
import { assertVerdicts, env, serveWith } from "../js/server.mjs";

const require = createRequire(new URL("../js/package.json", import.meta.url));
const load = (name) => import(require.resolve(`@modelcontextprotocol/${name}`));
const { Client, StreamableHTTPClientTransport } = await load("client");

// Every door there is to a capability. Each has one of its own, so that one
// server has room for all of them.
const DOORS = {
  tool: {
    define: () => "",
    open: (client, target) => client.callTool({ name: target }),
  },
  nested: {
    define: (target) => `capability "via_${target}" { description = "d",
      run = function(ctx) return ctx:invoke("${target}", {}) end }`,
    open: (client, target) => client.callTool({ name: `via_${target}` }),
  },
  resource: {
    define: (target) => `resource "test://${target}" { name = "${target}",
      run = function(ctx) return ctx:invoke("${target}", {}) end }`,
    open: (client, target) => client.readResource({ uri: `test://${target}` }),
  },
  template: {
    define: (target) => `resource_template "test://${target}/{x}" { name = "${target}-x",
      run = function(ctx) return ctx:invoke("${target}", {}) end }`,
    open: (client, target) => client.readResource({ uri: `test://${target}/1` }),
  },
  prompt: {
    define: (target) => `prompt "p_${target}" { description = "d",
      run = function(ctx) return ctx:invoke("${target}", {}) end }`,
    open: (client, target) => client.getPrompt({ name: `p_${target}` }),
  },
  completion: {
    define: (target) => `prompt "c_${target}" { description = "d", arguments = { x = text },
        run = function() return "ran" end }
      completion { prompt = "c_${target}", argument = "x",
        run = function(ctx) ctx:invoke("${target}", {}) return {} end }`,
    open: (client, target) =>
      client.complete({ ref: { type: "ref/prompt", name: `c_${target}` }, argument: { name: "x", value: "" } }),
  },
  "a further round": {
    define: (target) => `capability "asks_${target}" { description = "d", run = function(ctx)
      ctx:elicit { message = "Sure?", fields = { ok = boolean } }
      return ctx:invoke("${target}", {}) end }`,
    open: (client, target) => client.callTool({ name: `asks_${target}` }),
  },
};

test("every door is tried", () => {
  assertEveryDoor(Object.keys(DOORS), {
    subscription: "no handler of an app runs for it", meta: "its budgets: meta_test.mjs",
  });
});

// What uses a capability up, for all its callers or for one, by each unit.
const LIMITS = {
  calls: "capability = TARGET 2 calls/day",
  tokens: "capability = TARGET 20 tokens/day",
  usd: "principal_capability = TARGET 0.2 usd/hour",
};

const slug = (text) => text.replaceAll(" ", "_");
const rows = Object.keys(DOORS).flatMap((door) =>
  Object.keys(LIMITS).map((unit) => ({ door, unit, target: `t_${slug(door)}_${unit}` })),
);

const APP = `
${rows
  .map(
    ({ door, target }) => `capability "${target}" { description = "d",
      cost = { tokens = 10, usd = 0.1 }, run = function() return "ran" end }
    ${DOORS[door].define(target)}`,
  )
  .join("\n")}
capability "ten" { description = "Two questions, ten tokens.", run = function(ctx)
  ctx:spend { tokens = 4 }
  ctx:elicit { message = "One?", fields = { ok = boolean } }
  ctx:spend { tokens = 3 }
  ctx:elicit { message = "Two?", fields = { ok = boolean } }
  ctx:spend { tokens = 3 }
  return "ran"
end }
capability "stated" { description = "One question, ten tokens.", cost = { tokens = 10 }, run = function(ctx)
  ctx:elicit { message = "One?", fields = { ok = boolean } }
  return "ran"
end }
capability "asks" { description = "Asks.", run = function(ctx)
  ctx:elicit { message = "One?", fields = { ok = boolean } }
  return "ran"
end }
capability "rare" { description = "Asks once a day.", run = function(ctx)
  ctx:elicit { message = "One?", fields = { ok = boolean } }
  return "ran"
end }
resource "test://read" { name = "read", run = function() return "ran" end }
prompt "tell" { description = "d", arguments = { x = text }, run = function() return "ran" end }
completion { prompt = "tell", argument = "x", run = function(ctx) ctx:spend { tokens = 5 } return {} end }
capability "plain" { description = "d", run = function() return "ran" end }
`;

const lines = (level) =>
  rows
    .map(({ unit, target }) => LIMITS[unit].replace("TARGET", target))
    .filter((line) => line.startsWith(`${level} = `))
    .map((line) => JSON.stringify(line.split(" = ")[1]));

const TOML = `
[project]
name = "purse"
[server]
threads = 2
[budget]
capability = [${[...lines("capability"), '"rare 2 calls/day"'].join(", ")}]
principal_capability = [${lines("principal_capability").join(", ")}]
principal = ["token:star 3 calls/day", "token:frugal 10 tokens/day", "token:metered 1000 tokens/day", "token:counted 1000 calls/day"]
`;

const folder = mkdtempSync(join(tmpdir(), "trails-budget-"));
const own = { ...env };
delete own.TRAILS_STORE;

function token(path, name) {
  const words = ["token", "create", "--app", path, "--name", name, "--scope", "runtime", "--json"];
  return JSON.parse(execFileSync("build/debug/trails", words, { encoding: "utf8", env: own })).token;
}

// Windows are fixed: none may end while we count.
before(async () => {
  const left = 3600 - ((Date.now() / 1000) % 3600);
  if (left < 120) await sleep((left + 1) * 1000);
});
after(() => {
  assertVerdicts();
  rmSync(folder, { recursive: true });
});

const eras = {
  "2026-07-28": { mode: { pin: "2026-07-28" }, code: -31003 },
  "2025-11-25": { mode: "legacy", code: -32003 },
};

for (const [era, { mode, code }] of Object.entries(eras)) {
  describe(era, () => {
    const path = join(folder, era);
    const tokens = {};
    const clients = {};
    let server;
    before(async () => {
      mkdirSync(path);
      writeFileSync(join(path, "app.lua"), APP);
      writeFileSync(join(path, "trails.toml"), TOML);
      for (const who of ["ann", "star", "frugal", "metered", "counted"]) tokens[who] = token(path, who);
      server = await serveWith(own, path);
    });
    after(async () => {
      for (const client of Object.values(clients)) await client.close();
      assert.equal(await server.stop(), 0, "the server ends cleanly");
    });

    async function as(who) {
      if (clients[who]) return clients[who];
      const client = new Client(
        { name: who, version: "1" },
        { versionNegotiation: { mode }, capabilities: { elicitation: {} } },
      );
      client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { ok: true } }));
      const headers = { Authorization: `Bearer ${tokens[who]}` };
      await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } }));
      return (clients[who] = client);
    }

    const refused = (promise, check) =>
      assert.rejects(promise, (error) => {
        assert.equal(error.code, code, error.message);
        assert.match(error.message, /budget exhausted/);
        check(error.data);
        return true;
      });

    for (const { door, unit, target } of rows) {
      test(`${door}: a capability without ${unit} left is refused`, async () => {
        const client = await as("ann");
        const { open } = DOORS[door];
        for (let i = 0; i < 2; i++) await open(client, target);
        const check = (data) => assert.deepEqual([data.capability, data.budget.unit], [target, unit]);
        await refused(open(client, target), check);
        await refused(client.callTool({ name: target }), check);
      });
    }

    test("tools, resources and prompts are calls for *, completions and lists are not", async () => {
      const client = await as("star");
      const complete = () =>
        client.complete({ ref: { type: "ref/prompt", name: "tell" }, argument: { name: "x", value: "" } });
      const uncounted = [complete, () => client.listTools(), () => client.listResources(), () => client.listPrompts()];
      const counted = [
        () => client.callTool({ name: "plain" }),
        () => client.readResource({ uri: "test://read" }),
        () => client.getPrompt({ name: "tell", arguments: { x: "1" } }),
      ];
      for (const open of counted) {
        await open();
        for (const free of uncounted) await free();
      }
      for (const open of counted) await refused(open(), (data) => assert.equal(data.spent, 3));
      for (const free of uncounted) await free();
    });

    test("what a completion spends is charged", async () => {
      const client = await as("frugal");
      const complete = () =>
        client.complete({ ref: { type: "ref/prompt", name: "tell" }, argument: { name: "x", value: "" } });
      await complete();
      await complete();
      await refused(complete(), (data) => assert.deepEqual([data.capability, data.spent], ["a completion", 10]));
      await refused(client.callTool({ name: "plain" }), (data) => assert.equal(data.spent, 10));
    });

    test("a call with questions costs what it says, once", async () => {
      const client = await as("metered");
      let spent = 0;
      for (const name of ["ten", "stated", "ten", "stated"]) {
        const receipt = (await client.callTool({ name }))._meta["dev.trails/receipt"];
        spent += 10;
        assert.equal(receipt.tokens, 10, name);
        assert.deepEqual(
          receipt.budgets.map((budget) => budget.spent),
          [spent],
        );
      }
    });

    test("a call with a question is one call, and one that nobody answers is one too", async () => {
      const client = await as("metered");
      await client.callTool({ name: "rare" });
      if (era === "2026-07-28") {
        const first = await round(server.url, "rare", tokens.metered);
        assert.equal(first.result.resultType, "input_required");
        await refused(client.callTool({ name: "rare" }), (data) => assert.equal(data.spent, 2));
        // It was paid, so that it may end; once.
        const last = await round(server.url, "rare", tokens.metered, first);
        assert.equal(last.result.content[0].text, "ran");
        const again = await round(server.url, "rare", tokens.metered, first);
        assert.deepEqual([again.error.code, again.error.data.spent], [code, 2]);
      } else {
        await client.callTool({ name: "rare" });
        await refused(client.callTool({ name: "rare" }), (data) => assert.equal(data.spent, 2));
      }
    });

    // Only a stateless revision has rounds.
    const inRounds = era === "2026-07-28" ? test : () => {};
    inRounds("what a round has paid is used once, by two processes and after a restart", async (t) => {
      const other = await serveWith(own, path);
      t.after(() => other.stop());
      const first = await round(server.url, "asks", tokens.counted);
      const tries = [server, other, other, server].map(({ url }) => round(url, "asks", tokens.counted, first));
      for (const { result } of await Promise.all(tries)) assert.equal(result.content[0].text, "ran");
      const spent = async (url) => {
        const { result } = await round(url, "plain", tokens.counted);
        return result._meta["dev.trails/receipt"].budgets[0].spent;
      };
      assert.equal(await spent(server.url), 5, "one call, three that come again, and this one");
      const second = await round(other.url, "asks", tokens.counted);
      assert.equal(await other.stop(), 0);
      const third = await serveWith(own, path);
      t.after(() => third.stop());
      for (const total of [7, 9]) {
        const last = await round(third.url, "asks", tokens.counted, second);
        assert.equal(last.result.content[0].text, "ran");
        assert.equal(await spent(third.url), total);
      }
      assert.equal(await third.stop(), 0);
    });
  });
}

// One request of a stateless revision, with answers to what an earlier one asked:
// the client would go on by itself.
async function round(url, name, bearer, before) {
  const { requestState, inputRequests } = before?.result ?? {};
  const inputResponses =
    inputRequests &&
    Object.fromEntries(Object.keys(inputRequests).map((key) => [key, { action: "accept", content: { ok: true } }]));
  const body = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: {
      name,
      arguments: {},
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
      },
      ...(before && { requestState, inputResponses }),
    },
  };
  const response = await fetch(url, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${bearer}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": "tools/call",
      "Mcp-Name": name,
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const data = /^data: (.*)$/m.exec(text);
  return JSON.parse(data ? data[1] : text);
}
