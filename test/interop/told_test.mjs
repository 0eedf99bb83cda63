// What shapes beside a type ask of its instances is told with the type: a client
// that keeps to the schema is not refused.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { KINDS, connect, failure } from "../js/clients.mjs";
import { assertVerdicts, serve } from "../js/server.mjs";

const folder = mkdtempSync(join(tmpdir(), "trails-told-"));
let server;
let client;

before(async () => {
  writeFileSync(join(folder, "trails.toml"), '[project]\nname = "told"\n');
  writeFileSync(join(folder, "app.lua"), `
node_type "Base" { fields = { owner = text { optional = true } } }
node_type "Sub" { extends = "Base", tools = { "create", "update", "find" }, description = "A sub.", fields = {
  body = text { optional = true }, state = text { one_of = { "a", "b", "c" }, default = "c" }, size = integer { min_value = 0 },
  tags = text { many = true, optional = true }, code = text { default = "x" }, steps = text { list = true, optional = true }, prices = decimal { list = true, optional = true },
  box = object "Box" { optional = true, fields = { width = integer } }, price = decimal { digits = 6, scale = 2, optional = true }, from = integer { optional = true }, till = integer { optional = true } } }
shape "Extra" { target = "Sub", fields = { body = text { min_length = 3, max_length = 9 }, price = decimal { optional = true },
  steps = text { list = true, min_count = 2, max_count = 4, one_of = { "in", "out" } } } }
shape_file "shapes.ttl"
capability "take" { description = "Takes one.", input = "Sub", side_effects = {}, run = function(ctx, args) return "taken" end }
`);
  writeFileSync(join(folder, "shapes.ttl"), `
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix b: <trails://told/Base#> .
@prefix s: <trails://told/Sub#> .
<urn:base> a sh:NodeShape ; sh:targetClass <trails://told/Base> ; sh:property [ sh:path b:owner ; sh:minCount 1 ; sh:pattern "^[A-Z]" ] .
<urn:sub> a sh:NodeShape ; sh:targetClass <trails://told/Sub> ; sh:node <urn:inner> ;
  sh:property [ sh:path s:state ; sh:in ( "a" "b" "z" ) ] , [ sh:path s:size ; sh:maxInclusive 7 ; sh:minInclusive -3 ] ,
    [ sh:path s:from ; sh:lessThan s:till ] , [ sh:path s:code ; sh:pattern "^[0-9]" ] ; sh:not [ sh:path s:size ; sh:hasValue 5 ] ;
  sh:property [ sh:path ( s:prices [ sh:zeroOrMorePath rdf:rest ] rdf:first ) ; sh:minCount 1 ; sh:minInclusive 1.5 ; sh:maxCount 3 ] ,
    [ sh:path s:prices ; sh:disjoint s:box ] , [ sh:path s:box ; sh:minCount 1 ; sh:node [ sh:property [ sh:path <trails://told/Box#width> ; sh:minInclusive 3 ] ] ] .
<urn:inner> a sh:NodeShape ; sh:property [ sh:path s:tags ; sh:minCount 2 ; sh:maxCount 3 ] .
<urn:off> a sh:NodeShape ; sh:deactivated true ; sh:targetClass <trails://told/Sub> ; sh:property [ sh:path s:size ; sh:maxInclusive 1 ] .
<urn:other> a sh:NodeShape ; sh:targetClass <trails://told/Nothing> ; sh:property [ sh:path s:size ; sh:maxInclusive 1 ] .
`);
  server = await serve(folder);
  client = await connect(KINDS[2], server.url);
});
after(async () => {
  await client.close();
  assert.equal(await server.stop(), 0, "the server ends cleanly");
  assertVerdicts();
  rmSync(folder, { recursive: true });
});

test("in the input of tools, and of what takes a type", async () => {
  const { tools } = await client.listTools();
  const input = (name) => tools.find((tool) => tool.name === name).inputSchema;
  for (const name of ["create_sub", "update_sub", "take"]) {
    const { properties, description } = input(name);
    assert.equal(properties.owner.pattern, "^[A-Z]", name);
    assert.deepEqual([properties.body.minLength, properties.body.maxLength], [3, 9]);
    assert.deepEqual(properties.state.enum, ["a", "b"]);
    assert.deepEqual([properties.size.minimum, properties.size.maximum], [0, 7]);
    assert.deepEqual([properties.tags.minItems, properties.tags.maxItems], [2, 3]);
    const { items, minItems, maxItems } = properties.steps;
    assert.deepEqual([items.enum, minItems, maxItems, properties.steps.description], [["in", "out"], 2, 4, undefined]);
    assert.deepEqual([properties.prices.minItems, properties.prices.description], [1, "Also asked for: sh:maxCount, sh:disjoint. At least 1.5."]);
    assert.equal(properties.box.description, "Also asked for: sh:node.");
    assert.equal(properties.price.description, undefined, "the pattern of its digits says that of its kind");
    assert.equal(properties.from.description, "Also asked for: sh:lessThan.");
    assert.match(description, /Also asked for: sh:not\.$/);
  }
  // The defaults are none of the choices any more, and do not match.
  assert.deepEqual(input("create_sub").required.sort(), ["body", "box", "code", "owner", "prices", "size", "state", "steps", "tags"]);
});

test("in trails://schema and trails://shape", async () => {
  const read = async (uri) => (await client.readResource({ uri })).contents[0].text;
  const { Sub } = JSON.parse(await read("trails://schema")).node_types;
  assert.equal(Sub.fields.owner.required, true);
  assert.deepEqual(Sub.fields.body.constraints, { min_length: 3, max_length: 9 });
  assert.deepEqual(Sub.fields.state.constraints.one_of, ["a", "b"]);
  assert.equal(Sub.description, "A sub. Also asked for: sh:not.");
  const shape = await read("trails://shape/Sub");
  for (const name of ["urn:base", "urn:sub", "trails://told/Extra"]) assert.ok(shape.includes(`<${name}>`), `${name}\n${shape}`);
  assert.ok(!shape.includes("urn:other"));
});

test("who keeps to it is not refused, who does not is told which field", async () => {
  const good = { owner: "Ann", body: "text", state: "a", size: 7, tags: ["x", "y"], code: "1",
    steps: ["in", "out", "in"], prices: ["1.5", "1.5"], box: { width: 3 } };
  const made = await client.callTool({ name: "create_sub", arguments: good });
  assert.equal(made.structuredContent.owner, "Ann");
  for (const [change, code] of [
    [{ owner: "ann" }, "owner pattern"], [{ body: "no" }, "body min_length"], [{ state: "c" }, "state one_of"],
    [{ size: 8 }, "size max_value"], [{ tags: ["x"] }, "tags min_count"], [{ owner: undefined }, "owner required"],
    [{ steps: ["in"] }, "steps min_count"], [{ steps: ["in", "up"] }, "steps one_of"], [{ prices: ["1.5", "1"] }, "prices min_value"],
    [{ box: { width: 2 } }, "box node"], [{ box: undefined }, "box required"],
  ]) {
    const error = await failure(client.callTool({ name: "create_sub", arguments: { ...good, ...change } }));
    assert.equal(error.code, -32602);
    assert.deepEqual(error.data.fields.map((item) => `${item.field} ${item.code}`), [code]);
  }
  const error = await failure(client.callTool({ name: "create_sub", arguments: { ...good, size: 5 } }));
  assert.equal(error.code, -32602, "what only the graph can say");
});
