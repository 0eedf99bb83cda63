// What decides on a call before it runs, by the official client in both eras:
// policies, preconditions, keys and budgets. Each is held against its code, its
// data, and what provenance has of it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { assertVerdicts, env, serveWith, stdio } from "../js/server.mjs";

const require = createRequire(new URL("../js/package.json", import.meta.url));
const load = (name) => import(require.resolve(`@modelcontextprotocol/${name}`));
const { Client, StreamableHTTPClientTransport } = await load("client");
const { StdioClientTransport } = await load("client/stdio");

const APP = `
node_type "Ticket" {
  label = "title",
  ids = "preserve",
  fields = { title = text, state = text { one_of = { "open", "closed" }, default = "open" } },
}
policy "weekdays" {
  description = "Nobody calls on a Sunday.",
  run = function(ctx, call)
    return call.arguments.day ~= "Sunday", "not on Sundays, " .. call.principal
  end,
}
policy "broken" { run = function() error("secret-in-a-policy") end }
policy "endless" { run = function() while true do end end }
local function plain(id, more)
  more.description = id
  more.run = more.run or function() return "ran" end
  capability(id) (more)
end
plain("visit", { input = { day = text }, policy_required = { "weekdays" } })
plain("doubt", { policy_required = { "broken" } })
plain("ponder", { policy_required = { "endless" } })
plain("count", { run = function(ctx) return { n = (ctx.kg:count("Ticket")) } end })
plain("file", {
  idempotent = true,
  input = { title = text },
  run = function(ctx, args)
    local n = ctx.kg:count("Ticket") + 1
    ctx:sleep(0.05)
    return { iri = ctx.kg:create("Ticket", args, { id = "trails://desk/Ticket/" .. args.title .. n }).id }
  end,
})
plain("flip", {
  idempotent = true,
  run = function(ctx) return { heads = ctx:random(1000000) } end,
})
plain("close", {
  idempotent = true,
  input = { ticket = ref "Ticket" },
  preconditions = {
    { kind = "exists", type = "Ticket", arg = "ticket" },
    { kind = "state", type = "Ticket", arg = "ticket", field = "state", one_of = { "open" } },
  },
  run = function(ctx, args)
    ctx.kg:update(args.ticket, { state = "closed" })
    return "closed"
  end,
})
plain("deploy", { preconditions = { "scope:builder" } })
plain("capped", {})
plain("shared", {})
plain("think", {
  cost = { tokens = 10, usd = 0.01 },
  input = { tokens = integer { optional = true } },
  run = function(ctx, args)
    if args.tokens then ctx:spend { tokens = args.tokens, usd = args.tokens / 1000 } end
    return "thought"
  end,
})
`;

const TOML = `
[project]
name = "desk"
[server]
threads = 3
[budget]
capability = ["capped 5 calls/day"]
principal_capability = ["shared 2 calls/day"]
principal = ["token:poor 3 calls/day", "token:thinker 25 tokens/day", "token:spender 0.02 usd/hour"]
`;

const PEOPLE = ["ann", "bob", "poor", "thinker", "spender"];
const KEY = "dev.trails/idempotency_key";
const folder = mkdtempSync(join(tmpdir(), "trails-pipeline-"));
const own = { ...env, TRAILS_MCP_SCOPES: "runtime,builder" };
delete own.TRAILS_STORE;

function token(path, name, scope = "runtime", ...options) {
  const words = ["token", "create", "--app", path, "--name", name, "--scope", scope, "--json", ...options];
  return JSON.parse(execFileSync("build/debug/trails", words, { encoding: "utf8", env: own })).token;
}

