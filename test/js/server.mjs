// Starts the program under test and tells where it listens.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export const program = "build/debug/trails";

export async function serve(app, ...options) {
  const child = spawn(program, ["serve", app, "--http", "127.0.0.1:0", ...options], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, TRAILS_STORE: ":memory:" },
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const found = /^listening on (http:\S+)$/.exec(line);
    if (found) return { url: found[1], child, stop: () => stop(child) };
  }
  throw new Error("the server did not start");
}

// Ends it and gives its exit code: not 0 when a sanitizer found something.
function stop(child) {
  return new Promise((resolve) => {
    child.on("exit", (code) => resolve(code));
    child.kill("SIGTERM");
  });
}
