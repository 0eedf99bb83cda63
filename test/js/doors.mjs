// Every way into the server. The methods are read from its own table, so that a
// new one fails here until somebody says which doors it opens, and each test that
// goes through all doors fails until it goes through that one.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

// What a client can send, and the doors that it opens: none where nothing runs
// and nothing is watched.
const METHODS = {
  "tools/call": ["tool", "meta"],
  "resources/read": ["resource", "template"],
  "prompts/get": ["prompt"],
  "completion/complete": ["completion"],
  "resources/subscribe": ["subscription"],
  "subscriptions/listen": ["subscription"],
  "tools/list": [],
  "resources/list": [],
  "resources/templates/list": [],
  "prompts/list": [],
  "server/discover": [],
  initialize: [],
  ping: [],
  "logging/setLevel": [],
  "resources/unsubscribe": [],
};

const table = readFileSync(new URL("../../src/mcp/dispatch.c", import.meta.url), "utf8");
export const methods = [...table.matchAll(/^ *\{TR_STR_INIT\("([^"]+)"\), [A-Z]+,/gm)].map((found) => found[1]);
assert.ok(methods.length > 10, "the table of methods cannot be read");
assert.deepEqual(methods.sort(), Object.keys(METHODS).sort(), "a method is not known here");

export const DOORS = [...new Set(Object.values(METHODS).flat())];

// Whether a test has all of them, but for those it gives a reason to leave out.
export function assertEveryDoor(has, leftOut = {}) {
  for (const door of DOORS) assert.ok(door in leftOut || [...has].includes(door), `${door} is not tried`);
}
