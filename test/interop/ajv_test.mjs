// AJV is inside nearly every host that is written in JavaScript. In its strict
// mode it compiles every schema that a tool of ours has, of every app here, but
// for the format and the keyword that `[mcp] annotations = false` leaves out.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { env } from "../js/server.mjs";

const require = createRequire(new URL("../js/package.json", import.meta.url));
const { Ajv } = require("ajv");
const { Ajv2020 } = require("ajv/dist/2020.js");
const addFormats = require("ajv-formats").default;

const folder = mkdtempSync(join(tmpdir(), "trails-ajv-"));
after(() => rmSync(folder, { recursive: true }));

const APPS = ["apps", "test/apps"]
  .flatMap((parent) => readdirSync(parent).map((name) => join(parent, name)))
  .filter((app) => existsSync(join(app, "app.lua")));

// A copy of the app in which the setting is on or off, whatever the app says.
function copyOf(app, annotations) {
  const copy = join(folder, `${app.replaceAll("/", "-")}-${annotations}`);
  const file = join(copy, "trails.toml");
  cpSync(app, copy, { recursive: true, filter: (path) => !path.endsWith("/data") });
  const said = existsSync(file) ? readFileSync(file, "utf8") : "";
  const toml = said.replace(/^annotations = .*\n/m, "");
  writeFileSync(file, /^\[mcp\]$/m.test(toml)
    ? toml.replace(/^\[mcp\]$/m, `[mcp]\nannotations = ${annotations}`)
    : `${toml}\n[mcp]\nannotations = ${annotations}\n`);
  return copy;
}

function toolsOf(app) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const input = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta } })}\n`;
  const done = spawnSync("build/debug/trails", ["serve", app, "--stdio"], { env, input, encoding: "utf8" });
  assert.equal(done.status, 0, done.stderr);
  const { tools, nextCursor } = JSON.parse(done.stdout).result;
  assert.equal(nextCursor, undefined, "they fit on one page");
  return tools;
}

const schemasOf = (tools) =>
  tools.flatMap(({ name, inputSchema, outputSchema }) =>
    [inputSchema, outputSchema].filter(Boolean).map((schema) => ({ name, schema })));

// x-mcp-header is MCP's own, since 2026-07-28, and there only if its author wants
// it; $anchor is a keyword of 2020-12, which AJV follows and yet calls unknown.
// strictRequired, which AJV does not ask for by itself, would refuse an author's
// own {"anyOf": [{"required": ...}]}.
function ajvs(knowsOurs) {
  return [Ajv, Ajv2020].map((Class) => {
    const ajv = new Class({ strict: true, strictRequired: false, keywords: ["x-mcp-header", "$anchor"] });
    addFormats(ajv);
    if (knowsOurs) {
      ajv.addKeyword("trails:node_type");
      ajv.addFormat("iri", true);
    }
    return ajv;
  });
}

// By the dialect that a schema names, and without one by both: revisions differ
// in which is meant.
function compile([draft07, draft2020], { $schema, ...schema }) {
  if (!$schema?.includes("2020-12")) draft07.compile(schema);
  if ($schema?.includes("draft-07")) assert.ok(draft07.validateSchema({ $schema, ...schema }));
  draft2020.compile(schema);
}

const has = (schema, pattern) => pattern.test(JSON.stringify(schema));
const OURS = /"format":"iri"|"trails:node_type"/;

for (const app of APPS) {
  test(`${app}: without annotations AJV compiles everything`, () => {
    const tools = toolsOf(copyOf(app, false));
    const strict = ajvs(false);
    for (const { name, schema } of schemasOf(tools)) {
      assert.ok(!has(schema, OURS), name);
      assert.doesNotThrow(() => compile(strict, schema), name);
    }
    for (const tool of tools) assert.ok(!("trails" in tool), tool.name);
  });

  test(`${app}: with them, everything but what has the two names`, () => {
    const tools = toolsOf(copyOf(app, true));
    const [strict, knowing] = [ajvs(false), ajvs(true)];
    for (const { name, schema } of schemasOf(tools)) {
      assert.doesNotThrow(() => compile(knowing, schema), name);
      if (has(schema, OURS))
        assert.throws(() => compile(strict, schema), /unknown format "iri"|unknown keyword: "trails:node_type"/, name);
      else
        assert.doesNotThrow(() => compile(strict, schema), name);
    }
    for (const tool of tools) assert.ok("trails" in tool, tool.name);
  });
}

test("some apps here have references, or nothing was shown", () => {
  assert.ok(APPS.length >= 9, APPS.join());
  assert.ok(schemasOf(toolsOf("test/apps/golden")).filter(({ schema }) => has(schema, OURS)).length > 5);
});
