// Arguments of prompts are checked as input is: read from their texts, with
// defaults, all mistakes at once, and completed where their values are few.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { KINDS, connect } from "../js/clients.mjs";
import { assertVerdicts, serve } from "../js/server.mjs";

const APP = `
prompt "greet" {
  description = "Greets.",
  arguments = {
    { "who", text { max_length = 8 } },
    { "tone", text { one_of = { "formal", "friendly" }, default = "friendly" } },
    { "times", integer { min_value = 1, max_value = 9, optional = true } },
    { "share", number { optional = true } },
    { "loud", boolean { default = false } },
    { "on", datetime { optional = true } },
    { "size", integer { one_of = { 1, 10, 12 }, optional = true } },
    { "pet", text { one_of = { "cat", "dog" }, optional = true } },
  },
  run = function(_, args)
    return args.who .. " " .. args.tone .. " " .. tostring(args.times) .. " " .. tostring(args.share) .. " " .. tostring(args.loud)
  end,
}
completion { prompt = "greet", argument = "pet", run = function() return { "own" } end }
prompt "plain" { description = "Takes nothing.", run = function() return "plain" end }
`;

const folder = mkdtempSync(join(tmpdir(), "trails-prompt-"));
let server;
before(async () => {
  writeFileSync(join(folder, "app.lua"), APP);
  server = await serve(folder);
});
after(async () => {
  assert.equal(await server.stop(), 0, "the server ends cleanly");
  assertVerdicts();
  rmSync(folder, { recursive: true });
});

// What is given, and what the handler has seen.
const TAKEN = [
  [{ who: "Ada" }, "Ada friendly nil nil false"],
  [{ who: "7", tone: "formal", times: "007", share: "0.5", loud: "true" }, "7 formal 7 0.5 true"],
  [{ who: "Ada", loud: "0", on: "2026-07-28T12:00:00Z", size: "10" }, "Ada friendly nil nil false"],
];

// What is given, and each field that is wrong with its code.
const WRONG = [
  [{}, ["who required"]],
  [{ who: "too long a name" }, ["who max_length"]],
  [{ who: "Ada", tone: "rude" }, ["tone one_of"]],
  [{ who: "Ada", times: "1.0" }, ["times type"]],
  [{ who: "Ada", times: "" }, ["times type"]],
  [{ who: "Ada", times: "0" }, ["times min_value"]],
  [{ who: "Ada", size: "2" }, ["size one_of"]],
  [{ who: "Ada", loud: "yes" }, ["loud type"]],
  [{ who: "Ada", on: "today" }, ["on type"]],
  [{ who: "Ada", tine: "formal" }, ["tine unknown_field"]],
  [{ tone: "rude", times: "x", share: "y", extra: "z" },
    ["who required", "tone one_of", "times type", "share type", "extra unknown_field"]],
];

const OFFERED = [
  ["tone", "", ["formal", "friendly"]], ["tone", "fr", ["friendly"]], ["loud", "", ["true", "false"]],
  ["size", "1", ["1", "10", "12"]], ["who", "", []], ["pet", "", ["own"]], ["nothing", "", []],
];

for (const kind of KINDS) {
  for (const transport of ["http", "stdio"]) {
    test(`${kind.kind}, ${transport}: arguments are checked, filled in and completed`, async () => {
      const client = await connect(kind, transport === "http" ? server.url : folder);
      const get = (args) => client.getPrompt({ name: "greet", arguments: args });
      for (const [args, seen] of TAKEN) assert.equal((await get(args)).messages[0].content.text, seen);
      for (const [args, wrong] of WRONG) {
        await assert.rejects(get(args), (error) => {
          assert.equal(error.code, -32602);
          assert.match(error.message, new RegExp(`validation failed on ${wrong.length} field`));
          assert.deepEqual(error.data.fields.map(({ field, code }) => `${field} ${code}`), wrong);
          return true;
        });
      }
      await assert.rejects(client.getPrompt({ name: "plain", arguments: { a: "b" } }), { code: -32602 });
      assert.equal((await client.getPrompt({ name: "plain" })).messages[0].content.text, "plain");
      for (const [name, value, values] of OFFERED) {
        const { completion } = await client.complete({ ref: { type: "ref/prompt", name: "greet" }, argument: { name, value } });
        assert.deepEqual(completion.values, values, name);
      }
      const [greet] = (await client.listPrompts()).prompts;
      const needed = greet.arguments.filter(({ required }) => required).map(({ name }) => name);
      assert.deepEqual(needed, ["who"], "what has a default can be left out");
      await client.close();
    });
  }
}
