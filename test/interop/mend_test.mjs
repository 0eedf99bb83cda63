// What a model is shown must be enough to go on. Two scripted hosts call wrongly:
// one shows of an error its `message` alone, the other nothing but the text of
// results. From that text, by a rule that fails without the clue, comes the next
// call, which must succeed. The texts are golden files, which
// TRAILS_UPDATE_MCP_SNAPSHOTS=1 rewrites.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { ask } from "../js/clients.mjs";
import { demo, plain } from "../js/demo.mjs";
import { assertVerdicts, serveWith } from "../js/server.mjs";

const textOf = ({ content }) => content.map((block) => block.text).join("\n");
const HOSTS = [
  { host: "message", errors: "jsonrpc", shows: ({ error, result }) => error?.message ?? textOf(result) },
  { host: "content", errors: undefined, shows: ({ result }) => (result ? textOf(result) : "the call failed") },
];

// Rules --------------------------------------------------------------------------

// What a text says, or an error: then no model could have known it either.
function clue(text, pattern) {
  const found = pattern.exec(text);
  assert.ok(found, `no ${pattern} in: ${text}`);
  return found.slice(1);
}

const MEANT = {
  title: "The bolt is heated in frost", priority: 2,
  statement: "The lock shall keep its bolt above 2 degrees in frost.", person: "Ines Duarte",
};

// All that field errors say, at once. The length, the choice and the name come
// from the text, the rest is what the caller had wanted to say.
function byFields(text, args) {
  const next = { ...args };
  const each = (pattern, mend) => [...text.matchAll(pattern)].map(([, ...parts]) => mend(...parts)).length;
  const clues = each(/(\w+) is required/g, (name) => (next[name] = MEANT[name]))
    + each(/(\w+) must be an integer/g, (name) => (next[name] = MEANT[name]))
    + each(/(\w+) must have at least (\d+) characters/g, (name, least) =>
      (next[name] = args[name].padEnd(Number(least), " and so on")))
    + each(/(\w+) must be one of \['([^']*)'/g, (name, first) => (next[name] = first))
    + each(/(\w+) is not a field/g, (name) => delete next[name])
    + each(/(\w+) is not a field; did you mean (\w+)/g, (name, better) => (next[better] = args[name]));
  assert.ok(clues > 0, `no field in: ${text}`);
  return next;
}

