// Requests of which one value is of another kind than it should be, in every
// place of every method and in every revision. What the official schema of the
// revision refuses, we refuse: nothing is taken for what it is not.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import { methods } from "../js/doors.mjs";
import { assertVerdicts, serve, stdio, unchecked } from "../js/server.mjs";

const require = createRequire(new URL("../js/package.json", import.meta.url));
const Ajv = { draft7: require("ajv"), draft2020: require("ajv/dist/2020.js") };
const addFormats = require("ajv-formats");

const APP = "test/apps/matrix";
const SUITE = join(process.env.TRAILS_SUITES ?? "../shared/suites", "mcp-schema");
const MODERN = "2026-07-28";
const LEGACY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const META = {
  "io.modelcontextprotocol/protocolVersion": MODERN,
  "io.modelcontextprotocol/clientInfo": { name: "kinds", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

// One request of each method that is as it should be, and the name of its
// definition in the schemas.
const REQUESTS = {
  "initialize": ["InitializeRequest", {
    protocolVersion: "2025-11-25", capabilities: { roots: { listChanged: true } },
    clientInfo: { name: "kinds", version: "1" },
  }],
  "server/discover": ["DiscoverRequest", {}],
  "ping": ["PingRequest", {}],
  "tools/list": ["ListToolsRequest", { cursor: "x" }],
  "tools/call": ["CallToolRequest", { name: "count", arguments: { to: 1 } }],
  "resources/list": ["ListResourcesRequest", { cursor: "x" }],
  "resources/templates/list": ["ListResourceTemplatesRequest", { cursor: "x" }],
  "resources/read": ["ReadResourceRequest", { uri: "matrix://note" }],
  "resources/subscribe": ["SubscribeRequest", { uri: "matrix://note" }],
  "resources/unsubscribe": ["UnsubscribeRequest", { uri: "matrix://note" }],
  "subscriptions/listen": ["SubscriptionsListenRequest", {
    notifications: { toolsListChanged: true, resourceSubscriptions: ["matrix://note"] },
  }],
  "prompts/list": ["ListPromptsRequest", { cursor: "x" }],
  "prompts/get": ["GetPromptRequest", { name: "summarise", arguments: { what: "x" } }],
  "completion/complete": ["CompleteRequest", {
    ref: { type: "ref/prompt", name: "summarise" },
    argument: { name: "what", value: "x" },
    context: { arguments: { other: "y" } },
  }],
  "logging/setLevel": ["SetLevelRequest", { level: "debug" }],
};
// What is taken all the same: names of clients and what they can, which a client
// that is nearly right may get wrong to nobody's harm; tokens that are not
// integers, which come back as they were; null for what may be absent.
const TAKEN = [
  /^tools\/call params\.arguments = null$/,
  /\/list params\.cursor = null$/,
  /^initialize params\.(clientInfo|capabilities)/,
  /_meta\.io\.modelcontextprotocol\/clientInfo/,
  /progressToken = 1\.5$/,
];
const OTHERS = [5, 2.0, 1.5, true, null, {}, [], "x", [[]], undefined];

test("there is a request of every method", () => {
  const known = Object.keys(REQUESTS);
  assert.deepEqual(methods.filter((name) => !known.includes(name)
    && !name.startsWith("notifications/")), []);
});

// Every value in it, with a way to put another in its place.
function* places(value, path = []) {
  if (path.length > 0) yield path;
  if (value === null || typeof value !== "object") return;
  for (const key of Object.keys(value)) yield* places(value[key], [...path, key]);
}

function replaced(value, [key, ...rest], other) {
  const copy = Array.isArray(value) ? [...value] : { ...value };
  if (rest.length > 0) copy[key] = replaced(value[key], rest, other);
  else if (other === undefined && !Array.isArray(copy)) delete copy[key];
  else copy[key] = other ?? null;
  return copy;
}

function validator(revision) {
  const schema = JSON.parse(readFileSync(join(SUITE, `${revision}.json`), "utf8"));
  const ajv = new (schema.$defs ? Ajv.draft2020 : Ajv.draft7)({ strict: false });
  addFormats(ajv);
  ajv.addSchema(schema, "mcp");
  const defs = schema.$defs ? "$defs" : "definitions";
  return (name) => schema[defs][name] && ajv.getSchema(`mcp#/${defs}/${name}`);
}

class Lines {
  constructor() {
    const { command, args, env } = stdio(APP);
    this.child = spawn(command, args, { env, stdio: ["pipe", "pipe", "inherit"] });
    this.ended = new Promise((resolve) => this.child.on("exit", resolve));
    this.waiting = [];
    createInterface({ input: this.child.stdout }).on("line", (line) => {
      const message = JSON.parse(line);
      if (!("method" in message)) this.waiting.shift()?.(message);
    });
  }

  // One at a time: an answer may come without an id.
  ask(message) {
    const answer = new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`no answer to ${JSON.stringify(message)}`)), 60000);
      this.waiting.push((found) => {
        clearTimeout(late);
        resolve(found);
      });
    });
    this.child.stdin.write(`${JSON.stringify(message)}\n`);
    return answer;
  }

  async close() {
    this.child.stdin.end();
    assert.equal(await this.ended, 0);
  }
}

