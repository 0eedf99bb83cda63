// What a client answers to a question is held against what it was asked before a
// handler sees it, in both eras: on lines with a session, where the handler gets an
// error that it can catch, and over HTTP without one, where the call is refused.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { assertVerdicts, serve, stdio } from "../js/server.mjs";

const folder = mkdtempSync(join(tmpdir(), "trails-answers-"));
writeFileSync(join(folder, "app.lua"), `
local function tool(id, body)
  capability(id) { description = id, side_effects = {}, run = function(ctx) return { got = body(ctx) } end }
  capability(id .. "_caught") {
    description = id, side_effects = {},
    run = function(ctx)
      local ok, e = pcall(body, ctx)
      return ok and "fits" or e.code .. ": " .. e.message .. " " .. tostring(e.data and e.data.fields[1].field)
    end,
  }
end
tool("form", function(ctx)
  return ctx:elicit { key = "q", message = "m", fields = {
    ok = boolean, n = integer { min_value = 1, max_value = 3, default = 2 }, k = text { one_of = { "a", "b" }, optional = true } } }
end)
tool("page", function(ctx) return ctx:elicit { key = "q", message = "m", url = "https://example.org" } end)
tool("schema", function(ctx)
  return ctx:elicit { key = "q", message = "m", schema = { type = "object", required = { "s" },
    properties = { s = { type = "string", maxLength = 2 } } } }
end)
tool("model", function(ctx) return ctx:sample { key = "q", prompt = "p" } end)
tool("folders", function(ctx) return ctx:roots { key = "q" } end)
`);

// The tool, the answer, and what the handler gets of it, or else the field that is
// wrong and why.
const accept = (content) => ({ action: "accept", content });
const said = (content) => ({ role: "assistant", model: "m", content });
const TEXT = { type: "text", text: "hi" };
const ROWS = [
  ["form", accept({ ok: false }), accept({ ok: false, n: 2 })],
  ["form", accept({ ok: true, n: 1.0, k: "b" }), accept({ ok: true, n: 1, k: "b" })],
  ["form", { action: "decline" }, { action: "decline" }],
  ["form", { action: "cancel", content: { ok: 5 } }, { action: "cancel" }],
  ["form", accept({ ok: "false", n: 99, k: "zzz", extra: {} }), "q/content/k", "k must be one of"],
  ["form", accept({ ok: true, n: 99 }), "q/content/n", "n must be at most 3"],
  ["form", accept({ ok: true, k: "zzz" }), "q/content/k", "k must be one of ['a','b']"],
  ["form", accept({ ok: true, extra: {} }), "q/content/extra", "extra is not a field"],
  ["form", { action: "accept" }, "q/content/ok", "ok is required"],
  ["form", { action: "ACCEPT!!" }, "q/action", "action must be one of ['accept','decline','cancel']"],
  ["form", { action: 5 }, "q/action", "action must be one of ['accept','decline','cancel']"],
  ["form", {}, "q/action", "action is required"],
  ["page", { action: "accept", content: { a: 1 } }, { action: "accept" }],
  ["page", { action: "yes" }, "q/action", "action must be one of ['accept','decline','cancel']"],
  ["schema", accept({ s: "ab" }), accept({ s: "ab" })],
  ["schema", accept({ s: "abc" }), "q/content/s", "s must have a length of at most 2"],
  ["schema", accept({}), "q/content/s", "s is required"],
  ["model", said(TEXT), said(TEXT)],
  ["model", {}, "q/role", "role is required"],
  ["model", said({ type: "text" }), "q/content/text", "content/text is required"],
  ["folders", { roots: [{ uri: "file:///a" }] }, { roots: [{ uri: "file:///a" }] }],
  ["folders", { roots: 5 }, "q/roots", "roots must be of type array"],
  ["folders", { roots: [{ uri: "http://a" }] }, "q/roots/0/uri", "roots/0/uri must match ^file://"],
];

const CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
let server;
let lines;

// A client of lines that answers every question with what it is told to.
function openLines() {
  const { command, args, env } = stdio(folder);
  const child = spawn(command, args, { env, stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map();
  let answer;
  let number = 0;
  const put = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    if (message.method) put({ id: message.id, result: answer });
    else waiting.get(message.id)(message);
  });
  const request = (method, params, then) => {
    answer = then;
    const id = ++number;
    const came = new Promise((resolve) => waiting.set(id, resolve));
    put({ id, method, params });
    return came;
  };
  const ended = new Promise((resolve) => child.on("exit", resolve));
  return { request, close: () => (child.stdin.end(), ended) };
}

// One request without a session.
async function post(name, more) {
  const body = {
    jsonrpc: "2.0", id: 1, method: "tools/call",
    params: {
      name, ...more,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": CAPABILITIES,
      },
    },
  };
  const response = await fetch(server.url, {
    method: "POST",
    headers: {
      "content-type": "application/json", accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": name,
    },
    body: JSON.stringify(body),
  });
  return response.json();
}

before(async () => {
  server = await serve(folder);
  lines = openLines();
  await lines.request("initialize", {
    protocolVersion: "2025-11-25", capabilities: CAPABILITIES, clientInfo: { name: "raw", version: "1" },
  });
});
after(async () => {
  assert.equal(await lines.close(), 0);
  assert.equal(await server.stop(), 0, "the server ends cleanly");
  assertVerdicts();
  rmSync(folder, { recursive: true });
});

function assertOutcome(message, expected, why) {
  if (!why) {
    assert.deepEqual(JSON.parse(message.result?.content[0].text ?? "{}").got, expected, JSON.stringify(message));
    return;
  }
  assert.equal(message.error?.code, -32602, JSON.stringify(message));
  const first = message.error.data.fields[0];
  assert.match(message.error.message, /^validation failed on \d+ field\(s\): /);
  assert.ok(message.error.message.includes(`: ${first.message}`), message.error.message);
  assert.deepEqual([first.field, first.message.slice(0, why.length)], [expected, why]);
}

for (const [tool, answer, expected, why] of ROWS) {
  test(`${tool}: ${JSON.stringify(answer)}`, async () => {
    assertOutcome(await lines.request("tools/call", { name: tool }, answer), expected, why);
    const caught = await lines.request("tools/call", { name: `${tool}_caught` }, answer);
    const told = caught.result.content[0].text;
    if (why) assert.ok(told.startsWith(`validation: the client's answer does not fit: ${why}`), told);
    else assert.equal(told, "fits");

    for (const name of [tool, `${tool}_caught`]) {
      const asked = await post(name);
      assert.deepEqual(Object.keys(asked.result.inputRequests), ["q"]);
      const { requestState } = asked.result;
      const ended = await post(name, { requestState, inputResponses: { q: answer } });
      if (why || name === tool) assertOutcome(ended, expected, why);
      // Who answers wrongly may answer again.
      if (why) assertOutcome(await post(name, { requestState, inputResponses: { q: answer } }), expected, why);
    }
  });
}
