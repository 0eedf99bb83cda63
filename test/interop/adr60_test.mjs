// ADR-0060 ("MCP as agent authoring surface"): its seven success criteria and the
// four points of its acceptance gate, each on the real program, by the official
// clients in both eras, over stdio and HTTP.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { KINDS, connect, failure } from "../js/clients.mjs";
import { METAS, idOf, metaNames } from "../js/metas.mjs";
import { assertVerdicts, env, serve, serveWith } from "../js/server.mjs";

const APP = "test/apps/adr60";
const COUNT = 250;
const STATUS = ["proposed", "accepted", "proposed", "rejected", "proposed"];
const folder = mkdtempSync(join(tmpdir(), "trails-adr60-"));
env.TRAILS_STORE = join(folder, "data");
let server;

function data() {
  const own = (name) => `<trails://adr60/Requirement#${name}>`;
  return Array.from({ length: COUNT }, (_, i) =>
    `<trails://adr60/Requirement/${i}> a <trails://adr60/Requirement> ; ${own("req_id")} "REQ-${i}" ;
      ${own("title")} "Requirement ${i}" ; ${own("status")} "${STATUS[i % 5]}" ; ${own("priority")} ${1 + (i % 4)} .`)
    .join("\n");
}

before(async () => {
  writeFileSync(join(folder, "data.ttl"), data());
  const done = spawnSync("build/debug/trails", ["import", "--app", APP, join(folder, "data.ttl")], { env });
  assert.equal(done.status, 0, String(done.stderr));
  server = await serve(APP);
});
after(async () => {
  assert.equal(await server.stop(), 0, "the server ends cleanly");
  assertVerdicts();
  rmSync(folder, { recursive: true });
});

// One test for each client, era and transport.
function everywhere(name, run) {
  for (const kind of KINDS) {
    for (const transport of ["http", "stdio"]) {
      test(`${name} (${kind.kind}, ${transport})`, async () => {
        const client = await connect(kind, transport === "http" ? server.url : APP);
        const call = async (tool, args) =>
          JSON.parse((await client.callTool({ name: tool, arguments: args })).content[0].text);
        const read = async (uri) => (await client.readResource({ uri })).contents[0];
        await run({ client, call, read });
        await client.close();
      });
    }
  }
}

// Each client on each transport, of a server with these scopes; over stdio the
// parent brings the token, if there is one.
const TOKEN = "adr60-adr60-adr60-adr60-adr60-adr60-adr60";

function withScopes(name, scopes, token, run) {
  const store = { ...env, TRAILS_STORE: ":memory:", TRAILS_MCP_SCOPES: scopes };
  const own = token ? { ...store, TRAILS_MCP_TOKEN: TOKEN, TRAILS_TOKEN: TOKEN } : store;
  test(`${name} (${scopes}${token ? "" : ", no token"})`, { timeout: 120000 }, async (t) => {
    const here = await serveWith(own, APP);
    for (const kind of KINDS) {
      for (const transport of ["http", "stdio"]) {
        await t.test(`${kind.kind}, ${transport}`, async () => {
          const headers = token ? { Authorization: `Bearer ${TOKEN}` } : {};
          const client = await connect(kind, transport === "http" ? here.url : APP, headers, own);
          await run({ client, kind });
          await client.close();
        });
      }
    }
    assert.equal(await here.stop(), 0);
  });
}

const OWN = ["create_requirement", "refuse", "save", "where", "write_status"];
const names = async (client) => (await client.listTools()).tools.map(({ name }) => name);

for (const scopes of ["runtime", "builder", "dev", "runtime,builder", "runtime,builder,dev"]) {
  withScopes("criterion 1: tools/list has what the scopes permit, with a discriminator", scopes, true, async ({ client }) => {
    const { tools } = await client.listTools();
    const permits = scopes.split(",");
    const wanted = [
      ...(permits.includes("runtime") ? OWN.map((name) => [name, { kind: "runtime" }]) : []),
      ...METAS.filter(({ trails }) => permits.includes(trails.scope)).map(({ name, trails }) => [name, trails]),
    ];
    // Clients keep what MCP names, and the discriminator stands in _meta too.
    const seen = tools.map(({ name, _meta, trails }) => [name, trails ?? _meta["dev.trails/tool"]]);
    assert.deepEqual(seen.sort(), wanted.sort());
    for (const [name, { kind, namespace, op, scope }] of seen.filter(([, { kind }]) => kind === "meta")) {
      assert.equal(kind, "meta");
      assert.ok(permits.includes(scope), name);
      const path = namespace === "meta" ? op : `${namespace}.${op}`;
      assert.equal(idOf(name), `trails.meta.${path}`, "a name leads back to its id");
      assert.equal(`trails_meta_${path.replaceAll(".", "_")}`, name);
    }
  });
}

