// References, null and `clear` by the official clients, as an agent meets them in
// the demo: each text is what a host that shows messages alone shows a model.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { connect, KINDS } from "../js/clients.mjs";
import { assertVerdicts, env, serve } from "../js/server.mjs";

const APP = "apps/requirements";
const folder = mkdtempSync(join(tmpdir(), "trails-refs-"));
env.TRAILS_STORE = join(folder, "data");
let server;

const trails = (...args) => spawnSync("build/debug/trails", args, { env, encoding: "utf8" });

before(async () => {
  const done = trails("import", "--app", APP, join(APP, "seed.ttl"));
  assert.equal(done.status, 0, done.stderr);
  server = await serve(APP);
});
after(async () => {
  assert.equal(await server.stop(), 0, "the server ends cleanly");
  assertVerdicts();
  rmSync(folder, { recursive: true });
});

// What a host shows: the text of a result, or the message of an error.
async function seen(client, name, args) {
  try {
    const { content } = await client.callTool({ name, arguments: args });
    return content.map(({ text }) => text).join("\n");
  } catch (error) {
    return error.message;
  }
}

const part = (more) => ({ project: "DOCK", name: "A thing to try", purpose: "Tests", lead: "ines-duarte", ...more });

// The call, and what must be in what is seen.
const ROWS = [
  ["a ref by name", "create_component", part({ lead: "Rafael" }),
    "lead: there is no Person Rafael; did you mean rafael-acosta (Rafael Acosta)? find_person lists them"],
  ["a ref to nothing", "create_component", part({ project: "trails://requirements/Project/NOPE" }),
    "there is no Project NOPE; known: DOCK (Dock controller), HUB (Station hub); trails://kg/Project lists them"],
  ["several of them", "create_component", part({ project: "NOPE", lead: "nobody", name: null }), "project: there is no Project NOPE",
    "lead: there is no Person nobody", "name is required"],
  ["an id that is nearly right", "update_component", { id: "DOCK-buss", name: "Cable" },
    "there is no Component DOCK-buss; did you mean DOCK-bus (Station cable)? find_component lists them"],
  ["what others need", "delete_component", { id: "DOCK-bus" },
    "cannot delete DOCK-bus: still needed by Requirement DOCK-41, DOCK-42, DOCK-43, DOCK-44, DOCK-45 (field components)"],
  ["an old version", "update_component", { id: "DOCK-bus", version: 99 },
    "is at version 1, not 99: read it again with find_component"],
  ["an old version of the app's", "change_state", { key: "DOCK-5", state: "implemented", if_version: 99 },
    "DOCK-5 is at version 1, not 99: read it again with get_requirement"],
  ["a key of nothing", "get_requirement", { key: "DOCK-9999" },
    "there is no requirement DOCK-9999; search_requirements finds keys"],
  ["a name of several", "who_owns", { person: "Ra" }, "several people are called Ra: ", "rafael"],
  ["a bad cursor", "find_component", { cursor: "bogus" }, "cursor is not of this search, or too old: begin again without it"],
  ["a bad place", "list_requirements", { after: "bogus" },
    "after is not what a page before gave as next: begin again without it"],
];

for (const kind of KINDS) {
  test(`${kind.kind}: what is seen says what to do next`, async () => {
    const client = await connect(kind, server.url);
    for (const [what, name, args, ...parts] of ROWS) {
      const text = await seen(client, name, args);
      for (const expected of parts) assert.ok(text.includes(expected), `${what}: ${text}`);
    }
    await client.close();
  });

  test(`${kind.kind}: ends of ids and nulls are taken, over HTTP and stdio`, async () => {
    for (const where of [server.url, APP]) {
      const client = await connect(kind, where);
      const call = async (name, args) => {
        const text = await seen(client, name, args);
        assert.equal(text[0], "{", text);
        return JSON.parse(text);
      };
      const name = `A thing of ${kind.kind} ${where === APP}`;
      const made = await call("create_component", part({ name, idempotency_key: null }));
      assert.equal(made.project, "trails://requirements/Project/DOCK");
      assert.equal(made.lead, "trails://requirements/Person/ines-duarte");
      const id = made.id.split("/").at(-1);
      const changed = await call("update_component",
        { id, purpose: "More", name: null, lead: null, project: null, version: null, idempotency_key: null });
      assert.deepEqual(changed, { ...made, purpose: "More", _version: 2 });
      const found = await call("find_component",
        { project: "DOCK", name, lead: null, purpose: null, fields: null, limit: null, cursor: null });
      assert.deepEqual(found.items, [changed]);
      assert.deepEqual(await call("delete_component", { id, version: null, idempotency_key: null }),
        { id: made.id, deleted: true });
      await call("propose_requirement", {
        project: "DOCK", kind: "functional", title: `The bolt is heated for ${name}`.slice(0, 100),
        statement: "The lock shall keep its bolt above 2 degrees in frost.",
        rationale: null, priority: null, components: null, due: null, hazard: null, integrity: null, owner: null,
      });
      await client.close();
    }
  });
}

test("a resource that is not there says which may have been meant", async () => {
  const client = await connect(KINDS[2], server.url);
  await assert.rejects(client.readResource({ uri: "trails://kg/Component/DOCK-buss" }), (error) => {
    assert.match(error.message, /Resource not found: there is no Component DOCK-buss; did you mean DOCK-bus/);
    assert.deepEqual(error.data, { uri: "trails://kg/Component/DOCK-buss" });
    return true;
  });
  await client.close();
});

test("a type with a field called clear loads, and check says what its tool lacks", () => {
  const app = join(folder, "app");
  assert.equal(trails("new", app).status, 0);
  writeFileSync(join(app, "app.lua"), `node_type "Note" {
    fields = { { "clear", text { optional = true } } }, tools = { "update" } }\n`);
  const done = trails("check", app);
  assert.equal(done.status, 0, done.stderr);
  assert.match(done.stdout, /goes without the argument 'clear', since its type has a field of that name/);
});
