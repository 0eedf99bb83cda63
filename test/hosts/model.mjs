// A model that does what a script says, for hosts that speak with Anthropic
// (Messages), OpenAI (Responses, Chat Completions) or Google (generateContent), with
// and without streams. It is on 127.0.0.1, needs no credential, and keeps what hosts
// send back after each call: that is what a model would see.
import { once } from "node:events";
import { createServer } from "node:http";

const textOf = (value) =>
  typeof value === "string" ? value
    : Array.isArray(value) ? value.map(textOf).join("\n")
      : value?.text !== undefined ? value.text : JSON.stringify(value ?? null);

const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
const stepOf = (id) => Number(/^step_(\d+)$/.exec(id)?.[1] ?? NaN);

// How each of them offers tools, says what came of calls, and is answered. A tool is
// { name, call }: by what name the script knows it, and what a call carries.
const messages = {
  path: /^\/v1\/messages$/,
  tools: ({ tools = [] }) => tools.map(({ name }) => ({ name, call: { name } })),
  seen: ({ messages: list = [] }) => list.flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .filter(({ type }) => type === "tool_result")
    .map(({ tool_use_id: id, content }) => ({ step: stepOf(id), text: textOf(content) })),
  answer({ model }, call, text) {
    const block = call ? { type: "tool_use", id: call.id, name: call.tool.name, input: call.args } : { type: "text", text };
    const whole = { id: "msg_1", type: "message", role: "assistant", model, content: [block],
      stop_reason: call ? "tool_use" : "end_turn", stop_sequence: null, usage };
    const delta = call ? { type: "input_json_delta", partial_json: JSON.stringify(call.args) } : { type: "text_delta", text };
    return { whole, events: [
      { type: "message_start", message: { ...whole, content: [], stop_reason: null } },
      { type: "content_block_start", index: 0, content_block: call ? { ...block, input: {} } : { ...block, text: "" } },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: whole.stop_reason, stop_sequence: null }, usage },
      { type: "message_stop" },
    ] };
  },
};

const responses = {
  path: /^\/v1\/responses$/,
  tools: ({ tools = [] }) => tools.flatMap((tool) => (tool.type === "namespace"
    ? tool.tools.map(({ name }) => ({ name, call: { name, namespace: tool.name } }))
    : [{ name: tool.name ?? "", call: { name: tool.name } }])),
  seen: ({ input = [] }) => (Array.isArray(input) ? input : []).filter(({ type }) => type === "function_call_output")
    .map(({ call_id: id, output }) => ({ step: stepOf(id), text: textOf(output) })),
  answer({ model }, call, text) {
    const item = call
      ? { type: "function_call", id: `fc_${call.id}`, call_id: call.id, ...call.tool, arguments: JSON.stringify(call.args), status: "completed" }
      : { type: "message", id: "msg_1", role: "assistant", status: "completed", content: [{ type: "output_text", text, annotations: [] }] };
    const whole = { id: "resp_1", object: "response", model, status: "completed", output: [item], usage };
    return { whole, events: [
      { type: "response.created", response: { ...whole, status: "in_progress", output: [] } },
      { type: "response.output_item.added", output_index: 0, item },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: whole },
    ] };
  },
};

const completions = {
  path: /^\/v1\/chat\/completions$/,
  tools: ({ tools = [] }) => tools.map((tool) => ({ name: tool.function.name, call: { name: tool.function.name } })),
  seen: ({ messages: list = [] }) => list.filter(({ role }) => role === "tool")
    .map(({ tool_call_id: id, content }) => ({ step: stepOf(id), text: textOf(content) })),
  answer({ model }, call, text) {
    const calls = call && [{ index: 0, id: call.id, type: "function", function: { name: call.tool.name, arguments: JSON.stringify(call.args) } }];
    const said = call ? { role: "assistant", content: null, tool_calls: calls } : { role: "assistant", content: text };
    const finish_reason = call ? "tool_calls" : "stop";
    const counts = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const chunk = (delta, finish) => ({ id: "c_1", object: "chat.completion.chunk", created: 1, model,
      choices: [{ index: 0, delta, finish_reason: finish }], usage: finish ? counts : null });
    return {
      whole: { id: "c_1", object: "chat.completion", created: 1, model, choices: [{ index: 0, message: said, finish_reason }], usage: counts },
      events: [chunk(said, null), chunk({}, finish_reason), "[DONE]"],
    };
  },
};

const generate = {
  path: /:(stream)?[gG]enerateContent$/,
  tools: ({ tools = [] }) => tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations)
    .map(({ name }) => ({ name, call: { name } })),
  // There may be no ids: what came back came in order.
  seen: ({ contents = [] }) => contents.flatMap(({ parts = [] }) => parts).filter((part) => part.functionResponse)
    .map(({ functionResponse: { response } }, step) => ({ step, text: textOf(response.output ?? response.error ?? response) })),
  answer(_, call, text) {
    const part = call ? { functionCall: { id: call.id, name: call.tool.name, args: call.args } } : { text };
    const whole = { candidates: [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 } };
    return { whole, events: [whole] };
  },
};

const WIRES = [messages, responses, completions, generate];

// Starts it. `play(script)` begins a script, a list of { tool, args, first? } where
// `first` is done before the call, and gives what will be known of it.
export async function startModel() {
  let playing = begin([]);
  const outside = new Set();
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    const path = new URL(request.url, "http://model").pathname;
    const wire = WIRES.find((one) => one.path.test(path));
    if (!wire) return send(response, path.endsWith("count_tokens") ? { input_tokens: 1 } : { data: [], models: [] });
    const asked = JSON.parse(body);
    const { whole, events } = wire.answer(asked, await next(playing, wire, asked), "done");
    const isStream = asked.stream || path.includes(":stream");
    return isStream ? stream(response, events) : send(response, whole);
  });
  // Hosts have this as their proxy: what goes by it does not leave the machine, and is
  // known. Who does not look at proxies is not held back.
  server.on("connect", (request, socket) => {
    outside.add(request.url);
    socket.on("error", () => {}); // it may be gone already
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`, outside,
    play: (script) => (playing = begin(script)),
    close: () => (server.closeAllConnections(), server.close()),
  };
}

const begin = (script) => ({ script, seen: [], offered: [] });

// The next call, if the request offers its tool: hosts also ask for titles.
async function next(playing, wire, asked) {
  const tools = wire.tools(asked);
  const find = (wanted) => tools.find(({ name }) => name === wanted || name.endsWith(`_${wanted}`));
  if (!playing.script.length || !find(playing.script[0].tool)) return undefined;
  playing.offered = tools.map(({ name }) => name);
  for (const { step, text } of wire.seen(asked)) playing.seen[step] = text;
  const step = playing.seen.length;
  const { tool, args, first } = playing.script[step] ?? {};
  if (!tool) return undefined;
  await first?.();
  return { id: `step_${step}`, tool: find(tool)?.call ?? { name: tool }, args };
}

function send(response, value) {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

function stream(response, events) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) {
    if (event.type) response.write(`event: ${event.type}\n`);
    response.write(`data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
  }
  response.end();
}
