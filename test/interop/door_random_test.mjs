// Random apps whose handlers try to write through every door, in every way that
// Lua has, by the official client in both eras. Only capabilities that are
// called as tools change the graph; whoever else tries is refused.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { KINDS, connect } from "../js/clients.mjs";
import { assertEveryDoor } from "../js/doors.mjs";
import { assertVerdicts, env, serveWith } from "../js/server.mjs";

const seed = Number(process.env.TRAILS_TEST_SEED || Date.now()) >>> 0;
const scale = Number(process.env.TRAILS_TEST_SCALE || 1);
const APPS = Math.max(1, Math.floor(20 * scale));
const HANDLERS = 8; // of each kind
const folder = mkdtempSync(join(tmpdir(), "trails-door-"));
after(() => rmSync(folder, { recursive: true }));

let state = seed;
function random(n) {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * n);
}
const pick = (list) => list[random(list.length)];

// What a handler does. `mark` is the text that a write leaves. ------------------

const BASE = "trails://doors/Mark/base";
const READS = [
  `kg:count("Mark")`,
  `kg:get("${BASE}")`,
  `kg:where("Mark", { mark = "base" })`,
  `kg:search("base")`,
  `kg:quads { subject = "urn:base" }`,
  `ctx:now()`,
];
const WRITES = [
  (mark) => `kg:create("Mark", { mark = ${mark} }, { id = "trails://doors/Mark/" .. ${mark} })`,
  (mark) => `kg:upsert("Mark", { mark = ${mark} }, { by = { "mark" }, id = "trails://doors/Mark/" .. ${mark} })`,
  (mark) => `kg:create(nil, { ["rdfs:label"] = ${mark} })`,
  (mark) => `kg:add("urn:base", "rdfs:comment", ${mark})`,
  (mark) => `kg:add("urn:base", "rdfs:comment", ${mark}, "urn:graph")`,
];
// These leave no text: they are for who may not.
const REMOVALS = [
  () => `kg:update("${BASE}", { mark = "changed" })`,
  () => `kg:delete("${BASE}")`,
  () => `kg:remove("urn:base", "rdfs:label", "base")`,
];
const WRAPS = [
  (code) => code,
  (code) => `pcall(function() ${code} end)`,
  (code) => `kg:transaction(function() ${code} end)`,
  (code) => `pcall(kg.transaction, kg, function() ${code} end)`,
];
// What a policy cannot do.
const WAITING_WRAPS = [
  ...WRAPS,
  (code) => `coroutine.wrap(function() ${code} end)()`,
  (code) => `ctx:sleep(0) ${code}`,
  (code) => `ctx:invoke("reader") ${code}`,
];
// What says that it writes is not even started, so that who catches the refusal
// has tried nothing and may end well: it goes on and tries.
const INVOKES = ["writer", "forwards"].flatMap((callee) => [
  (mark) => `ctx:invoke("${callee}", { mark = ${mark} }) kg:add("urn:base", "rdfs:comment", ${mark})`,
  (mark) => `pcall(ctx.invoke, ctx, "${callee}", { mark = ${mark} }) kg:add("urn:base", "rdfs:comment", ${mark})`,
]);

function body({ mark, writes, waits = true, removes = true }) {
  const steps = Array.from({ length: random(3) }, () => pick(READS));
  const ways = [...WRITES, ...(removes ? REMOVALS : []), ...(removes && waits ? INVOKES : [])];
  const way = pick(ways);
  const wraps = waits ? WAITING_WRAPS : WRAPS;
  const wrap = INVOKES.includes(way) ? wraps[0] : pick(wraps);
  if (writes) steps.splice(random(steps.length + 1), 0, wrap(way(mark)));
  return steps.join("\n  ");
}

// One door: how an app declares it, how a client goes through it. --------------

const run = (code, result) => `run = function(ctx, args) local kg = ctx.kg\n  ${code}\n  return ${result} end`;
const DOORS = {
  resource: {
    declare: (name, code) => `resource "door://${name}" { name = "${name}", ${run(code, '"x"')} }`,
    enter: (client, name) => client.readResource({ uri: `door://${name}` }),
  },
  template: {
    declare: (name, code) => `resource_template "door://${name}/{id}" { name = "${name}", ${run(code, '"x"')} }`,
    enter: (client, name) => client.readResource({ uri: `door://${name}/7` }),
  },
  prompt: {
    declare: (name, code) => `prompt "${name}" { description = "p", ${run(code, '"x"')} }`,
    enter: (client, name) => client.getPrompt({ name }),
  },
  completion: {
    declare: (name, code) =>
      `prompt "${name}" { description = "p", arguments = { a = text }, run = function() return "x" end }\n` +
      `completion { prompt = "${name}", argument = "a", ${run(code, '{ "x" }')} }`,
    enter: (client, name) =>
      client.complete({ ref: { type: "ref/prompt", name }, argument: { name: "a", value: "" } }),
  },
  policy: {
    waits: false,
    declare: (name, code) =>
      `policy "${name}" { ${run(code, "true")} }\n` +
      `capability "asks_${name}" { description = "c", side_effects = {}, policy_required = { "${name}" }, run = function() return "x" end }`,
    enter: (client, name) => client.callTool({ name: `asks_${name}`, arguments: {} }),
  },
};
const TOOL = (name, code) =>
  `capability "${name}" { description = "c", side_effects = { graph_writes = { "*" } }, ${run(code, '"x"')} }`;

