// The graph over MCP, by the official clients: what is listed, what is read,
// what is refused, who is told. One test for each row of what is promised.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ask, connect as connectTo, failure, v1, v2 } from "../js/clients.mjs";
import { METAS } from "../js/metas.mjs";
import { assertVerdicts, env, serve } from "../js/server.mjs";

const APP = "test/apps/graph";
const TYPES = ["Grain", "Item", "Loose", "Person", "Special"];
const GRAINS = 1200;

const folder = mkdtempSync(join(tmpdir(), "trails-kg-"));
env.TRAILS_STORE = join(folder, "data");
let server;
let client;

const grain = (i) => `trails://graph/Grain/${String(i).padStart(5, "0")}`;

// 1,200 grains of which every 48th weighs 7, two items and their owner.
function data() {
  const lines = [
    '<trails://graph/Person/ann> a <trails://graph/Person> ; <trails://graph/Person#name> "Ann" .',
    '<trails://graph/Item/1> a <trails://graph/Item> ; <trails://graph/Item#title> "First" ;',
    '  <trails://graph/Item#state> "open" ; <trails://graph/Item#size> 5 ;',
    "  <trails://graph/Item#share> 5.0E-1 ; <trails://graph/Item#done> true ;",
    '  <trails://graph/Item#due> "2026-07-28T12:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> ;',
    "  <trails://graph/Item#owner> <trails://graph/Person/ann> .",
    "<http://other.example/s%20x> a <trails://graph/Special>, <trails://graph/Item> ;",
    '  <trails://graph/Item#title> "Elsewhere" ; <trails://graph/Item#state> "left open" .',
  ];
  lines.push('<trails://graph/Loose/free> a <trails://graph/Loose> ;',
    '  <http://www.w3.org/2000/01/rdf-schema#label> "Free" ; <http://other.example/p> 9007199254740993, 1.5 .');
  for (let i = 0; i < GRAINS; i++) {
    lines.push(`<${grain(i)}> a <trails://graph/Grain> ; <trails://graph/Grain#row> ${i} ;`);
    lines.push(`  <trails://graph/Grain#weight> ${i % 48 ? 1 : 7} .`);
  }
  return lines.join("\n");
}

before(async () => {
  writeFileSync(join(folder, "data.ttl"), data());
  const done = spawnSync("build/debug/trails", ["import", "--app", APP, join(folder, "data.ttl")], { env });
  assert.equal(done.status, 0, String(done.stderr));
  server = await serve(APP);
  client = await connect(v2, "http", "legacy");
});
after(async () => {
  await client.close();
  assert.equal(await server.stop(), 0, "the server ends cleanly");
  assertVerdicts();
  rmSync(folder, { recursive: true });
});

const connect = (sdk, transport, mode) => connectTo({ sdk, mode }, transport === "http" ? server.url : APP);

const read = async (uri) => (await client.readResource({ uri })).contents[0];
const body = async (uri) => JSON.parse((await read(uri)).text);
const call = async (name, args) =>
  JSON.parse((await client.callTool({ name, arguments: args })).content[0].text);

async function refused(uri, expected) {
  await assert.rejects(client.readResource({ uri }), (error) => {
    assert.equal(error.code, -32602, uri);
    assert.deepEqual(error.data, expected, uri);
    return true;
  });
}

// This client has one code for all revisions.
async function missing(uri) {
  await assert.rejects(client.readResource({ uri }), (error) => {
    assert.match(error.message, /Resource not found/, uri);
    assert.deepEqual(error.data, { uri });
    return true;
  });
}

test("one entry per type and none per instance", async () => {
  const { resources } = await client.listResources();
  const kg = resources.filter(({ uri }) => uri.startsWith("trails://kg/") && uri !== "trails://kg/types");
  assert.deepEqual(kg.map(({ uri }) => uri), TYPES.map((type) => `trails://kg/${type}`));
  for (const [i, type] of TYPES.entries()) {
    assert.equal(kg[i].mimeType, "application/json");
    assert.equal(kg[i].description, `List all ${type} instances.`);
  }
});

test("what watching a type costs is said once", () => {
  assert.ok(client.getInstructions().endsWith(
    "Watching the full type fires one notification per instance mutation. For types with >1000 " +
      "instances, subscribe to a specific <id> where possible.",
  ));
});

