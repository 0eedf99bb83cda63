// Every official TypeScript client x every transport x every revision that it
// speaks, through the same steps; the server's messages are all checked.
//
// The clients of SDK v1 always offer their newest revision: for an older one
// its number is replaced in the one message that says it. No client sends
// batches: those, and a revision that nobody knows, come from a few lines below.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { createRequire } from "node:module";
import { assertVerdicts, serve, stdio, unchecked } from "../js/server.mjs";

const APP = "test/apps/matrix";
const NOTE = "matrix://note";
const PULSE = "matrix://pulse";
const LEGACY = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const MODERN = "2026-07-28";
const IDENTITY = { name: "matrix", version: "1" };
const CAPABILITIES = { sampling: {}, roots: {}, elicitation: {} };

const require = createRequire(new URL("../js/package.json", import.meta.url));
const load = (name) => import(require.resolve(`@modelcontextprotocol/${name}`));
const v2 = { ...(await load("client")), ...(await load("client/stdio")) };
const v1 = {
  ...(await load("sdk/types.js")),
  ...(await load("sdk/client/index.js")),
  ...(await load("sdk/client/stdio.js")),
  ...(await load("sdk/client/sse.js")),
  ...(await load("sdk/client/streamableHttp.js")),
};

let server;
before(async () => {
  server = await serve(APP);
});
after(async () => {
  assert.equal(await server.stop(), 0, "the server ends cleanly");
  assertVerdicts();
});

const transports = {
  http: (sdk) => new sdk.StreamableHTTPClientTransport(new URL(server.url)),
  sse: (sdk) => new sdk.SSEClientTransport(new URL("/sse", server.url)),
  stdio: (sdk) => new sdk.StdioClientTransport(stdio(APP)),
};

// What the client answers when it is asked.
const answers = {
  "elicitation/create": () => ({ action: "accept", content: { name: "Ada" } }),
  "sampling/createMessage": () => ({
    role: "assistant",
    content: { type: "text", text: "hello" },
    model: "none",
  }),
  "roots/list": () => ({ roots: [{ uri: "file:///tmp/matrix" }] }),
};

// Clients: each says how to connect, and how to watch a resource --------------

function connectV1(transport, revision) {
  const schemas = {
    "elicitation/create": v1.ElicitRequestSchema,
    "sampling/createMessage": v1.CreateMessageRequestSchema,
    "roots/list": v1.ListRootsRequestSchema,
  };
  const client = new v1.Client(IDENTITY, { capabilities: CAPABILITIES });
  for (const [method, answer] of Object.entries(answers)) {
    client.setRequestHandler(schemas[method], answer);
  }
  const heard = [];
  client.setNotificationHandler(v1.ResourceUpdatedNotificationSchema, ({ params }) => {
    heard.push(params.uri);
  });
  let negotiated;
  const setVersion = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = (version) => {
    negotiated = version;
    setVersion?.(version);
  };
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (message.method !== "initialize") return send(message, options);
    const params = { ...message.params, protocolVersion: revision };
    return send({ ...message, params }, options);
  };
  const watch = (uri) => client.subscribeResource({ uri });
  return { client, heard, watch, connect: () => client.connect(transport), version: () => negotiated };
}

function connectV2(transport, revision, mode) {
  const options = { capabilities: CAPABILITIES, versionNegotiation: { mode } };
  if (mode === "legacy") options.supportedProtocolVersions = [revision];
  const client = new v2.Client(IDENTITY, options);
  for (const [method, answer] of Object.entries(answers)) client.setRequestHandler(method, answer);
  const heard = [];
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    heard.push(params.uri);
  });
  const watch = (uri) =>
    mode === "legacy"
      ? client.subscribeResource({ uri })
      : client.listen({ resourceSubscriptions: [uri] });
  return {
    client,
    heard,
    watch,
    connect: () => client.connect(transport),
    version: () => client.getNegotiatedProtocolVersion(),
  };
}

const cells = [];
for (const transport of ["http", "stdio", "sse"]) {
  for (const revision of LEGACY) {
    cells.push({ name: "v1", sdk: v1, transport, revision, connect: connectV1 });
    cells.push({ name: "v2 legacy", sdk: v2, transport, revision, connect: connectV2, mode: "legacy" });
  }
}
for (const transport of ["http", "stdio"]) {
  const modern = { sdk: v2, transport, revision: MODERN, connect: connectV2 };
  cells.push({ ...modern, name: "v2 auto", mode: "auto" });
  cells.push({ ...modern, name: "v2 pinned", mode: { pin: MODERN } });
}

