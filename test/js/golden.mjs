// Golden files of tools: what they hold, and how they are written.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { idOf } from "./metas.mjs";

// Another app and folder, for a test that tries what a change does.
export const APP = process.env.TRAILS_GOLDEN_APP ?? "test/apps/golden";
export const FIXTURES = process.env.TRAILS_GOLDEN_FILES ?? "test/fixtures/mcp_schemas";

// What of a tool is locked: all that an agent plans with.
const KEPT = ["name", "description", "inputSchema", "outputSchema", "annotations", "_meta", "trails"];

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
}

// Sorted keys, two spaces, a line end at the end, UTF-8 as it is. Where the manifest
// is has nothing to do with the tool.
export function golden(tool) {
  const kept = structuredClone(Object.fromEntries(KEPT.filter((key) => key in tool).map((key) => [key, tool[key]])));
  delete kept._meta?.["dev.trails/manifest_uri"];
  return `${JSON.stringify(sorted(kept), null, 2)}\n`;
}

// meta.ping.json of trails.meta.ping.
export const fileOf = ({ name }) =>
  name.startsWith("trails_meta_") ? `${idOf(name).replace("trails.", "")}.json` : `${name}.json`;

// The names of those that differ: changed, new, or not there any more.
export function differences(tools, folder = FIXTURES) {
  const wanted = new Map(tools.map((tool) => [fileOf(tool), golden(tool)]));
  const there = readdirSync(folder);
  const gone = there.filter((name) => !wanted.has(name));
  const changed = [...wanted].filter(([name, text]) =>
    !there.includes(name) || readFileSync(join(folder, name), "utf8") !== text);
  return [...gone, ...changed.map(([name]) => name)].sort();
}

export function write(tools, folder = FIXTURES) {
  for (const tool of tools) writeFileSync(join(folder, fileOf(tool)), golden(tool));
}
