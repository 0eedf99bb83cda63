// The official clients, old and new, and one way to connect them.
import { createRequire } from "node:module";
import { stdio } from "./server.mjs";

const require = createRequire(new URL("package.json", import.meta.url));
const load = (name) => import(require.resolve(`@modelcontextprotocol/${name}`));
export const v2 = { ...(await load("client")), ...(await load("client/stdio")) };
export const v1 = {
  ...(await load("sdk/types.js")),
  ...(await load("sdk/client/index.js")),
  ...(await load("sdk/client/stdio.js")),
  ...(await load("sdk/client/streamableHttp.js")),
};

// Both eras by the new client, and the first of them by the old one too.
export const KINDS = [
  { kind: "v1", sdk: v1, isModern: false },
  { kind: "v2 legacy", sdk: v2, mode: "legacy", isModern: false },
  { kind: "v2 modern", sdk: v2, mode: { pin: "2026-07-28" }, isModern: true },
];

// `where` is the URL of a server, or else the app of which one is started, in the
// environment `own`.
export async function connect({ sdk, mode }, where, headers = {}, own = undefined) {
  const about = { name: "test", version: "1" };
  const client =
    sdk === v1 ? new v1.Client(about) : new v2.Client(about, { versionNegotiation: { mode } });
  await client.connect(
    where.startsWith("http:")
      ? new sdk.StreamableHTTPClientTransport(new URL(where), { requestInit: { headers } })
      : new sdk.StdioClientTransport(stdio(where, own)),
  );
  return client;
}

// What a promise is rejected with.
export async function failure(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("it did not fail");
}

// A request as it goes over the wire, and the answer as it came: clients rename
// some codes. Without a session, so of the newest revision.
export async function ask(url, method, params, own = {}) {
  const answer = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(params.name ?? params.uri ? { "mcp-name": params.name ?? params.uri } : {}),
      ...own,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    }),
  });
  return answer.json();
}