// Without an id that can be answered it is a notification, or nobody's.
const isAnswered = (message) => message.id !== undefined
  || typeof message.method !== "string" || message.jsonrpc !== "2.0";

async function askAll(revision, lines) {
  const definition = validator(revision);
  let refused = 0;
  const taken = [];
  for (const [method, [name, params]] of Object.entries(REQUESTS)) {
    const accepts = definition(name);
    if (!accepts) continue;
    const base = { jsonrpc: "2.0", id: 7, method,
      params: { ...params, _meta: { progressToken: "p", ...(revision === MODERN ? META : {}) } } };
    assert.ok(accepts(base), `${method}: ${JSON.stringify(accepts.errors)}`);
    for (const path of places(base)) {
      for (const other of OTHERS) {
        const message = replaced(base, path, other);
        if (accepts(message) || !isAnswered(message)) continue;
        if (path.at(-1) === "uri" && other === "x") continue; // a format, no kind
        if (path[0] === "method" && typeof message.method === "string") continue;
        const what = `${method} ${path.join(".")} = ${JSON.stringify(other)}`;
        if (TAKEN.some((pattern) => pattern.test(what))) continue;
        const answer = await lines.ask(message);
        refused++;
        if (!answer.error) taken.push(what);
        else if (answer.error.code === -32603) taken.push(`${what}: ${answer.error.message}`);
      }
    }
  }
  assert.deepEqual(taken, []);
  return refused;
}

const skip = unchecked || !existsSync(SUITE) && "TRAILS_SUITES has no mcp-schema";

for (const revision of LEGACY) {
  test(`what the schema of ${revision} refuses is refused`, { skip }, async () => {
    const lines = new Lines();
    await lines.ask({ jsonrpc: "2.0", id: 1, method: "initialize", params: {
      protocolVersion: revision, capabilities: {}, clientInfo: { name: "kinds", version: "1" } } });
    assert.ok(await askAll(revision, lines) > 200);
    await lines.close();
  });
}

test(`what the schema of ${MODERN} refuses is refused`, { skip }, async () => {
  const lines = new Lines();
  assert.ok(await askAll(MODERN, lines) > 200);
  await lines.close();
});

// Batches -----------------------------------------------------------------

const PING = { jsonrpc: "2.0", id: 5, method: "ping" };
const NO_BATCHES = { jsonrpc: "2.0", error: { code: -32600, message: "this revision has no batches" } };

for (const revision of LEGACY) {
  test(`an array is what ${revision} makes of it`, async () => {
    const lines = new Lines();
    await lines.ask({ jsonrpc: "2.0", id: 1, method: "initialize", params: {
      protocolVersion: revision, capabilities: {}, clientInfo: { name: "kinds", version: "1" } } });
    assert.deepEqual(await lines.ask([PING]),
      revision === "2025-03-26" ? [{ jsonrpc: "2.0", id: 5, result: {} }] : NO_BATCHES);
    await lines.close();
  });
}

test("an array needs no session to be refused", async () => {
  const server = await serve(APP);
  for (const revision of [...LEGACY, MODERN]) {
    const answer = await fetch(server.url, {
      method: "POST",
      headers: { "Content-Type": "application/json", "MCP-Protocol-Version": revision },
      body: JSON.stringify([PING]),
    });
    assert.equal(answer.status, 400);
    const { error } = await answer.json();
    assert.deepEqual(error, revision === "2025-03-26"
      ? { code: -32000, message: "Bad Request: Session ID required" } : NO_BATCHES.error);
  }
  assert.equal(await server.stop(), 0);
});

test("an answer comes with the state of its question", async () => {
  const lines = new Lines();
  const { error } = await lines.ask({ jsonrpc: "2.0", id: 1, method: "tools/call", params: {
    name: "measure", inputResponses: { q: { action: "accept" } }, _meta: META } });
  assert.deepEqual(error, { code: -32602,
    message: "params.requestState is missing: it came with what is answered here" });
  await lines.close();
});

after(assertVerdicts);
