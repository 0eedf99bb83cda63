// The official TypeScript client, both eras, over HTTP and stdio.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createRequire } from "node:module";
import { assertVerdicts, serve, stdio, unchecked } from "../js/server.mjs";

const require = createRequire(new URL("../js/package.json", import.meta.url));
const { Client, StreamableHTTPClientTransport } = await import(
  require.resolve("@modelcontextprotocol/client")
);
const { StdioClientTransport } = await import(require.resolve("@modelcontextprotocol/client/stdio"));

let server;
before(async () => {
  server = await serve("apps/hello");
});
after(async () => {
  assert.equal(await server.stop(), 0, "the server ends cleanly");
  assertVerdicts();
});

const transports = {
  http: () => new StreamableHTTPClientTransport(new URL(server.url)),
  stdio: () => new StdioClientTransport(stdio("apps/hello")),
};

const modes = {
  auto: { mode: "auto", revision: "2026-07-28" },
  pinned: { mode: { pin: "2026-07-28" }, revision: "2026-07-28" },
  legacy: { mode: "legacy", revision: "2025-11-25" },
};

test("every message is checked by its schema", { skip: unchecked }, () => {});

for (const [transportName, makeTransport] of Object.entries(transports)) {
  for (const [modeName, { mode, revision }] of Object.entries(modes)) {
    test(`client v2, ${modeName}, ${transportName}`, async () => {
      const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
      await client.connect(makeTransport());
      assert.equal(client.getNegotiatedProtocolVersion(), revision);

      const { tools } = await client.listTools();
      const greet = tools.find((tool) => tool.name === "greet");
      assert.ok(greet, "the app's tool is listed");
      assert.equal(greet.inputSchema.type, "object");

      const result = await client.callTool({ name: "greet", arguments: { name: "Ada" } });
      assert.match(result.content[0].text, /Ada/);
      const wrong = await client.callTool({ name: "greet", arguments: {} });
      assert.ok(wrong.isError, "a new app has errors = \"tool\"");
      assert.equal(wrong.content[0].text, "validation failed on 1 field(s): name is required");
      assert.equal(JSON.parse(wrong.content[1].text).fields[0].field, "name");
      await assert.rejects(client.callTool({ name: "nobody", arguments: {} }), { code: -32602 });
      await client.close();
    });
  }
}
