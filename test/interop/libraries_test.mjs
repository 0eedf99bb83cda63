// The libraries that agents are built with, against the demo, over stdio and HTTP:
// connect, list, call, call wrongly, read, ask, watch, and go on after the server
// was killed and came back.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { demo, plain, start } from "../js/demo.mjs";
import { LIBRARIES } from "../js/libraries.mjs";
import { assertVerdicts, serveWith, stdio } from "../js/server.mjs";

const HEAT = { project: "DOCK", kind: "functional", title: "Heat", statement: "Warm." };
const HEATED = {
  project: "DOCK", kind: "functional", title: "The bolt is heated in frost",
  statement: "The lock shall keep its bolt above 2 degrees in frost.",
};
const FIELDS = ["title must have at least 8 characters", "statement must have at least 20 characters"];
const scratch = mkdtempSync(join(tmpdir(), "trails-libraries-"));
const told = demo(); // errors are results
const raised = demo({ errors: "jsonrpc" });
const BOUNDED = { timeout: 120_000 };
let servers;

before(async () => {
  servers = { told: await serveWith(plain, told), raised: await serveWith(plain, raised) };
});
after(async () => {
  for (const server of Object.values(servers)) assert.equal(await server.stop(), 0, "it ends cleanly");
  assertVerdicts();
  rmSync(scratch, { recursive: true });
});

const WHERE = {
  http: (kind) => ({ url: servers[kind].url }),
  stdio: (kind) => ({ ...stdio(kind === "told" ? told : raised, plain), stderr: "inherit" }),
};

async function lists(client) {
  const tools = await client.tools();
  for (const name of ["search_requirements", "propose_requirement", "create_component"]) {
    assert.ok(tools.includes(name), name);
  }
  assert.ok((await client.resources()).includes("requirements://projects"));
  assert.ok((await client.templates()).includes("requirements://requirement/{key}"));
  if (client.prompts) assert.deepEqual(await client.prompts(), ["review_requirement"]);
}

async function callsAndReads(client) {
  const good = await client.call("get_requirement", { key: "DOCK-5" });
  assert.equal(good.isError, false);
  assert.equal(JSON.parse(good.text).key, "DOCK-5");
  assert.equal(JSON.parse(await client.read("requirements://projects")).length, 2);
  assert.match(await client.read("requirements://requirement/DOCK-5"), /^# DOCK-5: /);
  if (client.prompt) assert.match(await client.prompt("review_requirement", { key: "DOCK-5" }), /# DOCK-5: /);
  if (client.complete) {
    const ref = { type: "ref/prompt", name: "review_requirement" };
    assert.ok((await client.complete({ ref, argument: { name: "key", value: "dock-1" } })).includes("DOCK-12"));
  }
}

async function seesWhatIsWrong(client) {
  const wrong = await client.call("propose_requirement", HEAT);
  assert.equal(wrong.isError, true);
  for (const field of FIELDS) assert.ok(wrong.text.includes(field), wrong.text);
  const unclear = await client.call("who_owns", { person: "Ra" });
  assert.equal(unclear.isError, true);
  assert.match(unclear.text, /several people are called Ra.*Rafael Acosta.*Priya Raman/s);
}

async function isTold(client) {
  const next = await client.watch("trails://kg/Requirement");
  assert.equal((await client.call("propose_requirement", HEATED)).isError, false);
  assert.equal(await next(), "trails://kg/Requirement");
}

// Whatever a test finds, its client goes: a server over stdio ends with it.
async function opened(t, open, where) {
  const client = await open(where);
  t.after(() => client.close().catch(() => {}));
  return client;
}

for (const { library, open } of LIBRARIES) {
  for (const transport of ["http", "stdio"]) {
    test(`${library}, ${transport}`, BOUNDED, async (t) => {
      const client = await opened(t, open, WHERE[transport]("told"));
      await t.test("lists", () => lists(client));
      await t.test("calls, reads and asks", () => callsAndReads(client));
      await t.test("sees which fields are wrong", () => seesWhatIsWrong(client));
      if (client.watch) await t.test("is told of a change", () => isTold(client));
    });

    test(`${library}, ${transport}: fields are visible in errors, too`, BOUNDED, async (t) => {
      await seesWhatIsWrong(await opened(t, open, WHERE[transport]("raised")));
    });
  }
}

// A server that dies -------------------------------------------------------------

const keyOf = ({ text }) => JSON.parse(text).key;

for (const { library, open } of LIBRARIES) {
  test(`${library}, http: goes on after the server was killed and came back`, BOUNDED, async (t) => {
    let server = await start(demo());
    t.after(() => server.stop());
    const client = await opened(t, open, { url: server.url });
    const key = keyOf(await client.call("propose_requirement", HEATED));
    for (let round = 0; round < 2; round++) {
      server = await server.again();
      const found = await client.call("get_requirement", { key });
      assert.equal(found.isError, false, found.text);
      assert.equal(keyOf(found), key, "what was answered had landed");
    }
  });

  test(`${library}, stdio: a server that is started anew has what was written`, BOUNDED, async (t) => {
    const folder = demo();
    const pid = join(scratch, "pid");
    const where = {
      command: "sh", args: ["-c", 'echo $$ > "$0"; exec build/debug/trails serve "$1" --stdio', pid, folder],
      env: plain, stderr: "inherit",
    };
    const first = await opened(t, open, where);
    const key = keyOf(await first.call("propose_requirement", HEATED));
    process.kill(Number(readFileSync(pid, "utf8")), "SIGKILL");
    const second = await opened(t, open, where);
    assert.equal(keyOf(await second.call("get_requirement", { key })), key);
  });
}
