// Libraries by which agents reach MCP servers, behind one face, so that one test
// can go through all of them. What a library does not have is not there.
import { createMCPClient } from "@ai-sdk/mcp";
import { StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";

process.env.MCP_USE_ANONYMIZED_TELEMETRY = "false"; // it looks when it is loaded
const { MCPClient } = await import("mcp-use/client");

// They hold schemas against AJV, which does not know every format, and says so.
console.warn = () => {};

const names = (list, key = "name") => list.map((item) => item[key]);
const textOf = (blocks) => blocks.map((block) => block.text).join("\n");
const messagesOf = ({ messages }) => textOf(messages.map((message) => message.content));

// What the program sees of a call: its text, and whether it is called an error.
async function seen(call) {
  try {
    const result = await call;
    return { isError: result.isError === true, text: textOf(result.content) };
  } catch (error) {
    return { isError: true, text: error.message };
  }
}

// `where` is a URL or what is to be started.
async function aiSdk(where, protocolVersionDiscovery) {
  const client = await createMCPClient({
    transport: where.url ? { type: "http", url: where.url } : new StdioMCPTransport(where),
    protocolVersionDiscovery,
    onUncaughtError() {},
  });
  const tools = await client.tools();
  return {
    tools: async () => names((await client.listTools()).tools),
    resources: async () => names((await client.listResources()).resources, "uri"),
    templates: async () => names((await client.listResourceTemplates()).resourceTemplates, "uriTemplate"),
    prompts: async () => names((await client.listPrompts()).prompts),
    call: (name, args) => seen(tools[name].execute(args, { toolCallId: "1", messages: [] })),
    read: async (uri) => textOf((await client.readResource({ uri })).contents),
    prompt: async (name, args) => messagesOf(await client.getPrompt({ name, arguments: args })),
    complete: async (params) => (await client.complete(params)).completion.values,
    close: () => client.close(),
  };
}

async function langChain(where) {
  const told = updates();
  const client = new MultiServerMCPClient({
    onResourcesUpdated: ({ uri }) => told.hear(uri),
    mcpServers: { demo: where.url ? { transport: "http", url: where.url } : { transport: "stdio", ...where } },
  });
  const tools = await client.getTools();
  // A tool gives its text or blocks, and throws what is an error.
  const run = async (name, args) => {
    const result = await tools.find((tool) => tool.name === name).invoke(args);
    return { content: [result].flat().map((item) => (typeof item === "string" ? { text: item } : item)) };
  };
  return {
    tools: async () => names(tools),
    resources: async () => names((await client.listResources()).demo, "uri"),
    templates: async () => names((await client.listResourceTemplates()).demo, "uriTemplate"),
    call: (name, args) => seen(run(name, args)),
    read: async (uri) => textOf(await client.readResource("demo", uri)),
    async watch(uri) {
      await (await client.getClient("demo")).subscribeResource({ uri });
      return told.next;
    },
    close: () => client.close(),
  };
}

async function mcpUse(where) {
  const client = new MCPClient({ mcpServers: { demo: where } });
  const session = await client.createSession("demo");
  const told = updates();
  session.on("notification", ({ method, params }) => {
    if (method === "notifications/resources/updated") told.hear(params.uri);
  });
  return {
    tools: async () => names(await session.listTools()),
    resources: async () => names((await session.listAllResources()).resources, "uri"),
    templates: async () => names((await session.listResourceTemplates()).resourceTemplates, "uriTemplate"),
    prompts: async () => names((await session.listPrompts()).prompts),
    call: (name, args) => seen(session.callTool(name, args)),
    read: async (uri) => textOf((await session.readResource(uri)).contents),
    prompt: async (name, args) => messagesOf(await session.getPrompt(name, args)),
    complete: async (params) => (await session.complete(params)).completion.values,
    async watch(uri) {
      await session.subscribeToResource(uri);
      return told.next;
    },
    close: () => client.closeAllSessions(),
  };
}

// The next URI that was told; `next` may be asked for before it comes.
function updates() {
  const waiting = [];
  const heard = [];
  return {
    hear: (uri) => (waiting.length ? waiting.shift()(uri) : heard.push(uri)),
    next: () => (heard.length ? Promise.resolve(heard.shift()) : new Promise((resolve) => waiting.push(resolve))),
  };
}

export const LIBRARIES = [
  { library: "AI SDK", open: (where) => aiSdk(where, true) },
  { library: "AI SDK with sessions", open: (where) => aiSdk(where, false) },
  { library: "LangChain", open: langChain },
  { library: "mcp-use", open: mcpUse },
];
