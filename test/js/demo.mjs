// The demo, apps/requirements, with its data, in a folder of its own.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const DEMO = "apps/requirements";
// An environment in which a store is where the app is.
export const plain = { ...process.env, TRAILS_ACCESS_LOG: "false" };
delete plain.TRAILS_STORE;
const folders = [];
process.on("exit", () => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

// `errors`: how errors of tools travel; without it, as the demo has it, and
// "jsonrpc" is what an app has that says nothing.
export function demo({ errors, program = "build/debug/trails" } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "trails-demo-"));
  folders.push(folder);
  for (const name of ["app.lua", "trails.toml", "seed.ttl"]) cpSync(join(DEMO, name), join(folder, name));
  if (errors === "jsonrpc") {
    const file = join(folder, "trails.toml");
    const rest = readFileSync(file, "utf8").split("\n").filter((line) => !/^(validation_)?errors *=/.test(line));
    writeFileSync(file, rest.join("\n"));
  }
  execFileSync(program, ["import", "--app", folder, join(folder, "seed.ttl")], { env: plain });
  return folder;
}

// A server without the judge of messages between, so that it can be killed and
// come back at the address that its clients know.
export async function start(folder, { address = "127.0.0.1:0", program = "build/debug/trails", env = plain } = {}) {
  const child = spawn(program, ["serve", folder, "--http", address], { stdio: ["ignore", "pipe", "inherit"], env });
  const kill = () => child.kill("SIGKILL");
  process.on("exit", kill);
  const end = async (signal) => {
    const ended = once(child, "exit");
    child.kill(signal);
    const [code] = await ended;
    process.off("exit", kill);
    return code;
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const found = /^listening on (http:\/\/([^/]+)\/mcp)$/.exec(line);
    if (found) {
      return { url: found[1], stop: () => end("SIGTERM"),
        again: async () => (await end("SIGKILL"), start(folder, { address: found[2], program, env })) };
    }
  }
  throw new Error("the server did not start");
}