// Steps: what is done in each cell, in this order -----------------------------

const text = (result) => result.content.map((block) => block.text).join("");

// Calls `act` until something new was heard: streams open when they do.
async function until(heard, uri, act) {
  while (!heard.includes(uri)) await act();
}

const steps = {
  "the revision is the one that was asked for": ({ version, revision }) => {
    assert.equal(version(), revision);
  },

  "lists what there is": async ({ client, revision }) => {
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map((tool) => tool.name),
      ["ask_model", "ask_roots", "ask_user", "beat", "count", "measure", "show", "touch", "trails_meta_ping"],
    );
    const count = tools.find((tool) => tool.name === "count");
    assert.equal(count.title, revision >= "2025-06-18" ? "Count" : undefined);
    assert.equal(count.icons?.length, revision >= "2025-11-25" ? 1 : undefined);
    assert.equal(count.annotations?.readOnlyHint, revision >= "2025-03-26" ? true : undefined);
    const { resources } = await client.listResources();
    assert.deepEqual(resources.map((resource) => resource.uri),
      [NOTE, PULSE, "trails://doctor", "trails://kg/types", "trails://prov",
        "trails://prov/latest", "trails://schema", "trails://stats"]);
    const { resourceTemplates } = await client.listResourceTemplates();
    assert.equal(resourceTemplates[0].uriTemplate, "matrix://item/{id}");
    const { prompts } = await client.listPrompts();
    assert.equal(prompts[0].name, "summarise");
  },

  "calls a tool and hears of its progress": async ({ client, revision }) => {
    const params = { name: "count", arguments: { to: 3 } };
    const wanted = [[1, 3], [2, 3], [3, 3]];
    let heard;
    // The clients drop progress that they read together with the answer.
    do {
      heard = [];
      const onprogress = (progress) => heard.push(progress);
      const result = await call(client, params, { onprogress });
      assert.equal(text(result), "counted to 3");
      const shown = heard.map(({ progress, total }) => [progress, total]);
      assert.deepEqual(shown, wanted.slice(0, shown.length));
    } while (heard.length < wanted.length);
    assert.equal(heard[0].message, revision >= "2025-03-26" ? "at 1" : undefined);
  },

  "gets data and content as its revision has them": async ({ client, revision }) => {
    const measured = await call(client, { name: "measure" });
    assert.deepEqual(JSON.parse(text(measured)), { unit: "m", width: 2.5 });
    const structured = revision >= "2025-06-18" ? { unit: "m", width: 2.5 } : undefined;
    assert.deepEqual(measured.structuredContent, structured);
    const { content } = await call(client, { name: "show" });
    const kinds = content.map((block) => block.type);
    assert.equal(kinds.includes("audio"), revision >= "2025-03-26");
    assert.equal(kinds.includes("resource_link"), revision >= "2025-06-18");
    assert.deepEqual(kinds.slice(0, 2), ["text", "image"]);
  },

  "is told what is wrong with a call": async ({ client }) => {
    await assert.rejects(call(client, { name: "count", arguments: { to: 0 } }), (error) => {
      assert.equal(error.code, -32602);
      assert.equal(error.data.fields[0].field, "to");
      return true;
    });
    await assert.rejects(call(client, { name: "nobody" }), { code: -32602 });
  },

  "reads, completes and takes a prompt": async ({ client }) => {
    assert.equal((await client.readResource({ uri: NOTE })).contents[0].text, "a note");
    assert.equal((await client.readResource({ uri: "matrix://item/7" })).contents[0].text, "item 7");
    // The newer client shows the code of the older revisions as the newer one.
    const code = client instanceof v1.Client ? -32002 : -32602;
    await assert.rejects(client.readResource({ uri: "matrix://none" }), { code });
    const prompt = await client.getPrompt({ name: "summarise", arguments: { what: "it" } });
    assert.equal(prompt.messages[0].content.text, "Summarise it.");
    const argument = { name: "what", value: "this" };
    const { completion } = await client.complete({ ref: { type: "ref/prompt", name: "summarise" }, argument });
    assert.deepEqual(completion.values, ["this!"]);
  },

  "subscribes and is notified": async ({ client, heard, watch }) => {
    await watch(NOTE);
    await until(heard, NOTE, () => call(client, { name: "touch" }));
  },

  "cancels a call, which then ends": async ({ client, heard, watch }) => {
    await watch(PULSE);
    const abort = new AbortController();
    const called = call(client, { name: "beat" }, { signal: abort.signal });
    const ended = assert.rejects(called);
    await until(heard, PULSE, () => client.listTools());
    abort.abort(new Error("enough"));
    await ended;
    // It beats every 10 ms: it has ended when nothing is heard for long.
    const quiet = async () => {
      const count = heard.length;
      await new Promise((resolve) => setTimeout(resolve, 200));
      await client.listTools();
      return heard.length === count;
    };
    while (!(await quiet()));
  },

  "is asked and answers": async ({ client, revision }) => {
    assert.equal(text(await call(client, { name: "ask_model" })), "it says hello");
    assert.equal(text(await call(client, { name: "ask_roots" })), "it has file:///tmp/matrix");
    const asked = await call(client, { name: "ask_user" });
    if (revision >= "2025-06-18") {
      assert.equal(text(asked), "accept Ada");
    } else {
      assert.equal(asked.isError, true);
      assert.match(text(asked), /elicitation/);
    }
  },

  "closes": async ({ client }) => client.close(),
};