// An app, its store, its tokens and a server, for one era.
class World {
  constructor(name, mode, offset) {
    this.mode = mode;
    this.offset = offset; // what the era adds to codes of ours
    this.path = join(folder, name);
    this.open = [];
    this.given = []; // ids of activities, and to whom they were told
    mkdirSync(this.path);
    writeFileSync(join(this.path, "app.lua"), APP);
    writeFileSync(join(this.path, "trails.toml"), TOML);
    this.tokens = Object.fromEntries(PEOPLE.map((who) => [who, token(this.path, who)]));
    this.tokens.small = token(this.path, "small", "runtime", "--calls-per-day", "2");
    this.tokens.builder = token(this.path, "builder", "runtime,builder");
  }

  async start() {
    this.server = await serveWith(own, this.path);
    this.clients = {};
  }

  async stop() {
    for (const client of this.open.splice(0)) await client.close();
    assert.equal(await this.server.stop(), 0, "the server ends cleanly");
  }

  async connect(who, url = this.server.url) {
    const headers = { Authorization: `Bearer ${this.tokens[who]}` };
    const client = new Client({ name: who, version: "1" }, { versionNegotiation: { mode: this.mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    this.open.push(client);
    return client;
  }

  async as(who) {
    this.clients[who] ??= await this.connect(who);
    return this.clients[who];
  }

  async call(who, name, args = {}, key = undefined) {
    const client = await this.as(who);
    try {
      const result = await client.callTool({ name, arguments: args, ...(key && { _meta: { [KEY]: key } }) });
      this.given.push([who, iriOf(result)]);
      return result;
    } catch (error) {
      const id = error.data?.decision_id;
      if (id) this.given.push([who, `trails://prov/${id}`]);
      throw error;
    }
  }

  // What one who reads a resource is given: its JSON, or how it is refused.
  async read(who, uri) {
    const client = await this.as(who);
    try {
      const { contents } = await client.readResource({ uri });
      return { ...JSON.parse(contents[0].text), next: contents[0]._meta?.next };
    } catch (error) {
      return { code: error.code, message: error.message, data: error.data };
    }
  }

  // The same, once it is there: reads are written within 100 ms.
  async found(who, uri) {
    let seen;
    for (let pause = 10; pause < 20000; pause *= 1.6) {
      seen = await this.read(who, uri);
      if (seen.id) return seen;
      await sleep(pause);
    }
    assert.fail(`${who} does not find ${uri}: ${JSON.stringify(seen)}`);
  }

  // Our own code for it, in this era, with its data; gives the error.
  async refused(code, promise, check = () => {}) {
    const isOurs = code > -32100 && code <= -32001;
    const wanted = isOurs ? code + this.offset : code;
    let found;
    await assert.rejects(promise, (error) => {
      assert.equal(error.code, wanted, error.message);
      const { trails_code, ...data } = error.data ?? {};
      assert.equal(trails_code, isOurs && this.offset ? code : undefined);
      check(data, error);
      found = { ...data, message: error.message };
      return true;
    });
    return found;
  }

  // Activities of a caller, the newest first, once one of them fits.
  async activity(who, fits) {
    const client = await this.as(who);
    let seen;
    // To look is an activity too, and only so many are shown.
    for (let pause = 100; pause < 20000; pause *= 1.6) {
      const { contents } = await client.readResource({ uri: "trails://prov/latest" });
      seen = JSON.parse(contents[0].text).activities;
      const found = seen.find(fits);
      if (found) return found;
      await sleep(pause);
    }
    assert.fail(`no such activity among ${JSON.stringify(seen, null, 1)}`);
  }
}

// Windows are fixed: none may end while we count.
async function awayFromTheHour() {
  const left = 3600 - ((Date.now() / 1000) % 3600);
  if (left < 120) await sleep((left + 1) * 1000);
}

const json = (result) => JSON.parse(result.content[0].text);
const text = (result) => result.content[0].text;
const iriOf = (result) => result._meta["dev.trails/provenance"];

before(awayFromTheHour);
after(() => {
  assertVerdicts();
  rmSync(folder, { recursive: true });
});

const eras = {
  "2026-07-28": { mode: { pin: "2026-07-28" }, offset: 1000 },
  "2025-11-25": { mode: "legacy", offset: 0 },
};

for (const [era, { mode, offset }] of Object.entries(eras)) {
  describe(era, () => {
    let world;
    before(async () => {
      world = new World(era, mode, offset);
      await world.start();
    });
    after(() => world.stop());

    test("a policy that allows is in provenance", async () => {
      const result = await world.call("ann", "visit", { day: "Monday" });
      assert.equal(text(result), "ran");
      const decision = await world.activity("ann", (a) => a.parent === iriOf(result));
      assert.equal(decision.kind, "policy");
      assert.equal(decision.name, "weekdays");
      assert.equal(decision.outcome, "ok");
      assert.equal(decision.principal, "token:ann");
    });

    test("a policy that denies says which it is, and its decision can be found", async () => {
      const data = await world.refused(-32002, world.call("ann", "visit", { day: "Sunday" }), (data, error) => {
        assert.deepEqual(Object.keys(data).sort(), ["decision_id", "policy"]);
        assert.match(error.message, /policy 'weekdays' denies it: not on Sundays, token:ann$/);
      });
      assert.equal(data.policy, "weekdays");
      const decision = await world.activity("ann", (a) => a.id === `trails://prov/${data.decision_id}`);
      assert.deepEqual([decision.kind, decision.name, decision.outcome], ["policy", "weekdays", "denied"]);
      const denied = await world.activity("ann", (a) => a.id === decision.parent);
      assert.deepEqual([denied.kind, denied.name, denied.outcome, denied.status], ["tool", "visit", "denied", "policy"]);
    });

    test("a policy that fails or does not end denies, and says where in development", async () => {
      for (const [tool, policy, outcome] of [
        ["doubt", "broken", "failed"],
        ["ponder", "endless", "failed"],
      ]) {
        const data = await world.refused(-32002, world.call("ann", tool), (data, error) => {
          assert.equal(data.policy, policy);
          assert.match(error.message, / denies it: it failed: \S+app\.lua:\d+: /);
          assert.doesNotMatch(JSON.stringify(data), /secret/);
        });
        const decision = await world.activity("ann", (a) => a.id === `trails://prov/${data.decision_id}`);
        assert.deepEqual([decision.name, decision.outcome], [policy, outcome]);
      }
    });

    test("a policy is asked before the arguments are looked at", async () => {
      await world.refused(-32602, world.call("ann", "visit", { day: 7 }), (data) => {
        assert.equal(data.fields[0].field, "day");
      });
      await world.refused(-32002, world.call("ann", "visit", { day: "Sunday", more: 1 }));
    });

    test("a precondition about a node that is not there", async () => {
      const ticket = "trails://desk/Ticket/none";
      await world.refused(-32602, world.call("ann", "close", { ticket }), (data, error) => {
        assert.deepEqual(data, {
          precondition: { kind: "exists", arg: "ticket", type: "Ticket" },
          value: ticket,
        });
        assert.match(error.message, /precondition not met/);
      });
      const refused = await world.activity("ann", (a) => a.name === "close" && a.outcome !== "ok");
      assert.deepEqual([refused.outcome, refused.status, refused.wrote], ["refused", "precondition", false]);
    });

    test("a precondition about the state of a node", async () => {
      const { iri } = json(await world.call("ann", "file", { title: "state" }));
      const closed = await world.call("ann", "close", { ticket: iri });
      assert.equal(text(closed), "closed");
      const done = await world.activity("ann", (a) => a.id === iriOf(closed));
      assert.deepEqual(done.used, [iri]);
      await world.refused(-32602, world.call("ann", "close", { ticket: iri }), (data) => {
        assert.deepEqual(data, {
          precondition: { kind: "state", arg: "ticket", field: "state", one_of: ["open"], type: "Ticket" },
          value: iri,
          found: "closed",
        });
      });
    });

    test("a precondition about the caller's scope", async () => {
      await world.refused(-32004, world.call("ann", "deploy"), (data, error) => {
        assert.deepEqual(data, { tool: "deploy", required_scope: "builder", caller_scopes: ["runtime"] });
        assert.match(error.message, /scope denied: deploy requires builder$/);
      });
      assert.equal(text(await world.call("builder", "deploy")), "ran");
      const refused = await world.activity("ann", (a) => a.name === "deploy");
      assert.deepEqual([refused.outcome, refused.status], ["denied", "scope"]);
    });

    test("a key gives the first result again", async () => {
      const first = await world.call("ann", "file", { title: "key" }, "k-1");
      const { n } = json(await world.call("ann", "count"));
      const again = await world.call("ann", "file", { title: "key" }, "k-1");
      assert.deepEqual(again.content, first.content);
      assert.equal(again._meta["dev.trails/replayed"], iriOf(first));
      assert.notEqual(iriOf(again), iriOf(first));
      assert.equal(first._meta["dev.trails/replayed"], undefined);
      assert.equal(json(await world.call("ann", "count")).n, n);
      const wrote = await world.activity("ann", (a) => a.id === iriOf(first));
      assert.deepEqual([wrote.wrote, wrote.generated], [true, [json(first).iri]]);
      const replayed = await world.activity("ann", (a) => a.id === iriOf(again));
      assert.deepEqual([replayed.wrote, replayed.outcome], [false, "ok"]);
      assert.deepEqual(replayed.digests, wrote.digests);
    });

    test("a key is good for what writes nothing, too, and may be an argument", async () => {
      const first = await world.call("ann", "flip", {}, "k-2");
      assert.deepEqual((await world.call("ann", "flip", {}, "k-2")).content, first.content);
      assert.deepEqual((await world.call("ann", "flip", { idempotency_key: "k-2" })).content, first.content);
      assert.notDeepEqual((await world.call("ann", "flip", { idempotency_key: "k-3" })).content, first.content);
      assert.notDeepEqual((await world.call("ann", "flip")).content, first.content);
      await world.refused(-32602, world.call("ann", "flip", {}, "k".repeat(256)), (_, error) => {
        assert.match(error.message, /1 to 255 bytes/);
      });
    });

    test("a key with other arguments is a conflict", async () => {
      await world.call("ann", "file", { title: "mine" }, "k-4");
      await world.refused(-32602, world.call("ann", "file", { title: "other" }, "k-4"), (data) => {
        assert.deepEqual(data, { reason: "idempotency_conflict" });
      });
      const refused = await world.activity("ann", (a) => a.name === "file" && a.outcome !== "ok");
      assert.deepEqual([refused.outcome, refused.status], ["refused", "conflict"]);
    });

    test("a key is the caller's own", async () => {
      const mine = json(await world.call("ann", "file", { title: "own" }, "k-5"));
      const yours = json(await world.call("bob", "file", { title: "own" }, "k-5"));
      assert.notEqual(mine.iri, yours.iri);
      const theirs = json(await world.call("bob", "file", { title: "theirs" }, "k-6"));
      const others = json(await world.call("ann", "file", { title: "others" }, "k-6"));
      assert.notEqual(theirs.iri, others.iri);
    });

    test("a key does not repeat what the caller may not do any more", async () => {
      const made = token(world.path, "leaver");
      world.tokens.leaver = made;
      await world.call("leaver", "flip", {}, "k-7");
      const list = JSON.parse(
        execFileSync("build/debug/trails", ["token", "list", "--app", world.path, "--json"], { env: own }),
      );
      const all = Array.isArray(list) ? list : list.tokens;
      const { id } = all.find((one) => one.name === "leaver");
      execFileSync("build/debug/trails", ["token", "revoke", "--app", world.path, id], { env: own });
      await assert.rejects(world.call("leaver", "flip", {}, "k-7"));
    });

    test("calls with one key at the same time happen once", async () => {
      const { n } = json(await world.call("ann", "count"));
      const clients = await Promise.all([1, 2, 3, 4].map(() => world.connect("ann")));
      const calls = [...clients, ...clients].map((client) =>
        client.callTool({ name: "file", arguments: { title: "once" }, _meta: { [KEY]: "k-8" } }),
      );
      const results = await Promise.all(calls);
      assert.equal(new Set(results.map((result) => json(result).iri)).size, 1);
      assert.equal(json(await world.call("ann", "count")).n, n + 1);
      const firsts = results.filter((result) => !result._meta["dev.trails/replayed"]);
      assert.equal(firsts.length, 1);
    });

    test("calls with one key to two processes land once", async () => {
      const second = await serveWith(own, world.path);
      const [here, there] = [await world.as("ann"), await world.connect("ann", second.url)];
      const { n } = json(await world.call("ann", "count"));
      for (const round of [1, 2, 3]) {
        const results = await Promise.all(
          [here, there, here, there].map((client) =>
            client.callTool({ name: "file", arguments: { title: `two${round}` }, _meta: { [KEY]: `k-9-${round}` } }),
          ),
        );
        assert.equal(new Set(results.map((result) => json(result).iri)).size, 1);
        assert.equal(results.filter((result) => !result._meta["dev.trails/replayed"]).length, 1);
      }
      assert.equal(json(await world.call("ann", "count")).n, n + 3);
      assert.equal(await second.stop(), 0);
    });

    const spentCalls = (level, capability, who, limit) => (data, error) => {
      const { retry_after_s, ...rest } = data;
      assert.deepEqual(rest, {
        principal: `token:${who}`,
        capability,
        budget: { level, unit: "calls", window: "day", limit },
        spent: limit,
      });
      assert.ok(retry_after_s > 0 && retry_after_s <= 86400);
      assert.match(error.message, /budget exhausted/);
    };

    test("a budget of each caller for a capability", async () => {
      const first = await world.call("ann", "shared");
      assert.deepEqual(first._meta["dev.trails/receipt"], {
        tokens: 0,
        usd: 0,
        budgets: [{ level: "principal_capability", unit: "calls", window: "day", limit: 2, spent: 1 }],
      });
      await world.call("ann", "shared");
      await world.refused(-32003, world.call("ann", "shared"), spentCalls("principal_capability", "shared", "ann", 2));
      assert.equal(text(await world.call("bob", "shared")), "ran");
      const refused = await world.activity("ann", (a) => a.name === "shared" && a.outcome !== "ok");
      assert.deepEqual([refused.outcome, refused.status], ["denied", "budget"]);
    });

    test("a budget of a caller for everything", async () => {
      for (const name of ["count", "flip", "shared"]) await world.call("poor", name);
      await world.refused(-32003, world.call("poor", "count"), spentCalls("principal", "count", "poor", 3));
      await world.refused(-32003, world.call("poor", "flip"), spentCalls("principal", "flip", "poor", 3));
    });

    test("a budget of a token", async () => {
      await world.call("small", "count");
      await world.call("small", "flip");
      await world.refused(-32003, world.call("small", "count"), spentCalls("token", "count", "small", 2));
    });

    test("tokens are charged as declared or as the handler says, and are in provenance", async () => {
      const declared = await world.call("thinker", "think");
      const budget = { level: "principal", unit: "tokens", window: "day", limit: 25 };
      assert.deepEqual(declared._meta["dev.trails/receipt"], {
        tokens: 10,
        usd: 0.01,
        budgets: [{ ...budget, spent: 10 }],
      });
      const said = await world.call("thinker", "think", { tokens: 4 });
      assert.deepEqual(said._meta["dev.trails/receipt"], {
        tokens: 4,
        usd: 0.004,
        budgets: [{ ...budget, spent: 14 }],
      });
      const activity = await world.activity("thinker", (a) => a.id === iriOf(said));
      assert.deepEqual([activity.cost.tokens, activity.cost.usd], [4, 0.004]);
      await world.call("thinker", "think", { tokens: 2 });
      await world.refused(-32003, world.call("thinker", "think"), (data) => {
        assert.deepEqual(data.budget, budget);
        assert.equal(data.spent, 16);
      });
    });

    test("money is charged, too", async () => {
      const first = await world.call("spender", "think", { tokens: 10 });
      const budget = { level: "principal", unit: "usd", window: "hour", limit: 0.02 };
      assert.deepEqual(first._meta["dev.trails/receipt"].budgets, [{ ...budget, spent: 0.01 }]);
      await world.call("spender", "think");
      await world.refused(-32003, world.call("spender", "think"), (data) => {
        assert.deepEqual(data.budget, budget);
        assert.equal(data.spent, 0.02);
        assert.ok(data.retry_after_s <= 3600);
      });
    });

    test("who costs nothing gets no receipt", async () => {
      const result = await world.call("ann", "count");
      assert.equal(result._meta["dev.trails/receipt"], undefined);
      const unbounded = await world.call("ann", "think");
      assert.deepEqual(unbounded._meta["dev.trails/receipt"], { tokens: 10, usd: 0.01 });
    });

    test("a budget of a capability holds for all callers of two processes together", async () => {
      const second = await serveWith(own, world.path);
      const clients = [
        await world.as("ann"),
        await world.as("bob"),
        await world.connect("ann", second.url),
        await world.connect("bob", second.url),
      ];
      const calls = [...clients, ...clients, ...clients].map((client) =>
        client.callTool({ name: "capped", arguments: {} }).then(
          () => true,
          (error) => {
            assert.equal(error.code, -32003 + world.offset);
            return false;
          },
        ),
      );
      const ran = (await Promise.all(calls)).filter(Boolean).length;
      assert.equal(ran, 5);
      assert.equal(await second.stop(), 0);
    });

    test("keys and budgets survive a restart", async () => {
      const before = await world.call("ann", "file", { title: "kept" }, "k-10");
      await world.stop();
      await world.start();
      const again = await world.call("ann", "file", { title: "kept" }, "k-10");
      assert.deepEqual(again.content, before.content);
      assert.equal(again._meta["dev.trails/replayed"], iriOf(before));
      await world.refused(-32602, world.call("ann", "file", { title: "other" }, "k-10"));
      await world.refused(-32003, world.call("bob", "capped"), spentCalls("capability", "capped", "bob", 5));
      await world.refused(-32003, world.call("small", "count"), spentCalls("token", "count", "small", 2));
    });

    test("the same on stdio", async () => {
      const client = new Client({ name: "ann", version: "1" }, { versionNegotiation: { mode } });
      await client.connect(new StdioClientTransport(stdio(world.path, own)));
      world.clients.nobody = client;
      world.open.push(client);
      await world.refused(-32002, world.call("nobody", "visit", { day: "Sunday" }), (data) => {
        assert.equal(data.policy, "weekdays");
      });
      const first = await world.call("nobody", "flip", {}, "k-11");
      assert.deepEqual((await world.call("nobody", "flip", {}, "k-11")).content, first.content);
      await world.call("nobody", "shared");
      await world.call("nobody", "shared");
      await world.refused(-32003, world.call("nobody", "shared"), (data) => {
        assert.equal(data.principal, "");
        assert.equal(data.spent, 2);
      });
      await world.refused(-32001, world.call("nobody", "deploy"), (data) => {
        assert.deepEqual(data, { tool: "deploy", required_scope: "builder" });
      });
    });

    test("every id that was told is found by its caller and by builder, and by nobody else", async () => {
      const none = "trails://prov/019fa8cd-1200-7000-8000-000000000001";
      const others = (who) => ["ann", "bob", "nobody"].filter((other) => other !== who);
      assert.ok(world.given.length > 30, `${world.given.length}`);
      assert.ok(world.given.some(([who]) => who === "nobody"));
      // Who has used up a budget cannot read either: builder looks for them.
      const isSpent = async (who, iri) => (await world.read(who, iri)).code === -32003 + world.offset;
      for (const [who, iri] of world.given.filter(([who]) => who !== "leaver")) {
        const mine = await world.found((await isSpent(who, iri)) ? "builder" : who, iri);
        assert.equal(mine.id, iri);
        assert.equal(mine.principal, who === "nobody" ? undefined : `token:${who}`);
        assert.deepEqual(await world.found("builder", iri), mine);
        for (const other of others(who)) {
          const refusal = JSON.stringify(await world.read(other, iri)).replaceAll(iri, none);
          assert.equal(refusal, JSON.stringify(await world.read(other, none)));
          assert.match(refusal, /not found/);
        }
      }
      const [, iri] = world.given.find(([who]) => who === "poor");
      const refusal = await world.read("poor", iri);
      assert.equal(refusal.code, -32003 + world.offset);
      assert.equal(refusal.data.capability, "a resource");
      for (const id of ["x", "019fa8cd-1200-7000-8000-00000000000g", "latest/"])
        assert.match((await world.read("builder", `trails://prov/${id}`)).message, /not found/);
    });

    test("activities come in pages: one's own, or with builder all", async () => {
      const names = async (who, query) =>
        (await world.read(who, `trails://prov?${query}`)).activities.map((a) => `${a.principal} ${a.name}`);
      const visits = await names("ann", "capability=visit");
      assert.ok(visits.length > 1);
      assert.deepEqual([...new Set(visits)], ["token:ann visit"]);
      assert.deepEqual(await names("ann", "capability=visit&principal=token%3Aann"), visits);
      assert.deepEqual(await names("builder", "capability=visit&principal=token%3Aann"), visits);
      assert.ok((await names("builder", "capability=visit")).includes("undefined visit"), "of nobody, too");
      assert.deepEqual([...new Set(await names("builder", "capability=visit&principal="))], ["undefined visit"]);
      assert.deepEqual(await names("ann", "capability=vis"), []);
      assert.deepEqual(await names("ann", "since=2999-01-01T00:00:00Z"), []);

      const seen = [];
      let uri = "trails://prov?principal=token%3Aann&capability=visit&since=2020-01-01T00%3A00%3A00Z&limit=1";
      for (let page; uri; uri = page.next) {
        page = await world.read("builder", uri);
        assert.ok(page.activities.length <= 1);
        seen.push(...page.activities.map((a) => `${a.principal} ${a.name}`));
      }
      assert.deepEqual(seen, visits);
    });

    test("a page that cannot be is refused with its reason", async () => {
      const refusals = {
        "since=yesterday": ["since", "type_mismatch"],
        "since=1960-01-01T00:00:00Z": ["since", "type_mismatch"],
        "limit=0": ["limit", "type_mismatch"],
        "limit=many": ["limit", "type_mismatch"],
        "limit=1&limit=2": ["limit", "syntax"],
        "cursor=3": ["cursor", "invalid_cursor"],
        "capability=": ["capability", "syntax"],
        "capability=%f": ["capability", "syntax"],
        "capability=%ff": ["capability", "syntax"],
        [`capability=${"x".repeat(4000)}`]: ["capability", "too_long"],
        "who=ann": ["who", "unknown_parameter"],
      };
      for (const [query, [field, reason]] of Object.entries(refusals)) {
        const { code, data } = await world.read("builder", `trails://prov?${query}`);
        assert.deepEqual([code, data.field, data.reason], [-32602, field, reason], query);
      }
      const { code, data } = await world.read("ann", "trails://prov?principal=token%3Abob");
      assert.equal(code, -32004 + world.offset);
      assert.equal(data.required_scope, "builder");
    });
  });
}
