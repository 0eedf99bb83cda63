// The meta-capabilities, from the registry of the program itself: what is tried
// with each of them covers a new one by itself.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";

// As tools/list has them: {name, trails: {scope, ...}, ...}.
export function metas(app = "test/apps/golden") {
  const words = ["capabilities", "--app", app, "--as", "mcp"];
  const { tools } = JSON.parse(execFileSync("build/debug/trails", words, { encoding: "utf8", maxBuffer: 1 << 26 }));
  const found = tools.filter(({ trails }) => trails.kind === "meta");
  assert.ok(found.length >= 6, "there are some");
  return found;
}

export const METAS = metas();

// Their names on MCP, of one scope or of all.
export const metaNames = (scope) =>
  METAS.filter(({ trails }) => !scope || trails.scope === scope).map(({ name }) => name);

// The id that a name on MCP leads back to.
export const idOf = (name) => `trails.meta.${name.replace(/^trails_meta_/, "").replaceAll("_", ".")}`;
