// The official TypeScript clients, while their server is killed and started
// again: they go on with the session that they have.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { KINDS } from "../js/clients.mjs";

const folder = mkdtempSync(join(tmpdir(), "trails-restart-"));
let server;
// While there is no server, nobody else is to get its port: clients of other tests
// have theirs at 127.0.0.1.
let address = "127.0.0.2:0";

async function start() {
  server = spawn("build/debug/trails", ["serve", folder, "--http", address], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, TRAILS_ACCESS_LOG: "false" },
  });
  for await (const line of createInterface({ input: server.stdout })) {
    const found = /^listening on http:\/\/(\S+)\/mcp$/.exec(line);
    if (found) {
      address = found[1];
      return;
    }
  }
  throw new Error("the server did not start");
}

async function end(signal) {
  if (server.exitCode !== null || server.signalCode !== null) return server.exitCode;
  const ended = once(server, "exit");
  server.kill(signal);
  return (await ended)[0];
}

process.on("exit", () => server?.kill("SIGKILL"));
before(async () => {
  for (const file of ["app.lua", "trails.toml"]) {
    copyFileSync(join("apps/hello", file), join(folder, file));
  }
  await start();
});
after(async () => {
  assert.equal(await end("SIGTERM"), 0, "the server ends cleanly");
  rmSync(folder, { recursive: true });
});

// Fetches, and tells the status of the first stream. Only one that was open comes
// back: the SDK gives up one whose server did not live to answer.
function watchedFetch() {
  const { promise, resolve, reject } = Promise.withResolvers();
  const watched = async (url, init) => {
    const answer = fetch(url, init);
    if (init.method === "GET") answer.then(({ status }) => resolve(status), reject);
    return answer;
  };
  return { fetch: watched, firstStream: promise };
}

// A stream comes back as often as it takes.
const reconnectionOptions = {
  initialReconnectionDelay: 50,
  maxReconnectionDelay: 50,
  reconnectionDelayGrowFactor: 1,
  maxRetries: 1000,
};

for (const { kind, sdk, mode } of KINDS.filter(({ isModern }) => !isModern)) {
  test(`${kind} goes on after its server was killed`, async (t) => {
    const watched = watchedFetch();
    const client = new sdk.Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
    const transport = new sdk.StreamableHTTPClientTransport(new URL(`http://${address}/mcp`), {
      reconnectionOptions,
      fetch: watched.fetch,
    });
    t.after(() => client.close());
    const heard = [];
    let hearAll;
    const all = new Promise((resolve) => (hearAll = resolve));
    client.fallbackNotificationHandler = async ({ method }) => {
      heard.push(method);
      if (heard.length === 3) hearAll();
    };
    await client.connect(transport);
    assert.equal(await watched.firstStream, 200);
    const greet = () => client.callTool({ name: "greet", arguments: { name: "Ada" } });
    assert.match((await greet()).content[0].text, /Ada/);
    const session = transport.sessionId;

    await end("SIGKILL");
    await start();
    assert.match((await greet()).content[0].text, /Ada/);
    assert.equal(transport.sessionId, session);
    await all;
    assert.deepEqual(heard, [
      "notifications/tools/list_changed",
      "notifications/resources/list_changed",
      "notifications/prompts/list_changed",
    ]);
    assert.ok((await client.listTools()).tools.length > 0);

    await transport.terminateSession();
    await client.close();
    await end("SIGKILL");
    await start();
    const answer = await fetch(`http://${address}/mcp`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-session-id": session,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
    });
    assert.equal(answer.status, 404);
    await answer.text();
  });
}
