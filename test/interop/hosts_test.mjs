// The scripted model of `make hosts` speaks as each host needs it, and the table that
// was written with it is of the hosts that it would run now.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { HOSTS } from "../hosts/hosts.mjs";
import { startModel } from "../hosts/model.mjs";

const ARGS = { key: "DOCK-5" };
const SCRIPT = [{ tool: "get_requirement", args: ARGS }, { tool: "who_owns", args: { person: "Ra" } }];
const NAMES = ["mcp__demo__get_requirement", "mcp__demo__who_owns"];

// A host's side of each wire: a request with the texts that came back so far, and
// what call an answer, whole or in events, asks for.
const WIRES = {
  "/v1/messages": {
    ask: (texts) => ({ tools: NAMES.map((name) => ({ name })), messages: texts.map((content, i) => ({
      role: "user", content: [{ type: "tool_result", tool_use_id: `step_${i}`, content: [{ type: "text", text: content }] }] })) }),
    whole: ({ content: [{ name, input }] }) => name && { name, args: input },
    events: (events) => {
      const { name } = events.find(({ type }) => type === "content_block_start").content_block;
      return name && { name, args: JSON.parse(events.find(({ type }) => type === "content_block_delta").delta.partial_json) };
    },
  },
  "/v1/responses": {
    ask: (texts) => ({ tools: [{ type: "namespace", name: "mcp__demo__", tools: SCRIPT.map(({ tool }) => ({ name: tool })) }],
      input: texts.map((output, i) => ({ type: "function_call_output", call_id: `step_${i}`, output })) }),
    whole: ({ output: [{ name, namespace, arguments: args }] }) => name && { name: namespace + name, args: JSON.parse(args) },
    events: (events) => WIRES["/v1/responses"].whole(events.find(({ type }) => type === "response.completed").response),
  },
  "/v1/chat/completions": {
    ask: (texts) => ({ tools: NAMES.map((name) => ({ type: "function", function: { name } })),
      messages: texts.map((content, i) => ({ role: "tool", tool_call_id: `step_${i}`, content })) }),
    whole: ({ choices: [{ message }] }) => called(message),
    events: ([{ choices: [{ delta }] }]) => called(delta),
  },
  "/v1beta/models/any:generateContent": {
    ask: (texts) => ({ tools: [{ functionDeclarations: NAMES.map((name) => ({ name })) }],
      contents: texts.map((output) => ({ parts: [{ functionResponse: { name: "any", response: { output } } }] })) }),
    whole: ({ candidates: [{ content: { parts: [{ functionCall: call }] } }] }) => call && { name: call.name, args: call.args },
    events: ([first]) => WIRES["/v1beta/models/any:generateContent"].whole(first),
    stream: "/v1beta/models/any:streamGenerateContent?alt=sse",
  },
};

function called({ tool_calls: calls }) {
  return calls && { name: calls[0].function.name, args: JSON.parse(calls[0].function.arguments) };
}

let model;
before(async () => {
  model = await startModel();
});
after(() => model.close());

async function post(path, body) {
  const answer = await fetch(model.url + path, { method: "POST", body: JSON.stringify(body) });
  return answer.text();
}

const eventsOf = (text) => [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data)
  .filter((data) => data !== "[DONE]").map((data) => JSON.parse(data));

for (const [path, { ask, whole, events, stream }] of Object.entries(WIRES)) {
  for (const isStream of [false, true]) {
    test(`${path}, ${isStream ? "in a stream" : "whole"}`, async () => {
      const playing = model.play(SCRIPT);
      const turn = async (texts) => {
        const text = await post(isStream && stream ? stream : path, { ...ask(texts), stream: isStream });
        return isStream ? events(eventsOf(text)) : whole(JSON.parse(text));
      };
      assert.deepEqual(await turn([]), { name: NAMES[0], args: ARGS });
      assert.deepEqual(await turn(["a bolt"]), { name: NAMES[1], args: { person: "Ra" } });
      assert.ok(!(await turn(["a bolt", "several people"])), "then it has done");
      assert.deepEqual(playing.seen, ["a bolt", "several people"]);
    });
  }
}

test("who offers no tools is answered with words", async () => {
  model.play(SCRIPT);
  const { content } = JSON.parse(await post("/v1/messages", { messages: [{ role: "user", content: "a title?" }] }));
  assert.equal(content[0].type, "text");
});

test("the table of docs/clients.md has each host, in the version that is run", () => {
  const table = /<!-- hosts: .*?-->\n(.*?)<!-- \/hosts -->/s.exec(readFileSync("docs/clients.md", "utf8"))[1];
  const rows = table.trim().split("\n").slice(2).map((line) => line.split("|").map((cell) => cell.trim()));
  assert.deepEqual(rows.map(([, host, version]) => [host, version]),
    HOSTS.map(({ host, npm }) => [host, npm.split("@").at(-1)]));
});