const RATED = { name: "Rated", target: "Requirement", fields: [{ name: "priority", kind: "integer", min_value: 1 }] };

withScopes("criterion 2: trails_meta_gen_shape gives the FileDiff of the command line", "dev", true, async ({ client }) => {
  const words = ["gen", "shape", "--app", APP, "--input", JSON.stringify(RATED)];
  const run = (...more) => {
    const { status, stdout, stderr } = spawnSync("build/debug/trails", [...words, ...more], { env, encoding: "utf8" });
    assert.equal(status, 0, stderr);
    return stdout;
  };
  const { content } = await client.callTool({ name: "trails_meta_gen_shape", arguments: RATED });
  assert.equal(JSON.stringify(JSON.parse(run("--json"))), content[0].text, "byte for byte");
  const [diff] = JSON.parse(content[0].text).files;
  assert.equal(diff.op, "modify");
  assert.equal(run(), diff.unified_diff, "and as a text");
  assert.equal(readFileSync(join(APP, diff.path), "utf8").includes("Rated"), false, "and nothing was written");
});

const closed = (name) => METAS.find((meta) => meta.name === name).trails.scope;

for (const scopes of ["runtime", "runtime,builder,dev"]) {
  withScopes("criterion 7: nobody has runtime alone, and -32001 for the rest", scopes, false, async ({ client, kind }) => {
    assert.deepEqual((await names(client)).sort(), [...OWN, ...metaNames("runtime")].sort());
    assert.ok((await client.callTool({ name: "trails_meta_ping", arguments: {} })).content);
    assert.ok((await client.callTool({ name: "where", arguments: { status: "none" } })).content);
    for (const name of [...metaNames("builder"), ...metaNames("dev")]) {
      const error = await failure(client.callTool({ name, arguments: {} }));
      assert.equal(error.code, kind.isModern ? -31001 : -32001);
      assert.equal(error.data.trails_code ?? error.code, -32001);
      assert.deepEqual([error.data.tool, error.data.required_scope], [name, closed(name)]);
    }
  });
}

everywhere("criterion 3: ?where= gives pages of what the ORM's where() finds", async ({ call, read }) => {
  const { found } = await call("where", { status: "proposed" });
  assert.equal(found.length, 150);
  const first = await read("trails://kg/Requirement?where=status=proposed");
  assert.equal(first.mimeType, "application/json");
  assert.deepEqual(JSON.parse(first.text), found.slice(0, 100), "a page has 100");
  assert.deepEqual([first._meta.total, first._meta.limit, first._meta.offset], [150, 100, 0]);
  const second = await read(first._meta.next);
  assert.deepEqual(JSON.parse(second.text), found.slice(100));
  assert.equal(second._meta.next, undefined);
  const some = await read("trails://kg/Requirement?where=status=proposed&limit=20&offset=30");
  assert.deepEqual(JSON.parse(some.text), found.slice(30, 50));
  const urgent = await call("where", { priority: 1 });
  assert.deepEqual(JSON.parse((await read("trails://kg/Requirement?where=priority=1&limit=1000")).text), urgent.found);
  assert.deepEqual(JSON.parse((await read("trails://kg/Requirement?where=status=none")).text), []);
});

everywhere("criterion 4: a ValidationError is -32602 with data.fields, no isError", async ({ client }) => {
  const error = await failure(client.callTool({ name: "refuse", arguments: {} }));
  assert.equal(error.code, -32602);
  assert.match(error.message, /validation failed on 2 field\(s\): status must .*; req_id must match \^REQ/);
  assert.deepEqual(error.data, {
    fields: [
      { field: "status", code: "one_of", message: "status must be one of ['proposed']", value: "draft",
        constraint: ["proposed"] },
      { field: "req_id", code: "pattern", message: "req_id must match ^REQ-\\d+$", value: "R1",
        constraint: "^REQ-\\d+$" },
    ],
  });
  const wrong = { status: "draft", req_id: "R1", title: "Both" };
  const own = await failure(client.callTool({ name: "create_requirement", arguments: wrong }));
  assert.equal(own.code, -32602);
  assert.deepEqual(own.data.fields.map(({ field, code }) => [field, code]), [["req_id", "pattern"], ["status", "one_of"]]);
});

// Runs the golden test as a person would, on a copy of its app and files.
function runGolden(update) {
  return spawnSync("scripts/node", ["--test-name-pattern", "every tool", "test/interop/golden_test.mjs"], {
    env: {
      ...process.env,
      TRAILS_GOLDEN_APP: join(folder, "app"),
      TRAILS_GOLDEN_FILES: join(folder, "files"),
      TRAILS_UPDATE_MCP_SNAPSHOTS: update ? "1" : "",
    },
  });
}

