// The official TypeScript server, as its documentation has it: a listen stream
// per client, and a tool that tells of changes. Prints where it listens.
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

const require = createRequire(fileURLToPath(new URL("../test/js/package.json", import.meta.url)));
const load = (name) => import(pathToFileURL(require.resolve(name)));
const { McpServer, createMcpHandler } = await load("@modelcontextprotocol/server");
const { toNodeHandler } = await load("@modelcontextprotocol/node");

const handler = createMcpHandler(
  () => {
    const server = new McpServer(
      { name: "rival", version: "1" },
      { capabilities: { resources: { subscribe: true } } },
    );
    const touch = (count) => () => {
      for (let i = 0; i < count; i++) handler.notify.resourceUpdated(`bench:${i}`);
      return { content: [{ type: "text", text: "touched" }] };
    };
    server.registerTool("touch_one", { description: "Tells of one change." }, touch(1));
    server.registerTool("touch_five", { description: "Tells of five changes." }, touch(5));
    server.registerResource("one", "bench:0", {}, () => ({ contents: [] }));
    return server;
  },
  { maxSubscriptions: 100000 },
);
const serve = toNodeHandler(handler);
const http = createServer((request, response) => serve(request, response));
http.listen(0, "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${http.address().port}/mcp`);
});
