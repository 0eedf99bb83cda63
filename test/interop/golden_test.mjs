// What agents are told of tools is locked: test/fixtures/mcp_schemas has one file
// for each capability of test/apps/golden and for each meta-capability, byte by
// byte. A change to them has to be meant:
//
//   TRAILS_UPDATE_MCP_SNAPSHOTS=1 scripts/node test/interop/golden_test.mjs
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { KINDS, ask, connect, v1 } from "../js/clients.mjs";
import { APP, FIXTURES, differences, fileOf, golden, write } from "../js/golden.mjs";
import { metaNames } from "../js/metas.mjs";
import { assertVerdicts, env, serve } from "../js/server.mjs";

const UPDATE = process.env.TRAILS_UPDATE_MCP_SNAPSHOTS === "1";
const folder = mkdtempSync(join(tmpdir(), "trails-golden-"));
let server;

// Who sees every tool: over HTTP with the token of the server, on stdio because the
// parent has it.
const TOKEN = "golden-golden-golden-golden-golden-golden";
const headers = { Authorization: `Bearer ${TOKEN}` };
Object.assign(env, { TRAILS_MCP_SCOPES: "runtime,builder,dev", TRAILS_MCP_TOKEN: TOKEN });
const own = { ...env, TRAILS_TOKEN: TOKEN };

before(async () => {
  server = await serve(APP);
});
after(async () => {
  assert.equal(await server.stop(), 0, "the server ends cleanly");
  assertVerdicts();
  rmSync(folder, { recursive: true });
});

// All of them, whole: a client's own schema would drop what it does not know.
async function toolsOf(where) {
  const client = await connect(KINDS[0], where, headers, own);
  const { tools, nextCursor } = await client.request({ method: "tools/list" }, v1.ResultSchema);
  await client.close();
  assert.equal(nextCursor, undefined, "they fit on one page");
  return tools;
}

test("every tool is as its golden file says", async () => {
  const tools = await toolsOf(server.url);
  if (UPDATE) {
    for (const name of readdirSync(FIXTURES)) unlinkSync(join(FIXTURES, name));
    write(tools);
  }
  for (const tool of tools) {
    const path = join(FIXTURES, fileOf(tool));
    assert.equal(golden(tool), readFileSync(path, "utf8"), `${path}: if that is meant, see above how to rewrite it`);
  }
  assert.deepEqual(differences(tools), [], "and there are no others");
});

test("stdio and the newest revision say the same", async () => {
  const overHttp = await toolsOf(server.url);
  // Only who is on the server can look up the manifest there, which has the app's
  // own capabilities alone.
  for (const { name, _meta, trails } of overHttp) {
    const wanted = trails.kind === "meta" ? undefined : `/.well-known/capabilities#${name}`;
    assert.equal(_meta["dev.trails/manifest_uri"], wanted);
    delete _meta["dev.trails/manifest_uri"];
  }
  assert.deepEqual(await toolsOf(APP), overHttp);
  const { result } = await ask(server.url, "tools/list", {}, headers);
  assert.deepEqual(differences(result.tools), []);
});

test("there is a file for each keyword, and for each key of what we add", () => {
  const rows = {
    "map.required.json": { required: ["value"] },
    "map.min_count.json": { items: { type: "string" }, minItems: 2, type: "array" },
    "map.max_count.json": { items: { type: "string" }, maxItems: 3, minItems: 1, type: "array" },
    "map.many.json": { items: { minimum: 1, type: "integer" }, minItems: 1, type: "array" },
    "map.min_length.json": { minLength: 3, type: "string" },
    "map.max_length.json": { maxLength: 200, type: "string" },
    "map.pattern.json": { pattern: "^REQ-\\d+$", type: "string" },
    "map.one_of.json": { enum: ["proposed", "accepted", "räjäytetty"], type: "string" },
    "map.one_of_numbers.json": { enum: [1, 2, 5], type: "integer" },
    "map.min_value.json": { minimum: 1, type: "integer" },
    "map.max_value.json": { maximum: 0.5, type: "number" },
    "map.min_exclusive.json": { exclusiveMinimum: 0, type: "number" },
    "map.max_exclusive.json": { exclusiveMaximum: 1, type: "number" },
    "map.datetime.json": { format: "date-time", type: "string" },
    "map.ref.json": {
      description: "The id of a Person, as trails://kg/Person gives it, such as trails://golden/Person/ID, or just ID.",
      format: "iri", "trails:node_type": "Person", type: "string",
    },
    "map.default.json": { default: "proposed", type: "string" },
    "map.title.json": { title: "A title", type: "string" },
    "map.description.json": { description: "What it is.", type: "string" },
  };
  for (const [name, wanted] of Object.entries(rows)) {
    const { inputSchema, annotations, _meta, trails } = JSON.parse(readFileSync(join(FIXTURES, name), "utf8"));
    const { required, additionalProperties, properties, type } = inputSchema;
    assert.equal(type, "object");
    assert.equal(additionalProperties, false);
    if (wanted.required) assert.deepEqual(required, wanted.required, name);
    else assert.deepEqual(properties.value, wanted, name);
    assert.deepEqual(trails, { kind: "runtime" });
    assert.deepEqual(_meta["dev.trails/tool"], trails);
    assert.deepEqual(Object.keys(annotations).sort(),
      ["destructiveHint", "idempotentHint", "openWorldHint", "readOnlyHint"]);
  }
  const optional = JSON.parse(readFileSync(join(FIXTURES, "map.optional.json"), "utf8"));
  assert.equal(optional.inputSchema.required, undefined);
  const unique = JSON.parse(readFileSync(join(FIXTURES, "propose_requirement.json"), "utf8"));
  assert.match(unique.inputSchema.description, /Unique together: \(project, number\)\./);
});