test("the built-in resources are listed and read with their MIME types", async () => {
  const { resources } = await client.listResources();
  const rows = {
    "trails://schema": "application/json",
    "trails://kg/types": "application/json",
    "trails://stats": "application/json",
    "trails://doctor": "application/json",
    "trails://prov/latest": "application/ld+json",
  };
  for (const [uri, mimeType] of Object.entries(rows)) {
    const listed = resources.filter((each) => each.uri === uri);
    assert.deepEqual(listed.map((each) => each.mimeType), [mimeType], uri);
    assert.ok(listed[0].description.length > 20, uri);
    assert.equal((await read(uri)).mimeType, mimeType, uri);
    await missing(`${uri}?x=1`);
    await missing(`${uri}/`);
  }
  const pages = resources.filter((each) => each.uri === "trails://prov"); // which takes a query
  assert.deepEqual(pages.map((each) => each.mimeType), ["application/ld+json"]);
  assert.equal(resources.length, TYPES.length + Object.keys(rows).length + 1, "and nothing else");
});

test("there is no way to write a resource", async () => {
  const { error } = await ask(server.url, "resources/write", { uri: "trails://kg/Item/1", text: "{}" });
  assert.equal(error.code, -32601);
});

// Typed clients drop what they do not know: this one reads the wire.
test("a type's entry says how its query is written, and so does its template", async () => {
  const { resources } = (await ask(server.url, "resources/list", {})).result;
  const { resourceTemplates } = await client.listResourceTemplates();
  for (const type of TYPES) {
    const list = `trails://kg/${type}{?where,limit,offset}`;
    assert.equal(resources.find(({ uri }) => uri === `trails://kg/${type}`).uriTemplate, list);
    const templates = resourceTemplates.filter(({ uriTemplate }) => uriTemplate.startsWith(`trails://kg/${type}`));
    assert.deepEqual(
      templates.map(({ uriTemplate, mimeType }) => [uriTemplate, mimeType]),
      [[`trails://kg/${type}/{id}`, "application/ld+json"], [list, "application/json"]],
    );
  }
});

test("trails://schema says what types there are", async () => {
  const { mimeType, text } = await read("trails://schema");
  assert.equal(mimeType, "application/json");
  const schema = JSON.parse(text);
  assert.deepEqual(Object.keys(schema.node_types), ["Item", "Special", "Person", "Grain", "Loose"]);
  assert.equal(schema.node_types.Item.iri, "trails://graph/Item");
  assert.deepEqual(schema.node_types.Item.fields.state, {
    iri: "trails://graph/Item#state",
    datatype: "xsd:string",
    required: false,
    many: false,
    constraints: { one_of: ["open", "closed", "left open"] },
  });
  assert.deepEqual(schema.node_types.Item.fields.owner, {
    iri: "trails://graph/Item#owner",
    datatype: "iri",
    node_type: "Person",
    required: false,
    many: false,
    constraints: {},
  });
  assert.equal(schema.node_types.Special.extends, "Item");
  assert.deepEqual(schema.node_types.Person.fields.name.constraints, { pattern: "^[A-Z]" });
  assert.ok(schema.shapes.includes("trails://graph/NamedOwners"));
});

test("trails://schema has every constraint in the words of the app", async () => {
  const { fields } = (await body("trails://schema")).node_types.Grain;
  assert.deepEqual(Object.keys(fields), ["weight", "row"]);
  assert.deepEqual(fields.weight, {
    iri: "trails://graph/Grain#weight", datatype: "xsd:integer", required: true, many: false, constraints: {},
  });
  const { Item, Special, Loose } = (await body("trails://schema")).node_types;
  const kinds = Object.values(Item.fields).map(({ datatype }) => datatype);
  assert.deepEqual(kinds, ["xsd:string", "xsd:string", "xsd:integer", "xsd:double", "xsd:boolean", "xsd:dateTime",
    "iri", "xsd:string"]);
  assert.equal(Item.fields.tags.many, true);
  assert.equal(Item.label, "title");
  assert.deepEqual(Object.keys(Special.fields), [...Object.keys(Item.fields), "reason"], "what it inherits, too");
  assert.equal(Special.fields.title.iri, "trails://graph/Item#title");
  assert.equal(Loose.fields.note.required, false);
});