test("criterion 5: a changed constraint fails the golden test until its file is rewritten", () => {
  cpSync("test/apps/golden", join(folder, "app"), { recursive: true });
  cpSync("test/fixtures/mcp_schemas", join(folder, "files"), { recursive: true });
  assert.equal(runGolden(false).status, 0, "as it is, it passes");
  const path = join(folder, "app", "app.lua");
  const source = readFileSync(path, "utf8");
  const changed = source.replace("max_length = 200 })", "max_length = 150 })");
  assert.notEqual(changed, source);
  writeFileSync(path, changed);
  const failed = runGolden(false);
  assert.equal(failed.status, 1);
  assert.match(String(failed.stdout), /map\.max_length\.json/, "it names the file");
  assert.equal(runGolden(true).status, 0, "rewriting is one deliberate step");
  assert.equal(runGolden(false).status, 0);
  const [before_, now] = ["test/fixtures/mcp_schemas", join(folder, "files")].map((where) =>
    readFileSync(join(where, "map.max_length.json"), "utf8"));
  assert.equal(now, before_.replace("200", "150"), "and shows as one line");
});

everywhere("criterion 6: a triple that violates a shape fails as save() does", async ({ client, call, read }) => {
  const iri = "trails://adr60/Requirement/0";
  const before_ = (await read("trails://kg/Requirement/0")).text;
  const count = (await call("where", { status: "proposed" })).found.length;
  const save = await failure(client.callTool({
    name: "save", arguments: { req_id: "REQ-9000", title: "Saved", status: "draft" },
  }));
  const triple = await failure(client.callTool({
    name: "write_status", arguments: { id: iri, from: "proposed", to: "draft" },
  }));
  for (const error of [save, triple]) {
    assert.equal(error.code, -32602);
    assert.match(error.message, /validation failed on 1 field\(s\): status must be one of/);
  }
  const [{ node, ...field }] = triple.data.fields;
  assert.equal(node, iri);
  assert.deepEqual([field], save.data.fields);
  assert.equal((await read("trails://kg/Requirement/0")).text, before_, "the triple has not landed");
  assert.equal((await call("where", { status: "proposed" })).found.length, count);
  assert.deepEqual((await call("where", { status: "draft" })).found, []);
});

everywhere("gate (a): the umbrella of a type is listed and can be read", async ({ client, read }) => {
  const { resources } = await client.listResources();
  const listed = resources.filter(({ uri }) => uri.startsWith("trails://kg/Requirement"));
  assert.deepEqual(listed.map(({ uri }) => uri), ["trails://kg/Requirement"], "one entry, none per instance");
  assert.equal(listed[0].mimeType, "application/json");
  const page = JSON.parse((await read("trails://kg/Requirement")).text);
  assert.equal(page.length, 100);
  assert.deepEqual(page[0], { iri: "trails://adr60/Requirement/0", label: "Requirement 0" });
});

everywhere("gate (b): ?where=field=value works, and says why not", async ({ client, read }) => {
  const rows = JSON.parse((await read("trails://kg/Requirement?where=req_id=REQ-7")).text);
  assert.deepEqual(rows, [{ iri: "trails://adr60/Requirement/7", label: "Requirement 7" }]);
  const error = await failure(client.readResource({ uri: "trails://kg/Requirement?where=priority=high" }));
  assert.equal(error.code, -32602);
  assert.deepEqual(error.data, { field: "priority", reason: "type_mismatch", expected_datatype: "xsd:integer" });
});

everywhere("gate (c): constraints of a type are keywords of the schema", async ({ client }) => {
  const { tools } = await client.listTools();
  const { inputSchema } = tools.find(({ name }) => name === "create_requirement");
  assert.deepEqual(inputSchema.required, ["req_id", "title", "status"]);
  assert.deepEqual(inputSchema.properties, {
    req_id: { type: "string", pattern: "^REQ-\\d+$" },
    title: { type: "string", minLength: 3, maxLength: 200 },
    status: { type: "string", enum: ["proposed", "accepted", "rejected"] },
    priority: { type: "integer", minimum: 1, maximum: 5 },
  });
});

test("gate (d): there is a golden test, and it passes", () => {
  cpSync("test/apps/golden", join(folder, "app"), { recursive: true });
  cpSync("test/fixtures/mcp_schemas", join(folder, "files"), { recursive: true });
  const done = runGolden(false);
  assert.equal(done.status, 0, String(done.stdout));
  assert.match(String(done.stdout), /^[#ℹ] pass 1$/m, "one test has run");
});
