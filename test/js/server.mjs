// Starts the program under test behind test/tools/tap.py, which holds every
// message that it sends against the schema of its revision.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const folder = mkdtempSync(join(tmpdir(), "trails-"));
process.on("exit", () => rmSync(folder, { recursive: true }));

const report = join(folder, "report");
const tapped = ["-B", "test/tools/tap.py", "--report", report, "build/debug/trails", "serve"];
// Of the servers: a test may give them a store that stays.
export const env = { ...process.env, TRAILS_STORE: ":memory:", TRAILS_ACCESS_LOG: "false" };

// Why messages are not checked, or false when they are.
export const unchecked =
  !existsSync(join(process.env.TRAILS_SUITES ?? "../shared/suites", "mcp-schema")) &&
  "TRAILS_SUITES has no mcp-schema: no message is checked";

// `stop` gives the exit code: not 0 when a sanitizer found something. `log` has
// the lines of standard error so far.
export function serve(app, ...options) {
  return serveWith(env, app, ...options);
}

// The same in another environment.
export async function serveWith(env, app, ...options) {
  const child = spawn("python3", [...tapped, app, "--http", "127.0.0.1:0", ...options], {
    stdio: ["ignore", "pipe", "pipe"],
    env,
  });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  const log = [];
  createInterface({ input: child.stderr }).on("line", (line) => {
    log.push(line);
    console.error(line);
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const found = /^listening on (http:\S+)$/.exec(line);
    if (found) return { url: found[1], child, log, stop: stopping(child, ended) };
  }
  throw new Error("the server did not start");
}

// A test that fails before it stops its server must end all the same: a server
// that is up keeps this process alive only while somebody waits for its end, and
// ends with it.
function stopping(child, ended) {
  const parts = [child, child.stdout, child.stderr];
  for (const part of parts) part.unref();
  const kill = () => child.kill("SIGTERM");
  process.on("exit", kill);
  return async () => {
    for (const part of parts) part.ref();
    kill();
    const code = await ended;
    process.off("exit", kill);
    return code;
  };
}

// What a client that starts its server itself is to start.
export function stdio(app, own = env) {
  return { command: "python3", args: [...tapped, app, "--stdio"], env: own };
}

// Every server has ended, well, and has sent nothing that is wrong.
export function assertVerdicts() {
  const lines = readFileSync(report, "utf8").trim().split("\n");
  const verdicts = lines.filter((line) => line !== "begun");
  assert.equal(verdicts.length, lines.length / 2, "each server has ended");
  const wanted = unchecked ? /^exit 0, / : /^exit 0, [1-9]\d* checked, 0 wrong$/;
  for (const verdict of verdicts) assert.match(verdict, wanted);
}