test("trails://kg/types counts instances, those of subtypes with them", async () => {
  const before_ = await body("trails://kg/types");
  assert.deepEqual(before_.map((each) => Object.keys(each)), TYPES.map(() => ["type", "iri", "count"]));
  assert.deepEqual(before_.map(({ type }) => type).sort(), TYPES);
  for (const { type, iri } of before_) assert.equal(iri, `trails://graph/${type}`);
  const of = (counts, type) => counts.find((each) => each.type === type).count;
  assert.equal(of(before_, "Grain"), GRAINS);
  assert.equal(of(before_, "Loose"), 1);
  const { id } = await call("create", { title: "counted", type: "Special" });
  const more = await body("trails://kg/types");
  for (const type of ["Item", "Special"]) assert.equal(of(more, type), of(before_, type) + 1, type);
  await call("delete", { id });
  assert.deepEqual(await body("trails://kg/types"), before_);
});

test("trails://stats has its members", async () => {
  const stats = await body("trails://stats");
  assert.deepEqual(Object.keys(stats), ["triples", "graphs", "node_types", "capabilities",
    "meta_capabilities", "activities", "uptime_s", "exact"]);
  assert.ok(stats.triples >= 3 * GRAINS);
  assert.equal(stats.graphs, 1);
  assert.equal(stats.node_types, TYPES.length);
  assert.equal(stats.capabilities, 6);
  assert.equal(stats.meta_capabilities, METAS.length);
  assert.equal(stats.exact, true);
  for (const key of ["activities", "uptime_s"]) assert.ok(Number.isInteger(stats[key]) && stats[key] >= 0, key);
  const { id } = await call("create", { title: "counted" });
  const more = await body("trails://stats");
  assert.equal(more.triples, stats.triples + 2, "its type and its title");
  assert.ok(more.activities > stats.activities, "a write is an activity at once");
  await call("delete", { id });
});

test("trails://doctor says that all is well, check by check", async () => {
  const { status, checks } = await body("trails://doctor");
  assert.equal(status, "ok");
  for (const id of ["config.parse", "shapes.valid", "store.integrity", "mcp.schemas"]) {
    assert.equal(checks.find((check) => check.id === id)?.status, "ok", id);
  }
  for (const check of checks) {
    const { id, status: each, message, fix, ...rest } = check;
    assert.match(id, /^[a-z]+(\.[a-z]+)+$/);
    assert.match(each, /^(ok|warn|fail)$/);
    assert.ok(message.length > 0, id);
    assert.ok(fix === undefined || fix.length > 0, id);
    assert.deepEqual(rest, {});
  }
});

test("trails://prov/latest is JSON-LD of the newest 20 activities", async () => {
  for (let i = 0; i < 25; i++) {
    const { id } = await call("create", { title: `activity ${i}` });
    await call("delete", { id });
  }
  const latest = await body("trails://prov/latest");
  assert.ok(latest["@context"]);
  assert.equal(latest.activities.length, 20);
  const times = latest.activities.map(({ started }) => started);
  assert.deepEqual(times, [...times].sort().reverse(), "the newest first");
  const [deleted] = latest.activities.filter(({ name }) => name === "delete");
  assert.equal(deleted.outcome, "ok");
  assert.match(deleted.id, /^trails:\/\/prov\/|^urn:/);
  assert.match(deleted.trace_id, /^[0-9a-f]{32}$/);
});

test("a shape is SHACL in Turtle, by the name of a type or a shape, or by its IRI", async () => {
  const shape = await read("trails://shape/Person");
  assert.equal(shape.mimeType, "text/turtle");
  assert.match(shape.text, /<trails:\/\/graph\/Person> a sh:NodeShape/);
  assert.match(shape.text, /sh:pattern "\^\[A-Z\]"/);
  assert.equal((await read("trails://shape/trails%3A%2F%2Fgraph%2FPerson")).text, shape.text);
  assert.match((await read("trails://shape/NamedOwners")).text, /sh:targetClass <trails:\/\/graph\/Item>/);
  await missing("trails://shape/Nothing");
});

test("a list has 100 of {iri, label}, in one order, and at most 1000", async () => {
  const page = await read("trails://kg/Grain");
  assert.equal(page.mimeType, "application/json");
  const rows = JSON.parse(page.text);
  assert.deepEqual(rows, Array.from({ length: 100 }, (_, i) =>
    ({ iri: grain(i), label: String(i).padStart(5, "0") })));
  assert.equal(page._meta.total, GRAINS);
  assert.equal(page._meta.limit, 100);
  assert.equal(page._meta.offset, 0);
  const most = await read("trails://kg/Grain?limit=5000");
  assert.equal(JSON.parse(most.text).length, 1000);
  assert.equal(most._meta.limit, 1000);
  assert.deepEqual(await body("trails://kg/Grain?limit=0"), []);
  assert.deepEqual(await body("trails://kg/Item?limit=1&where=title=First"),
    [{ iri: "trails://graph/Item/1", label: "First" }]);
});

