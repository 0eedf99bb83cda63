// What is hidden is not there: an app with private types and fields with a
// scope answers a caller without that scope, at every door, with the same bytes
// as an app that never declared them and a store that never had them.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { v1 } from "../js/clients.mjs";
import { assertVerdicts, env, serveWith } from "../js/server.mjs";

const MODERN = "2026-07-28";
const LEGACY = "2025-11-25";
const folder = mkdtempSync(join(tmpdir(), "trails-hidden-"));

// The app, with what is hidden and without ------------------------------------

const all = (hidden) => (with_, without = "") => (hidden ? with_ : without);

function source(hidden) {
  const h = all(hidden);
  return `
node_type "Note" { label = "title", tools = { "create", "update", "delete", "find" }, unique = { "title" },
  description = "Written down.",
  fields = {
    { "title", text { search = true, max_length = 60 } },
    ${h('{ "mood", text { scope = "builder", optional = true, search = true, one_of = { "glad", "sad" } } },')}
    { "body", text { optional = true } },
    { "keeper", ${h('ref "Vault"', "ref()")} { optional = true } },
    { "next", ref "Note" { optional = true } },
    { "score", integer { optional = true } },
    ${h('{ "wishes", text { scope = "builder", many = true, optional = true } },')}
    ${h('{ "rankle", integer { scope = "builder", default = 0 } },')}
    ${h(`{ "grudge", object "Grudge" { scope = "builder", optional = true, fields = {
      { "venom", text }, { "against", ref "Vault" { optional = true } } } } },`)}
    ${h('{ "ladder", text { scope = "builder", list = true, optional = true } },')}
    { "berth", object "Berth" { optional = true, fields = { { "pier", text },
      { "lock", ${h('ref "Vault"', "ref()")} { optional = true } } } } },
  } }
node_type "Memo" { extends = "Note", fields = { tag = text { optional = true } ${h(', mooring = text { scope = "dev", optional = true }')} } }
${h('node_type "Secret" { extends = "Note", private = true, fields = { pincode = text { optional = true } } }')}
${h('node_type "Deep" { extends = "Secret", ids = "preserve", fields = {} }')}
${h('node_type "Vault" { private = true, fields = { name = text, of = ref "Note" } }')}
node_type "Staff" { ${h('label = "codeword",')} tools = { "create", "find" },
  ${h('unique = { { "name", "payroll" } },')}
  fields = { name = text ${h(', codeword = text { scope = "builder", default = "none" }, payroll = integer { scope = "builder", optional = true }')} } }
shape "Checked" { target = "Note", fields = { title = text { min_length = 2 } ${h(', mood = text { optional = true, max_length = 9 }')} } }
${h('shape "Locked" { target = "Secret", fields = { pincode = text { optional = true, pattern = "^[0-9]+$" } } }')}
shape_file "shapes.ttl"
capability "peek" { description = "Looks.", input = { what = ${h('ref "Vault"', "ref()")} }, output = { what = ${h('ref "Secret" ', 'ref "Note" ')} },
  side_effects = {}, run = function(ctx, args) return { what = args.what } end }
capability "take" { description = "Takes a note.", input = "Note", side_effects = {}, run = function(ctx, args) return args end }
capability "work" { description = "Works.", input = { how = text }, side_effects = { graph_writes = { "default" } },
  run = function(ctx, args)
    ${h(`
    local kg = ctx.kg
    if args.how == "private" then kg:update("trails://hid/Secret/s1", { body = "again" })
    elseif args.how == "read" then return tostring(kg:get("trails://hid/Secret/s1").pincode)
    elseif args.how == "invalid" then kg:create("Vault", { name = 5 })
    elseif args.how == "shape" then kg:create("Secret", { title = "Shaped", pincode = "letters" })
    elseif args.how == "hidden" then kg:create("Note", { title = "Moody", mood = "grim" })
    elseif args.how == "both" then kg:create("Note", { title = 5, mood = "grim" })
    elseif args.how == "taken" then kg:create("Deep", { title = "Deeper" }, { id = "urn:deep:1" })
    elseif args.how == "caught" then
      local ok, e = pcall(kg.create, kg, "Note", { title = "Moody", mood = "grim" })
      return e.data.fields[1].field
    end`)}
    return args.how
  end }
capability "gate" { description = "Gates.", input = { who = text }, side_effects = {},
  ${h('preconditions = { { kind = "state", params = { arg = "who", type = "Staff", field = "codeword", one_of = { "open" } } } },')}
  run = function() return "through" end }
resource "test://own" { name = "own", run = function() return "own" end }
prompt "hail" { description = "Hails.", arguments = { who = text {} }, run = function(_, args) return args.who end }
`;
}