// The two clients take their options in another order.
const call = (client, params, options) =>
  client instanceof v1.Client
    ? client.callTool(params, undefined, options)
    : client.callTool(params, options);

test("every message is checked by its schema", { skip: unchecked }, () => {});

for (const cell of cells) {
  test(`${cell.name}, ${cell.transport}, ${cell.revision}`, { timeout: 60000 }, async (t) => {
    const talk = cell.connect(transports[cell.transport](cell.sdk), cell.revision, cell.mode);
    await talk.connect();
    try {
      for (const [name, step] of Object.entries(steps)) {
        await t.test(name, () => step({ ...talk, revision: cell.revision }));
      }
    } finally {
      await talk.client.close();
    }
  });
}

// Without a client ------------------------------------------------------------

const request = (id, method, params = {}) => ({ jsonrpc: "2.0", id, method, params });
const initialize = (protocolVersion) =>
  request(0, "initialize", { protocolVersion, capabilities: {}, clientInfo: IDENTITY });
const BATCH = [
  request(1, "ping"),
  { jsonrpc: "2.0", method: "notifications/initialized" },
  request(2, "tools/list"),
];

// Both give a function that sends a message and returns what comes back.
const raw = {
  http: async () => {
    let session = {};
    const send = async (message) => {
      const headers = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...session,
      };
      const response = await fetch(server.url, { method: "POST", headers, body: JSON.stringify(message) });
      const id = response.headers.get("mcp-session-id");
      if (id) session = { "mcp-session-id": id };
      return response.json();
    };
    return { send, end: () => {} };
  },
  stdio: async () => {
    const { command, args, env } = stdio(APP);
    const child = spawn(command, args, { env, stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const ended = new Promise((resolve) => child.on("exit", resolve));
    const send = async (message) => {
      child.stdin.write(`${JSON.stringify(message)}\n`);
      return JSON.parse((await lines.next()).value);
    };
    return { send, end: () => (child.stdin.end(), ended) };
  },
};

for (const [transport, open] of Object.entries(raw)) {
  for (const revision of LEGACY) {
    test(`a batch, ${transport}, ${revision}`, { timeout: 60000 }, async () => {
      const { send, end } = await open();
      const hello = await send(initialize(revision));
      assert.equal(hello.result.protocolVersion, revision);
      const answer = await send(BATCH);
      if (revision === "2025-03-26") {
        assert.deepEqual(answer.map(({ id }) => id).sort(), [1, 2]);
        assert.equal(answer.find(({ id }) => id === 2).result.tools.length, 9);
      } else {
        assert.equal(answer.error.code, -32600);
      }
      await end();
    });
  }

  test(`a revision that nobody knows, ${transport}`, { timeout: 60000 }, async () => {
    const { send, end } = await open();
    for (const revision of ["2023-01-01", MODERN, "2027-01-01"]) {
      const { result } = await send(initialize(revision));
      assert.equal(result.protocolVersion, LEGACY[0], revision);
    }
    await end();
  });
}