test("pages by offset and by `next` are the same, to the end", async () => {
  const all = [];
  let uri = "trails://kg/Grain?limit=500";
  for (let pages = 0; uri; pages++) {
    const page = await read(uri);
    assert.equal(page._meta.offset, all.length);
    assert.deepEqual(JSON.parse(page.text), await body(`trails://kg/Grain?limit=500&offset=${all.length}`));
    all.push(...JSON.parse(page.text).map(({ iri }) => iri));
    uri = page._meta.next;
  }
  assert.deepEqual(all, Array.from({ length: GRAINS }, (_, i) => grain(i)));
  assert.deepEqual(await body("trails://kg/Grain?offset=100000"), []);
  const heavy = await read("trails://kg/Grain?where=weight=7&limit=20");
  assert.equal(heavy._meta.total, 25);
  const rest = await read(heavy._meta.next);
  assert.equal(JSON.parse(rest.text).length, 5);
  assert.equal(rest._meta.next, undefined);
});

test("`next` is for one list, and cannot be made up", async () => {
  const { next } = (await read("trails://kg/Grain?where=weight=7&limit=2"))._meta;
  const expected = { field: "cursor", reason: "invalid_cursor", expected_datatype: null };
  await refused(next.replace("Grain", "Item").replace("weight%3D7", "size%3D7"), expected);
  await refused(next.replace("weight%3D7", "weight%3D1"), expected);
  await refused(next.replace("where=weight%3D7&", ""), expected);
  await refused("trails://kg/Grain?cursor=AAAA", expected);
  await refused(`${next}&offset=3`, { field: "offset", reason: "syntax", expected_datatype: null });
});

test("numbers that are none, and too deep ones, are refused", async () => {
  for (const field of ["limit", "offset"]) {
    for (const value of ["-1", "x", "1.5", "", "+1", "1e3", "%31"]) {
      await refused(`trails://kg/Grain?${field}=${value}`,
        { field, reason: "type_mismatch", expected_datatype: "xsd:integer" });
    }
    await refused(`trails://kg/Grain?${field}=1&${field}=2`,
      { field, reason: "syntax", expected_datatype: "xsd:integer" });
  }
  await assert.rejects(client.readResource({ uri: "trails://kg/Grain?offset=100001" }), (error) => {
    assert.equal(error.data.reason, "offset_too_deep");
    assert.match(error.message, /where.*next/);
    return true;
  });
});

test("every other filter is refused with its reason", async () => {
  const rows = [
    ["where=size=x", "size", "type_mismatch", "xsd:integer"],
    ["where=size=1.0", "size", "type_mismatch", "xsd:integer"],
    ["where=share=much", "share", "type_mismatch", "xsd:double"],
    ["where=done=yes", "done", "type_mismatch", "xsd:boolean"],
    ["where=due=today", "due", "type_mismatch", "xsd:dateTime"],
    ["where=owner=ann", "owner", "type_mismatch", "iri"],
    ["where=nothing=1", "nothing", "unknown_field", null],
    ["where=tags=a", "tags", "not_scalar", "xsd:string"],
    ["where=", "where", "syntax", null],
    ["where=title", "where", "syntax", null],
    ["where==1", "where", "syntax", null],
    ["where=owner.name=Ann", "where", "syntax", null],
    ["where=title=%zz", "where", "syntax", null],
    ["what=1", "what", "syntax", null],
    ["where=size>5", "where", "unsupported_operator", null],
    ["where=size>=5", "where", "unsupported_operator", null],
    ["where=size!=5", "where", "unsupported_operator", null],
    ["where=size=5&where=done=true", "where", "multiple_clauses", null],
    ['where=title=a"b', "title", "illegal_character", "xsd:string"],
    ["where=title=a%22b", "title", "illegal_character", "xsd:string"],
    ["where=title=a%00b", "title", "illegal_character", "xsd:string"],
    ["where=title=a\\b", "title", "illegal_character", "xsd:string"],
    ["where=title=a%5cb", "title", "illegal_character", "xsd:string"],
    ["where=title=a\nb", "title", "illegal_character", "xsd:string"],
    ["where=title=a%0Ab", "title", "illegal_character", "xsd:string"],
    ["where=title=a\rb", "title", "illegal_character", "xsd:string"],
    ["where=title=a%0db", "title", "illegal_character", "xsd:string"],
    ["where=size<5", "where", "unsupported_operator", null],
    ["where=size<=5", "where", "unsupported_operator", null],
    ["where=size=5 AND done=true", "size", "type_mismatch", "xsd:integer"],
    ["where=size=5%26done=true", "size", "type_mismatch", "xsd:integer"],
    ["where=title=%ff", "title", "illegal_character", "xsd:string"],
  ];
  for (const [query, field, reason, expected_datatype] of rows) {
    await refused(`trails://kg/Item?${query}`, { field, reason, expected_datatype });
  }
  await refused("trails://kg/Item?where=titel=a",
    { field: "titel", reason: "unknown_field", expected_datatype: null, hint: "title" });
});