const NOTE = "trails://hid/Note";
const shapes = (hidden) => `
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix ex: <http://example.org/> .
ex:Scored a sh:NodeShape ; sh:targetClass <${NOTE}> ; sh:property [ sh:path <${NOTE}#score> ; sh:maxInclusive 100 ] .
${all(hidden)(`
ex:Pinned a sh:NodeShape ; sh:targetClass <trails://hid/Secret> ; sh:property [ sh:path <${NOTE}#score> ; sh:maxInclusive 50 ] .
ex:Mooded a sh:NodeShape ; sh:targetClass <${NOTE}> ; sh:property [ sh:path <${NOTE}#mood> ; sh:maxLength 8 ] .
ex:Named a sh:NodeShape ; sh:node ex:Mooded ; sh:targetClass <${NOTE}> .`)}
`;

// The same visible nodes; private ones stand between them.
function data(hidden) {
  const h = all(hidden);
  const lines = [];
  if (hidden) {
    lines.push('<trails://hid/Vault/v1> a <trails://hid/Vault> ; <trails://hid/Vault#name> "s3cr3t vault" .');
    lines.push(`<urn:deep:1> a <trails://hid/Deep>, <trails://hid/Secret>, <${NOTE}> ; <${NOTE}#title> "Deep" ; <${NOTE}#rankle> 3 .`);
  }
  for (let i = 0; i < 30; i++) {
    lines.push(`<trails://hid/Note/n${i}> a <${NOTE}> ; <${NOTE}#title> "Note ${i}" ; <${NOTE}#score> ${i % 3} ;`);
    lines.push(`  <${NOTE}#keeper> <trails://hid/Vault/v1> ; <${NOTE}#next> <trails://hid/Note/n${(i + 1) % 30}> ${h(`; <${NOTE}#rankle> ${i} ; <${NOTE}#mood> "glad" ; <${NOTE}#ladder> ("s3cr3t rung")`)} ;`);
    lines.push(`  <${NOTE}#berth> <trails://hid/Note/n${i}#berth> . <trails://hid/Note/n${i}#berth> <trails://hid/Berth#pier> "P${i}" .`);
    lines.push(h(`<trails://hid/Note/n${i}> <${NOTE}#grudge> <trails://hid/Note/n${i}#grudge> . <trails://hid/Note/n${i}#grudge> <trails://hid/Grudge#venom> "s3cr3t" .`));
    if (!hidden) continue;
    lines.push(`<trails://hid/Secret/s${i}> a <trails://hid/Secret>, <${NOTE}> ; <${NOTE}#title> "s3cr3t ${i}" ;`);
    lines.push(`  <${NOTE}#score> ${i % 3} ; <${NOTE}#rankle> 1 ; <trails://hid/Secret#pincode> "1234" .`);
  }
  lines.push(`<trails://hid/Memo/m0> a <trails://hid/Memo>, <${NOTE}> ; <${NOTE}#title> "Memo" ; <trails://hid/Memo#tag> "x" ${h(`; <${NOTE}#rankle> 1 ; <trails://hid/Memo#mooring> "s3cr3t"`)} .`);
  // A list is in the order in which the store met its nodes, wherever that was.
  if (hidden) lines.push("<trails://hid/Vault/v1> <trails://hid/Vault#of> <trails://hid/Memo/m0> .");
  for (let i = 0; i < 3; i++)
    lines.push(`<trails://hid/Staff/p${i}> a <trails://hid/Staff> ; <trails://hid/Staff#name> "Ann ${i}" ${h(`; <trails://hid/Staff#codeword> "s3cr3t ${i}" ; <trails://hid/Staff#payroll> ${i}`)} .`);
  return lines.join("\n");
}

// Callers ---------------------------------------------------------------------

async function start(hidden) {
  const app = join(folder, hidden ? "with" : "without");
  const own = { ...env, TRAILS_STORE: join(app, "data"), TRAILS_MCP_SCOPES: "runtime,builder" };
  mkdirSync(app);
  writeFileSync(join(app, "app.lua"), source(hidden));
  writeFileSync(join(app, "trails.toml"), '[project]\nname = "hid"\n');
  writeFileSync(join(app, "shapes.ttl"), shapes(hidden));
  writeFileSync(join(app, "data.ttl"), data(hidden));
  const done = spawnSync("build/debug/trails", ["import", "--app", app, join(app, "data.ttl")], { env: own });
  assert.equal(done.status, 0, String(done.stderr));
  const token = (scopes) =>
    JSON.parse(
      execFileSync("build/debug/trails", ["token", "create", "--app", app, "--json", "--scope", scopes, "--name", scopes.replace(",", "-")], {
        env: own,
        encoding: "utf8",
      }),
    ).token;
  const tokens = { runtime: token("runtime"), builder: token("runtime,builder") };
  return { ...(await serveWith(own, app)), tokens, app, own };
}

async function answerOf(response) {
  const text = await response.text();
  if (!text.startsWith("event:") && !text.startsWith("data:") && !text.startsWith("id:")) return text;
  const lines = text.split("\n").filter((line) => line.startsWith("data: {"));
  return lines.at(-1).slice(6);
}

// A way to ask one server in one era; answers are texts.
async function open(server, scope, era) {
  const base = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    authorization: `Bearer ${server.tokens[scope]}`,
    "mcp-protocol-version": era,
  };
  const post = (headers, message) =>
    fetch(server.url, { method: "POST", headers: { ...base, ...headers }, body: JSON.stringify({ jsonrpc: "2.0", ...message }) });
  if (era === MODERN)
    return async (method, params) => {
      const name = params.name ?? params.uri;
      const meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      };
      const headers = { "mcp-method": method, ...(name ? { "mcp-name": name } : {}) };
      return answerOf(await post(headers, { id: 1, method, params: { ...params, _meta: meta } }));
    };
  const params = { protocolVersion: era, capabilities: {}, clientInfo: { name: "test", version: "1" } };
  const first = await post({}, { id: 0, method: "initialize", params });
  const session = { "mcp-session-id": first.headers.get("mcp-session-id") };
  await first.text();
  await (await post(session, { method: "notifications/initialized" })).text();
  return async (method, params) => answerOf(await post(session, { id: 1, method, params }));
}

// What differs between two runs of the same: ids, times, cursors, how long.
const same = (text) =>
  text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, "UUID")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replace(/cursor=[\w-]+/g, "CURSOR")
    .replace(/(\\"next\\":\\"|"next":")[\w-]{40,}/g, "$1CURSOR")
    .replace(/(activities\\?":|uptime_s\\?":|latency_ms\\?":|instructions\\?":|cpu_ms\\?":)[\d.e+-]+/g, "$1N")
    // How many were called is written once a second.
    .replace(/(calls\.estimates\\",\\"status\\":\\"ok\\",\\"message\\":\\")[^\\]*/g, "$1CALLS")
    .replace(/[0-9a-f]{32}/g, "TRACE");

let secret;
let plain;
before(async () => {
  secret = await start(true);
  plain = await start(false);
});
after(async () => {
  const codes = [await secret?.stop(), await plain?.stop()];
  rmSync(folder, { recursive: true });
  assert.deepEqual(codes, [0, 0]);
  assertVerdicts();
});

// Every door, from what is registered -----------------------------------------

const TYPES = ["Note", "Memo", "Staff", "Secret", "Deep", "Vault", "Secre", "Not"];
const FIELDS = ["title", "grudge", "venom", "ladder", "berth", "pier", "mood", "moo", "mooring", "body", "keeper", "next", "score", "rankle", "rankl", "wishes", "tag", "name",
  "codeword", "codewor", "payroll", "pincode", "pincod"];
const IDS = ["n0", "n7", "m0", "p1", "s1", "v1", "none", "urn:deep:1", "trails://hid/Secret/s1", "trails://hid/Note/n1",
  "trails://hid/Vault/v1", "trails://hid/Note/n1#grudge", "trails://hid/Note/n1#berth"];
const VALUES = { score: "1", rankle: "1", payroll: "1", keeper: "trails://hid/Vault/v1", next: "trails://hid/Secret/s1", name: "Ann 1", title: "Note 3", mood: "glad" };
const NAMES = [...TYPES, "Checked", "Locked", ...["Scored", "Pinned", "Mooded", "Named"].map((name) => `http://example.org/${name}`),
  "trails://hid/Secret", NOTE];

async function list(ask, method, key) {
  return JSON.parse(await ask(method, {})).result[key];
}

// URIs of a template, with everything that could stand in it.
function expand(template) {
  const uris = [];
  if (template.includes("{id}")) for (const id of IDS) uris.push(template.replace("{id}", encodeURIComponent(id)));
  else if (template.includes("{name}")) for (const name of NAMES) uris.push(template.replace("{name}", encodeURIComponent(name)));
  else if (template.includes("{?where")) {
    const base = template.replace(/\{.*/, "");
    uris.push(`${base}?where=title=s3cr3t%201`);
    for (const field of FIELDS) {
      uris.push(`${base}?where=${field}=${encodeURIComponent(VALUES[field] ?? "x")}&limit=3`);
      uris.push(`${base}?where=${field}=%22`, `${base}?where=${field}%3C1`);
    }
    for (const query of ["limit=0", "limit=2", "limit=2&offset=5", "offset=25", "offset=40", "order=mood", "order=title"])
      uris.push(`${base}?${query}`);
  }
  return uris;
}

async function requests(ask) {
  const out = [];
  for (const method of ["resources/list", "resources/templates/list", "tools/list", "prompts/list"]) out.push([method, {}]);
  const resources = await list(ask, "resources/list", "resources");
  const templates = await list(ask, "resources/templates/list", "resourceTemplates");
  for (const { uri } of resources) if (!uri.startsWith("trails://prov")) out.push(["resources/read", { uri }]);
  // Also under the names of types that the caller must not know of.
  const patterns = new Set(templates.map(({ uriTemplate }) => uriTemplate));
  for (const type of TYPES) {
    patterns.add(`trails://kg/${type}/{id}`).add(`trails://kg/${type}{?where,limit,offset}`);
    out.push(["resources/read", { uri: `trails://kg/${type}` }]);
  }
  for (const pattern of patterns) {
    if (pattern.startsWith("trails://prov")) continue;
    for (const uri of expand(pattern)) out.push(["resources/read", { uri }]);
    const variables = [...pattern.matchAll(/[{?,](\w+)/g)].map((match) => match[1]);
    for (const name of variables)
      for (const value of ["", "m", "mo", "mood=", "mood=g", "r", "c", "p", "s", "n", "u", "urn:deep", "trails://hid/S"])
        out.push(["completion/complete", { ref: { type: "ref/resource", uri: pattern }, argument: { name, value } }]);
  }
  out.push(["prompts/get", { name: "hail", arguments: { who: "Ada" } }]);
  out.push(["prompts/get", { name: "hai" }]);
  for (const tool of await list(ask, "tools/list", "tools")) out.push(...calls(tool));
  return out;
}

// What a tool can be asked, from its schema: everything, and what it has not.
function calls({ name, inputSchema }) {
  const asked = [];
  const call = (args) => asked.push(["tools/call", { name, arguments: args }]);
  if (["work", "gate"].includes(name)) return asked;
  call({});
  for (const field of FIELDS) {
    call({ [field]: VALUES[field] ?? "x" });
    call({ [field]: true });
    call({ title: "x", name: "x", id: "trails://hid/Note/n1", [field]: 1.5 });
    if (inputSchema.properties.fields) call({ fields: [field], limit: 2 });
    if (inputSchema.properties.score) call({ score: field.length % 3, limit: 3 });
  }
  for (const id of IDS) call({ id, what: id, body: "by tool" });
  for (const id of IDS) call({ id: `trails://hid/Secret/${id}`, version: 1 });
  call({ title: `New ${name}`, name: `New ${name}`, what: "urn:x" });
  call({ title: "T", score: 200 });
  call({ id: "trails://hid/Note/n2" });
  call({ title: "Note 5", id: "trails://hid/Note/n6" });
  return asked;
}

for (const era of [MODERN, LEGACY]) {
  test(`${era}: every reply has the same bytes without what is hidden`, async () => {
    const [ours, theirs] = [await open(secret, "runtime", era), await open(plain, "runtime", era)];
    const list = await requests(theirs);
    const different = [];
    let count = 0;
    for (const [method, params] of list) {
      const [left, right] = [await ours(method, params), await theirs(method, params)];
      count++;
      if (same(left) !== same(right))
        different.push(`${method} ${JSON.stringify(params)}\n${same(left)}\n${same(right)}`);
    }
    assert.equal(different.length, 0, different.slice(0, 9).join("\n\n"));
    assert.ok(count > 500, `${count} replies`);
  });
}

// Where it cannot be the same --------------------------------------------------

const WORDS = /Secret|Deep|urn:deep|Vault|pincode|mood|rankle|codeword|payroll|s3cr3t/;
const HIDDEN = "something that the caller does not see is in the way";

for (const era of [MODERN, LEGACY]) {
  test(`${era}: errors do not tell what is hidden`, async () => {
    const ask = await open(secret, "runtime", era);
    const call = (name, args) => ask("tools/call", { name, arguments: args });
    const fields = (text) => JSON.parse(text).error.data.fields.map(({ field }) => field);
    for (const how of ["invalid", "shape", "hidden", "both", "taken"]) {
      const text = await call("work", { how });
      assert.match(text, new RegExp(HIDDEN), how);
      assert.doesNotMatch(text, WORDS, how);
    }
    assert.deepEqual(fields(await call("work", { how: "both" })), ["title", ""]);
    // Another note, which is private, has the title; the keeper must be a vault.
    const taken = JSON.parse(await call("create_note", { title: "s3cr3t 2" })).error.data.fields[0];
    assert.deepEqual([taken.code, "other" in taken], ["unique", false]);
    const kept = await call("create_note", { title: "Kept", keeper: "urn:nobody" });
    assert.match(kept, new RegExp(HIDDEN));
    assert.doesNotMatch(kept, WORDS);
    const needed = await call("delete_note", { id: "trails://hid/Memo/m0" });
    assert.match(needed, new RegExp(HIDDEN));
    assert.doesNotMatch(needed, WORDS);
    const gate = await call("gate", { who: "trails://hid/Staff/p1" });
    assert.match(gate, new RegExp(`precondition not met: ${HIDDEN}`));
    assert.doesNotMatch(gate, WORDS);
  });

  test(`${era}: handlers read everything, and see their errors`, async () => {
    const ask = await open(secret, "runtime", era);
    const work = async (how) => JSON.parse(await ask("tools/call", { name: "work", arguments: { how } })).result;
    assert.equal((await work("read")).content[0].text, "1234");
    assert.equal((await work("caught")).content[0].text, "mood");
  });

  test(`${era}: who has the scope sees the fields, and nobody private types`, async () => {
    const [less, more] = [await open(secret, "runtime", era), await open(secret, "builder", era)];
    const read = async (uri) => JSON.parse(await more("resources/read", { uri })).result?.contents[0].text;
    assert.match(await read("trails://schema"), /"mood".*"rankle".*"codeword".*"payroll"/s);
    assert.doesNotMatch(await read("trails://schema"), /mooring|Secret|Vault/);
    assert.match(await read("trails://kg/Note/n1"), /Note#mood/);
    assert.match(await read("trails://kg/Staff"), /"label":"s3cr3t 1"/);
    assert.match(await read("trails://shape/Note"), /mood/);
    assert.match(await read(`trails://shape/${encodeURIComponent("http://example.org/Mooded")}`), /mood/);
    assert.equal(JSON.parse(await read("trails://kg/Note?where=rankle=1")).length, 2);
    for (const uri of ["trails://kg/Secret", "trails://kg/Note/urn%3Adeep%3A1", "trails://kg/Secret/s1", "trails://shape/Secret"])
      assert.equal(await read(uri), undefined, uri);
    let different = 0;
    for (const [method, params] of (await requests(more)).filter(([method]) => method !== "tools/call"))
      different += same(await less(method, params)) !== same(await more(method, params));
    assert.ok(different > 40, `${different} replies differ`);
    const listed = async (ask) => {
      const { tools } = JSON.parse(await ask("tools/list", {})).result;
      return tools.filter(({ trails }) => trails.kind === "runtime");
    };
    assert.deepEqual(await listed(less), await listed(more), "one schema for everybody");
  });

  test(`${era}: neither cursors nor activities name private nodes`, async () => {
    const [less, more] = [await open(secret, "runtime", era), await open(secret, "builder", era)];
    let uri = "trails://kg/Note?limit=1";
    for (let i = 0; i < 8 && uri; i++) {
      const { contents } = JSON.parse(await less("resources/read", { uri })).result;
      uri = contents[0]._meta.next;
      const cursor = Buffer.from(uri.replace(/.*cursor=/, ""), "base64url").toString("latin1");
      assert.doesNotMatch(cursor, WORDS);
    }
    const done = JSON.parse(await less("tools/call", { name: "work", arguments: { how: "private" } })).result;
    const activity = done._meta["dev.trails/provenance"];
    for (const ask of [less, more]) {
      const text = await ask("resources/read", { uri: activity });
      assert.doesNotMatch(text, WORDS);
      assert.match(text, /left_out/);
    }
  });
}

// Who watches -------------------------------------------------------------------

const WATCHED = [...TYPES.map((type) => `trails://kg/${type}`), "trails://kg/Note/s1", "trails://kg/Secret/s1",
  `trails://kg/Note/${encodeURIComponent("trails://hid/Secret/s1")}`, "trails://kg/types", "trails://stats"];

test("a subscription is answered alike, and private changes are not told", async () => {
  const [ours, theirs] = [await open(secret, "runtime", LEGACY), await open(plain, "runtime", LEGACY)];
  for (const uri of WATCHED)
    assert.equal(same(await ours("resources/subscribe", { uri })), same(await theirs("resources/subscribe", { uri })), uri);

  const told = [];
  const client = new v1.Client({ name: "watcher", version: "1" });
  const headers = { authorization: `Bearer ${secret.tokens.runtime}` };
  await client.connect(new v1.StreamableHTTPClientTransport(new URL(secret.url), { requestInit: { headers } }));
  const done = new Promise((resolve) => {
    client.setNotificationHandler(v1.ResourceUpdatedNotificationSchema, ({ params }) => {
      told.push(params.uri);
      if (params.uri === "trails://kg/Staff") resolve();
    });
  });
  for (const uri of ["trails://kg/Note", "trails://kg/Staff", `trails://kg/Note/${encodeURIComponent("trails://hid/Secret/s1")}`])
    await client.subscribeResource({ uri });
  await client.callTool({ name: "work", arguments: { how: "private" } });
  await client.callTool({ name: "create_staff", arguments: { name: "Last" } });
  await done;
  assert.deepEqual(told, ["trails://kg/Staff"]);
  await client.close();
});

test("who owns the files exports everything", () => {
  const words = ["export", "--app", secret.app, "--format", "nt"];
  assert.match(execFileSync("build/debug/trails", words, { env: secret.own, encoding: "utf8" }), /Secret#pincode/);
});