test("there is a file for each meta-capability, with all that clients tell it by", () => {
  const files = readdirSync(FIXTURES).filter((name) => /"kind": "meta"/.test(readFileSync(join(FIXTURES, name), "utf8")));
  assert.deepEqual(files.sort(), metaNames().map((name) => fileOf({ name })).sort());
  assert.ok(files.includes("meta.ping.json"));
  for (const name of files) {
    const { trails, _meta, annotations } = JSON.parse(readFileSync(join(FIXTURES, name), "utf8"));
    assert.deepEqual(Object.keys(trails).sort(), ["idempotent", "kind", "namespace", "op", "scope"]);
    assert.deepEqual(_meta["dev.trails/tool"], trails);
    const path = trails.namespace === "meta" ? `meta.${trails.op}` : `meta.${trails.namespace}.${trails.op}`;
    assert.equal(name, `${path}.json`);
    assert.equal(annotations.idempotentHint, trails.idempotent);
  }
});

test("the files are what they claim to be", () => {
  for (const name of readdirSync(FIXTURES)) {
    const bytes = readFileSync(join(FIXTURES, name));
    const text = bytes.toString("utf8");
    assert.deepEqual(Buffer.from(text, "utf8"), bytes, `${name} is UTF-8`);
    assert.equal(golden(JSON.parse(text)), text, `${name} has sorted keys and two spaces`);
    assert.ok(!/\\u[0-9a-f]{4}/.test(text), `${name} escapes nothing that need not be`);
  }
});

// ADR-0060, success criterion 5: each of these changes one thing in the app.
const CHANGES = [
  ["map.min_length", "min_length = 3 })", "min_length = 4 })"],
  ["map.max_length", "max_length = 200 })", "max_length = 201 })"],
  ["map.pattern", "[[^REQ-\\d+$]]", "[[^REQ-\\d*$]]"],
  ["map.one_of", '"räjäytetty"', '"rejected"'],
  ["map.min_value", "integer { min_value = 1 })", "integer { min_value = 2 })"],
  ["map.max_value", "max_value = 0.5", "max_value = 0.25"],
  ["map.required", "required = true", "required = false"],
  ["map.max_count", "max_count = 3", "max_count = 4"],
  ["map.min_count", "min_count = 2", "min_count = 1"],
  ["map.ref", 'maps("ref", ref "Person")', 'maps("ref", ref "Requirement")'],
  ["research.search", "Searches the literature.", "Searches literature."],
  ["annotations.idempotent", "idempotent = true", "idempotent = false"],
  ["meta", "usd = 0.5", "usd = 0.6"],
];

test("a change of one constraint fails until the files are rewritten", { timeout: 120000 }, async () => {
  const app = join(folder, "app");
  const files = join(folder, "files");
  cpSync(APP, app, { recursive: true });
  cpSync(FIXTURES, files, { recursive: true });
  const source = readFileSync(join(APP, "app.lua"), "utf8");
  for (const [id, before_, after_] of CHANGES) {
    assert.equal(source.split(before_).length, 2, `${before_} stands there once`);
    writeFileSync(join(app, "app.lua"), source.replace(before_, after_));
    const tools = await toolsOf(app);
    assert.deepEqual(differences(tools, files), [`${id}.json`]);
    write(tools, files);
    assert.deepEqual(differences(tools, files), []);
    cpSync(FIXTURES, files, { recursive: true });
  }
});