test("an ill-typed value is told in words, too", async () => {
  const error = await failure(client.readResource({ uri: "trails://kg/Item?where=size=x" }));
  assert.match(error.message, /invalid filter value for size/);
});

test("a filter's value is taken literally, whatever it looks like", async () => {
  for (const title of ["5 OR 1=1", "a=b=c", "' OR ''='", "%", "_*?", "x; DROP TABLE quad", "} UNION {", "ä😀", "+", " "]) {
    const { id } = await call("create", { title });
    const uri = `trails://kg/Item?where=title=${encodeURIComponent(title)}`;
    assert.deepEqual(await body(uri), [{ iri: id, label: title }], title);
    await call("delete", { id });
    assert.deepEqual(await body(uri), [], title);
  }
});

test("a filter finds what a capability finds, raw and percent-encoded", async () => {
  const { ids } = await call("where", { state: "left open" });
  assert.equal(ids.length, 1);
  for (const query of ["where=state=left open", "where=state%3Dleft%20open", "where=state=left%20open"]) {
    assert.deepEqual((await body(`trails://kg/Item?${query}`)).map(({ iri }) => iri), ids);
  }
  for (const query of ["size=5", "size=005", "size=%2B5", "share=0.5", "share=5e-1", "done=true", "done=1",
    "due=2026-07-28T12:00:00Z", "owner=trails://graph/Person/ann"]) {
    assert.deepEqual((await body(`trails://kg/Item?where=${query}`)).map(({ label }) => label), ["First"], query);
  }
});

test("an instance is JSON-LD by predicate IRI", async () => {
  const one = await read("trails://kg/Item/1");
  assert.equal(one.mimeType, "application/ld+json");
  assert.deepEqual(JSON.parse(one.text), {
    "@id": "trails://graph/Item/1",
    "@type": "trails://graph/Item",
    "trails://graph/Item#title": "First",
    "trails://graph/Item#state": "open",
    "trails://graph/Item#size": 5,
    "trails://graph/Item#share": { "@value": "5.0E-1", "@type": "http://www.w3.org/2001/XMLSchema#double" },
    "trails://graph/Item#done": true,
    "trails://graph/Item#due":
      { "@value": "2026-07-28T12:00:00Z", "@type": "http://www.w3.org/2001/XMLSchema#dateTime" },
    "trails://graph/Item#owner": { "@id": "trails://graph/Person/ann" },
    "trails://graph/Item#tags": [],
  });
  assert.equal((await read("trails://kg/Item/trails%3A%2F%2Fgraph%2FItem%2F1")).text, one.text);
  const other = await body(`trails://kg/Item/${encodeURIComponent("http://other.example/s%20x")}`);
  assert.deepEqual(other, {
    "@id": "http://other.example/s%20x",
    "@type": ["trails://graph/Special", "trails://graph/Item"],
    "trails://graph/Item#title": "Elsewhere",
    "trails://graph/Item#state": "left open",
    "trails://graph/Item#tags": [],
  }, "what is absent is left out");
  const free = await body("trails://kg/Loose/free");
  assert.deepEqual(new Set(free["http://other.example/p"].map((each) => JSON.stringify(each))), new Set([
    '{"@value":"9007199254740993","@type":"http://www.w3.org/2001/XMLSchema#integer"}',
    '{"@value":"1.5","@type":"http://www.w3.org/2001/XMLSchema#decimal"}',
  ]), "what a JSON number would not hold says its type");
});

