// The official TypeScript client, both eras, over HTTP and stdio.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createRequire } from "node:module";
import { program, serve } from "../js/server.mjs";
import { Wire, haveSchemas, watch } from "../js/wire.mjs";

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
});

const transports = {
  http: () => new StreamableHTTPClientTransport(new URL(server.url)),
  stdio: () =>
    new StdioClientTransport({
      command: program,
      args: ["serve", "apps/hello", "--stdio"],
      env: { ...process.env, TRAILS_STORE: ":memory:" },
    }),
};

const modes = {
  auto: { mode: "auto", revision: "2026-07-28" },
  pinned: { mode: { pin: "2026-07-28" }, revision: "2026-07-28" },
  legacy: { mode: "legacy", revision: "2025-11-25" },
};

test("messages are checked by schema", { skip: !haveSchemas && "TRAILS_SUITES has no mcp-schema" }, () => {});

for (const [transportName, makeTransport] of Object.entries(transports)) {
  for (const [modeName, { mode, revision }] of Object.entries(modes)) {
    test(`client v2, ${modeName}, ${transportName}`, async () => {
      const failures = [];
      const wire = new Wire(revision);
      const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
      await client.connect(watch(makeTransport(), wire, failures));
      assert.equal(client.getNegotiatedProtocolVersion(), revision);

      const { tools } = await client.listTools();
      const greet = tools.find((tool) => tool.name === "greet");
      assert.ok(greet, "the app's tool is listed");
      assert.equal(greet.inputSchema.type, "object");

      const result = await client.callTool({ name: "greet", arguments: { name: "Ada" } });
      assert.match(result.content[0].text, /Ada/);
      await assert.rejects(client.callTool({ name: "greet", arguments: {} }), (error) => {
        assert.equal(error.code, -32602);
        assert.equal(error.data.fields[0].field, "name");
        return true;
      });
      await assert.rejects(client.callTool({ name: "nobody", arguments: {} }), { code: -32602 });
      await client.close();
      assert.deepEqual(failures, []);
      if (haveSchemas) assert.ok(wire.checked > 0);
    });
  }
}