// What was typed, written in the ways in which keys are written.
function byPattern(text, { key }) {
  const pattern = new RegExp(clue(text, /key must match (\^[^\s"]+\$)/)[0]);
  const fits = [key, key.toUpperCase(), key.replace(" ", "-"), key.toUpperCase().replace(" ", "-")]
    .find((spelling) => pattern.test(spelling));
  return { key: fits };
}

// The argument that the text names is the one that was wrong.
function withoutNamed(text, args) {
  const wrong = Object.keys(args).filter((name) => new RegExp(`\\b${name}\\b`).test(text));
  assert.equal(wrong.length, 1, `one argument is named in: ${text}`);
  return Object.fromEntries(Object.entries(args).filter(([name]) => name !== wrong[0]));
}

// `find` calls the tool that a text names, and gives what it answers.
async function bySearch(text, args, find) {
  const found = await find(clue(text, /(\w+) finds keys/)[0], { text: "bolt" });
  return { ...args, key: found.requirements[0].split(" ")[0] };
}

async function byReading(text, args, find) {
  const { version } = await find(clue(text, /read it again with (\w+)/)[0], { key: args.key });
  return { ...args, if_version: version };
}

async function byFinding(text, args, find) {
  const { items } = await find(clue(text, /read it again with (\w+)/)[0], { limit: 100 });
  return { ...args, version: items.find(({ id }) => id === args.id)._version };
}

const nearest = (text, what) =>
  clue(text, new RegExp(`there is no ${what};[^;]*(?:known:|did you mean) ([^\\s,;?(]+)`))[0];

// The rows -----------------------------------------------------------------------

const BUS = "trails://requirements/Component/DOCK-bus";
const ROOF = { project: "DOCK", name: "Roof", purpose: "Keeps the rain off.", lead: "ines-duarte" };
const { title, statement } = MEANT;

// `then` is the tool of the next call, when it is another.
const ROWS = [
  { what: "a title that is too short", tool: "propose_requirement",
    args: { project: "DOCK", kind: "functional", title: "Heat", statement }, mend: byFields },
  { what: "a wrong choice, unknown and missing fields", tool: "propose_requirement",
    args: { project: "DOCK", titel: title, kind: "nice", priority: "high", colour: "red" }, mend: byFields },
  { what: "a key that is none", tool: "get_requirement", args: { key: "dock 5" }, mend: byPattern },
  { what: "a change of state that is not allowed", tool: "change_state", args: { key: "DOCK-5", state: "verified" },
    mend: (text, args) => ({ ...args, state: clue(text, /from there it can become (\w+)/)[0] }) },
  { what: "a requirement that is not there", tool: "get_requirement", args: { key: "DOCK-9999" }, mend: bySearch },
  { what: "a person who may be several", tool: "who_owns", args: { person: "Ra" },
    mend: (text) => ({ person: clue(text, /several people are called Ra: [^<]*<([^>]+)>/)[0] }) },
  { what: "a project that is not there", tool: "coverage_report", args: { project: "BOAT" },
    mend: (text) => ({ project: clue(text, /the projects are (\w+)/)[0] }) },
  { what: "a stale version, in a handler", tool: "change_state",
    args: { key: "DOCK-12", state: "implemented", if_version: 99 }, mend: byReading },
  { what: "a stale version, in a ready-made tool", tool: "update_component",
    args: { id: BUS, purpose: "Joins the docks.", version: 99 }, mend: byFinding },
  { what: "a reference by name", tool: "create_component", args: { ...ROOF, lead: "Rafael" },
    mend: (text, args) => ({ ...args, lead: nearest(text, "Person Rafael") }) },
  { what: "a reference to what is not there", tool: "create_component",
    args: { ...ROOF, name: "Floor", project: "trails://requirements/Project/NOPE" },
    mend: (text, args) => ({ ...args, project: nearest(text, "Project NOPE") }) },
  // Nothing in the demo changes the components of a requirement: who needs it is
  // the next thing to look at.
  { what: "a delete of what is needed", tool: "delete_component", args: { id: BUS }, then: "get_requirement",
    mend: (text) => ({ key: clue(text, /cannot delete DOCK-bus: still needed by Requirement ([\w-]+)/)[0] }),
    check: ({ components }) => assert.ok(components.includes("Station cable"), components) },
  { what: "a bad cursor, in a handler", tool: "list_requirements",
    args: { project: "DOCK", limit: 3, after: "bogus" }, mend: withoutNamed },
  { what: "a bad cursor, in a ready-made tool", tool: "find_component", args: { limit: 3, cursor: "bogus" },
    mend: withoutNamed },
  { what: "any bad argument", tool: "who_owns", args: {}, mend: byFields },
];

// What they see ------------------------------------------------------------------

const servers = {};
before(async () => {
  for (const { host, errors } of HOSTS) servers[host] = await serveWith(plain, demo({ errors }));
});
after(async () => {
  for (const server of Object.values(servers)) assert.equal(await server.stop(), 0, "it ends cleanly");
  assertVerdicts();
});

const call = (host, name, args) => ask(servers[host].url, "tools/call", { name, arguments: args });

// Ids that are made on the way differ from run to run, as do places in the app.
const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const PLACE = /\/\S*\/app\.lua:\d+/g;
const entry = ({ what, tool, args }, text) =>
  `# ${what}\n${tool} ${JSON.stringify(args)}\n\n${text.replace(UUID, "UUID").replace(PLACE, "app.lua:LINE")}\n`;

async function answer(host, name, args) {
  const { error, result } = await call(host, name, args);
  assert.equal(error, undefined, `${name} ${JSON.stringify(args)}`);
  assert.ok(!result.isError, textOf(result));
  return JSON.parse(textOf(result));
}

for (const { host, shows } of HOSTS) {
  test(`a host that shows the ${host} alone`, async (t) => {
    const texts = [];
    const { result } = await ask(servers[host].url, "tools/list", {});
    const find = (name, args) => {
      assert.ok(result.tools.some((tool) => tool.name === name), `${name} is a tool`);
      return answer(host, name, args);
    };
    for (const row of ROWS) {
      await t.test(row.what, async () => {
        const raw = await call(host, row.tool, row.args);
        assert.ok(raw.error ?? raw.result.isError, "it is wrong");
        const text = shows(raw);
        texts.push(entry(row, text));
        const next = await row.mend(text, row.args, find);
        const done = await answer(host, row.then ?? row.tool, next);
        row.check?.(done);
      });
    }
    await t.test("the texts are those of the golden file", () => {
      const file = `test/fixtures/seen/${host}.txt`;
      if (process.env.TRAILS_UPDATE_MCP_SNAPSHOTS) writeFileSync(file, texts.join("\n"));
      assert.equal(texts.join("\n"), readFileSync(file, "utf8"));
    });
  });
}

test("no rule goes by anything but the text", async () => {
  for (const { what, args, mend } of ROWS) {
    for (const text of ["the call failed", "validation failed on 1 field(s)", ""]) {
      await assert.rejects(async () => mend(text, args, assert.fail), { code: "ERR_ASSERTION" }, what);
    }
  }
});