test("a label is the type's field, else rdfs:label, else the end of the IRI", async () => {
  assert.deepEqual(await body("trails://kg/Person"), [{ iri: "trails://graph/Person/ann", label: "Ann" }]);
  assert.deepEqual(await body("trails://kg/Loose"), [{ iri: "trails://graph/Loose/free", label: "Free" }]);
  assert.deepEqual(await body("trails://kg/Grain?limit=1"), [{ iri: grain(0), label: "00000" }]);
});

test("the order is that of creation, and stays", async () => {
  const made = [];
  for (const title of ["c", "a", "b"]) made.push((await call("create", { title, type: "Special" })).id);
  const listed = async () => (await body("trails://kg/Special?limit=1000")).map(({ iri }) => iri);
  assert.deepEqual((await listed()).filter((iri) => made.includes(iri)), made);
  const before_ = await listed();
  await call("change", { id: made[0], title: "z" });
  assert.deepEqual(await listed(), before_, "a change moves nothing");
  await call("delete", { id: made[1] });
  assert.deepEqual(await listed(), before_.filter((iri) => iri !== made[1]));
  for (const id of [made[0], made[2]]) await call("delete", { id });
});

test("what is not there is not found", async () => {
  for (const uri of ["trails://kg/Nothing", "trails://kg/Nothing/1", "trails://kg/Item/nobody",
    "trails://kg/Person/1", "trails://kg/Item/1/2", "trails://kg/item", "trails://kg/"]) {
    await missing(uri);
  }
  const made = await connect(v1, "http");
  await assert.rejects(made.readResource({ uri: "trails://kg/Nothing" }), { code: -32002 });
  await made.close();
});

test("completions: ids, fields and what a field may be", async () => {
  const complete = async (uri, name, value) =>
    (await client.complete({ ref: { type: "ref/resource", uri }, argument: { name, value } })).completion;
  const list = "trails://kg/Item{?where,limit,offset}";
  const item = "trails://kg/Item/{id}";
  assert.deepEqual((await complete(list, "where", "")).values,
    ["title=", "state=", "size=", "share=", "done=", "due=", "owner="]);
  assert.deepEqual((await complete(list, "where", "s")).values, ["state=", "size=", "share="]);
  assert.deepEqual((await complete(list, "where", "state=")).values,
    ["state=open", "state=closed", "state=left open"]);
  assert.deepEqual((await complete(list, "where", "done=f")).values, ["done=false"]);
  assert.deepEqual((await complete(list, "where", "tags=")).values, []);
  assert.deepEqual((await complete(item, "id", "1")).values, ["1"]);
  assert.deepEqual((await complete(item, "id", "http://other")).values, ["http://other.example/s%20x"]);
  const grains = await complete("trails://kg/Grain/{id}", "id", "");
  assert.equal(grains.values.length, 100);
  assert.equal(grains.hasMore, true);
  assert.deepEqual((await complete("trails://kg/Grain/{id}", "id", "0119")).values.length, 10);
});

// Who watches, in each era and over each transport ----------------------------

const NEVER = ["trails://kg/Item?where=state=open", "trails://kg/Item?limit=5", "trails://kg/Nothing",
  "trails://kg/Nothing/1", "trails://kg/Item/trails%3A%2F%2Fgraph%2FItem%2F1", "trails://kg/Item/", "trails://no"];

// Changes are told after the calls that made them have ended, in their order: when
// a tick is heard, so is all that was before it.
const TICK = "trails://kg/Loose";

function listenTo(made, sdk, mode) {
  const heard = [];
  let ticks = 0;
  const hear = ({ params }) => (params.uri === TICK ? ticks++ : heard.push(params.uri));
  if (sdk === v1) made.setNotificationHandler(v1.ResourceUpdatedNotificationSchema, hear);
  else made.setNotificationHandler("notifications/resources/updated", hear);
  const settle = async () => {
    ticks = 0;
    await made.callTool({ name: "tick" });
    while (ticks === 0) await made.listTools();
  };
  const watch = async (uris) => {
    const all = [...uris, TICK];
    if (mode === "auto") await made.listen({ resourceSubscriptions: all });
    else for (const uri of all) await made.subscribeResource({ uri });
    await settle();
    heard.length = 0;
  };
  return { heard, watch, settle };
}