const HEAD = `
node_type "Mark" { ids = "preserve", label = "mark", fields = { mark = text { search = true, unique = true } } }
capability "reader" { description = "r", side_effects = {}, run = function(ctx) return { n = (ctx.kg:count("Mark")) } end }
local everywhere = { graph_writes = { "*" } }
capability "writer" {
  description = "w", input = { mark = text }, side_effects = everywhere,
  run = function(ctx, args) ctx.kg:add("urn:base", "rdfs:comment", args.mark) end,
}
capability "forwards" {
  description = "f", input = { mark = text }, side_effects = everywhere,
  run = function(ctx, args) ctx:invoke("writer", args) end,
}
capability "begin" {
  description = "b", side_effects = everywhere,
  run = function(ctx)
    ctx.kg:create("Mark", { mark = "base" }, { id = "${BASE}" })
    ctx.kg:add("urn:base", "rdfs:label", "base")
  end,
}
`;

function makeApp() {
  const handlers = [];
  for (const [kind, door] of Object.entries(DOORS)) {
    for (let i = 0; i < HANDLERS; i++) {
      const name = `${kind}_${i}`;
      const writes = i > 0 && random(4) > 0;
      const code = body({ mark: `"by-${name}"`, writes, waits: door.waits });
      handlers.push({ name, kind, writes, text: door.declare(name, code) });
    }
  }
  for (let i = 0; i < HANDLERS; i++) {
    const name = `tool_${i}`;
    const code = body({ mark: `"by-${name}"`, writes: true, removes: false });
    handlers.push({ name, kind: "tool", writes: true, text: TOOL(name, code) });
  }
  return { handlers, text: HEAD + handlers.map(({ text }) => text).join("\n") };
}

test("every door is tried", () => {
  assertEveryDoor([...Object.keys(DOORS), "tool"], {
    subscription: "no handler of an app runs for it", meta: "nor for that",
  });
});

// The test -------------------------------------------------------------------------

function exported(path) {
  const own = { ...process.env };
  return execFileSync("build/debug/trails", ["export", "--app", path], { encoding: "utf8", env: own })
    .split("\n")
    .sort()
    .join("\n");
}

async function ends(promise) {
  try {
    const result = await promise;
    return !result.isError;
  } catch {
    return false;
  }
}

async function subscribe(client, isModern, uris) {
  if (isModern) return;
  for (const uri of uris) await client.subscribeResource({ uri });
}

for (let i = 0; i < APPS; i++) {
  for (const kind of KINDS.slice(1)) {
    test(`app ${i} of seed ${seed}, ${kind.kind}`, async () => {
      const path = join(folder, `${i}-${kind.isModern}`);
      const { handlers, text } = makeApp();
      mkdirSync(path);
      writeFileSync(join(path, "app.lua"), text);
      writeFileSync(join(path, "trails.toml"), `[project]\nname = "doors"\n`);
      const own = { ...env };
      delete own.TRAILS_STORE;
      const server = await serveWith(own, path);
      const client = await connect(kind, server.url);
      try {
        assert.ok(await ends(client.callTool({ name: "begin", arguments: {} })));
        const before = exported(path);
        assert.match(before, /"base"/);
        const uris = handlers.filter((one) => one.kind === "resource").map(({ name }) => `door://${name}`);
        await subscribe(client, kind.isModern, uris);
        for (const one of handlers.filter((other) => other.kind !== "tool")) {
          const isWell = await ends(DOORS[one.kind].enter(client, one.name));
          assert.equal(isWell, !one.writes, `${one.text}\n(seed ${seed})`);
        }
        assert.equal(exported(path), before, "nothing has changed");
        for (const one of handlers.filter((other) => other.kind === "tool")) {
          assert.ok(await ends(client.callTool({ name: one.name, arguments: {} })), one.text);
          assert.match(exported(path), new RegExp(`"by-${one.name}"`), one.text);
        }
      } finally {
        await client.close();
        assert.equal(await server.stop(), 0);
      }
    });
  }
}

test("all that was sent is right", () => assertVerdicts());