const text = (result) => JSON.parse(result.content[0].text);

async function heardOf(made, heard, uris) {
  while (!uris.every((uri) => heard.includes(uri))) await made.listTools();
}

for (const [name, sdk, mode] of [["v1", v1], ["v2 legacy", v2, "legacy"], ["v2 modern", v2, "auto"]]) {
  for (const transport of ["http", "stdio"]) {
    test(`${name}, ${transport}: types and instances can be watched, filters cannot`, async () => {
      const made = await connect(sdk, transport, mode);
      const { heard, watch, settle } = listenTo(made, sdk, mode);
      for (const uri of NEVER) await assert.rejects(watch([uri]), { code: -32602 }, uri);

      const run = async (tool, args) => text(await made.callTool({ name: tool, arguments: args }));
      const { id } = await run("create", { title: "watched", type: "Special" });
      const own = `trails://kg/Special/${id.split("/").at(-1)}`;
      const above = `trails://kg/Item/${encodeURIComponent(id)}`;
      const all = [own, above, "trails://kg/Special", "trails://kg/Item"];
      await watch(all);
      for (const [tool, args] of [["change", { id, title: "changed" }], ["delete", { id }]]) {
        heard.length = 0;
        await run(tool, args);
        await settle();
        assert.deepEqual([...heard].sort(), [...all].sort(), `${tool}: each once`);
      }
      await made.close();
    });
  }
}

test("what another process does is told, too", async () => {
  const made = await connect(v2, "http", "auto");
  const { heard, watch } = listenTo(made, v2, "auto");
  await watch(["trails://kg/Person", "trails://kg/Person/bob"]);
  writeFileSync(join(folder, "bob.ttl"),
    '<trails://graph/Person/bob> a <trails://graph/Person> ; <trails://graph/Person#name> "Bob" .');
  const done = spawnSync("build/debug/trails", ["import", "--app", APP, join(folder, "bob.ttl")], { env });
  assert.equal(done.status, 0, String(done.stderr));
  await heardOf(made, heard, ["trails://kg/Person", "trails://kg/Person/bob"]);
  await made.close();
});

for (const [name, sdk, mode] of [["v1", v1], ["v2 legacy", v2, "legacy"], ["v2 modern", v2, "auto"]]) {
  test(`${name}: what is told has landed, a creation too, and what fails is not told`, async () => {
    const watcher = await connect(sdk, "http", mode);
    const { heard, watch } = listenTo(watcher, sdk, mode);
    await watch(["trails://kg/Special", "trails://kg/Item"]);
    await assert.rejects(client.callTool({ name: "fail_late", arguments: {} }), { code: -32602 });
    const { id: plain } = await call("create", { title: "plain" });
    await heardOf(watcher, heard, ["trails://kg/Item"]);
    assert.deepEqual(heard, ["trails://kg/Item"], "what has failed is not told: it was of both types");
    heard.length = 0;
    const { id } = await call("create", { title: "told", type: "Special" });
    await heardOf(watcher, heard, ["trails://kg/Special"]);
    const { contents } = await watcher.readResource({ uri: "trails://kg/Special?limit=1000" });
    assert.ok(JSON.parse(contents[0].text).some(({ iri }) => iri === id), "a reader finds what it was told of");
    await heardOf(watcher, heard, ["trails://kg/Item"]);
    assert.deepEqual([...heard].sort(), ["trails://kg/Item", "trails://kg/Special"], "each once");
    await watcher.close();
    for (const each of [plain, id]) await call("delete", { id: each });
  });
}

for (const [name, sdk, mode] of [["v1", v1], ["v2 legacy", v2, "legacy"]]) {
  test(`${name}: who has unsubscribed is not told`, async () => {
    const watcher = await connect(sdk, "http", mode);
    const { heard, watch } = listenTo(watcher, sdk, mode);
    await watch(["trails://kg/Special", "trails://kg/Item"]);
    await watcher.unsubscribeResource({ uri: "trails://kg/Special" });
    const { id } = await call("create", { title: "quiet", type: "Special" });
    await heardOf(watcher, heard, ["trails://kg/Item"]);
    await call("delete", { id });
    while (heard.length < 2) await watcher.listTools();
    assert.deepEqual(heard, ["trails://kg/Item", "trails://kg/Item"]);
    await watcher.close();
  });
}
