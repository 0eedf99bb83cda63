// Every credential x every method x every transport x both environments: what
// is let in, and what the answer is. Then the same rules, contract C1, through
// the official clients.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { createServer, request } from "node:http";
import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { createRequire } from "node:module";
import { METAS, metaNames } from "../js/metas.mjs";
import { assertVerdicts, env, serveWith, stdio, unchecked } from "../js/server.mjs";

const require = createRequire(new URL("../js/package.json", import.meta.url));
const load = (name) => import(require.resolve(`@modelcontextprotocol/${name}`));
const v2 = { ...(await load("client")), ...(await load("client/stdio")) };
const v1 = {
  ...(await load("sdk/client/index.js")),
  ...(await load("sdk/client/sse.js")),
};

const ISSUER = "https://issuer.example";
const AUDIENCE = "https://trails.example/mcp";
const SECRET = "a-secret-of-hs256-that-has-more-than-32-bytes";
const MODERN = "2026-07-28";
const LEGACY = "2025-11-25";
const META = {
  "io.modelcontextprotocol/protocolVersion": MODERN,
  "io.modelcontextprotocol/clientCapabilities": {},
};

const APP = `
capability "run" { description = "r", run = function(ctx) return ctx.principal end }
capability "build" { description = "b", scope = "builder", run = function() return "b" end }
capability "debug" { description = "d", scope = "dev", run = function() return "d" end }
resource "test://x" { name = "x", run = function() return "x" end }
resource_template "test://y/{id}" { name = "y", run = function() return "y" end }
prompt "hail" {
  description = "h",
  arguments = { who = text {} },
  run = function(_, args) return args.who end,
}
completion {
  prompt = "hail",
  argument = "who",
  run = function() return { "Ada" } end,
}
`;

// An app for each environment, with keys and tokens --------------------------

const folder = mkdtempSync(join(tmpdir(), "trails-access-"));
process.on("exit", () => rmSync(folder, { recursive: true }));

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });
const ed = generateKeyPairSync("ed25519");
const jwk = (pair, kid) => ({ ...pair.publicKey.export({ format: "jwk" }), kid });
const jwks = JSON.stringify({ keys: [jwk(rsa, "rsa"), jwk(ec, "ec"), jwk(ed, "ed")] });
const pem = rsa.publicKey.export({ type: "spki", format: "pem" });

function makeApp(environment) {
  const path = join(folder, environment);
  execFileSync("mkdir", [path]);
  writeFileSync(join(path, "app.lua"), APP);
  writeFileSync(join(path, "keys.json"), jwks);
  writeFileSync(
    join(path, "trails.toml"),
    `[project]\nname = "access"\nenv = "${environment}"\n[auth]\nissuer = "${ISSUER}"\naudience = "${AUDIENCE}"\n` +
      `jwks_file = "keys.json"\nalgorithms = ["HS256", "RS256", "EdDSA"]\n`,
  );
  return path;
}

const part = (data) => Buffer.from(data).toString("base64url");

function jwt(claims, header, seal) {
  const now = Math.floor(Date.now() / 1000);
  const all = { iss: ISSUER, aud: AUDIENCE, exp: now + 600, sub: "ann", ...claims };
  const text = `${part(JSON.stringify(header))}.${part(JSON.stringify(all))}`;
  return `${text}.${part(seal(Buffer.from(text)))}`;
}

const hs256 = (claims, secret = SECRET) =>
  jwt(claims, { alg: "HS256" }, (text) => createHmac("sha256", secret).update(text).digest());
const rs256 = (claims) => jwt(claims, { alg: "RS256", kid: "rsa" }, (text) => sign("sha256", text, rsa.privateKey));
const eddsa = (claims) => jwt(claims, { alg: "EdDSA" }, (text) => sign(null, text, ed.privateKey));
const es256 = (claims) =>
  jwt(claims, { alg: "ES256" }, (text) =>
    sign("sha256", text, { key: ec.privateKey, dsaEncoding: "ieee-p1363" }),
  );

function trails(...words) {
  const own = { ...process.env };
  return execFileSync("build/debug/trails", words, { encoding: "utf8", env: own });
}

function stored(path, ...options) {
  return JSON.parse(trails("token", "create", "--app", path, "--json", ...options));
}

function revoked(path) {
  const made = stored(path, "--scope", "runtime,builder,dev");
  trails("token", "revoke", "--app", path, made.id);
  return made.token;
}

// Whether it counts: the scopes that it then has, or why it does not.
const all = ["runtime", "builder", "dev"];
const hour = 3600;
const now = () => Math.floor(Date.now() / 1000);
const credentials = {
  none: { make: () => undefined, why: "a token is needed" },
  wrong: { make: () => "wrong", why: "the token cannot be read" },
  "wrong stored": { make: () => `trails_${"A".repeat(43)}`, why: "the token is not known" },
  expired: { make: () => hs256({ scopes: all, exp: now() - hour }), why: "the token has expired" },
  "not yet valid": {
    make: () => rs256({ scopes: all, nbf: now() + hour, exp: now() + 2 * hour }),
    why: "the token is not valid yet",
  },
  "wrong audience": {
    make: () => rs256({ scopes: all, aud: "https://other.example" }),
    why: "the token is for another audience",
  },
  "wrong issuer": {
    make: () => rs256({ scopes: all, iss: "https://other.example" }),
    why: "the token is from another issuer",
  },
  "wrong algorithm": {
    make: () => es256({ scopes: all }),
    why: "the token's algorithm is not allowed",
  },
  "alg none": {
    make: () => jwt({ scopes: all }, { alg: "none" }, () => ""),
    why: "the token's algorithm is not allowed",
  },
  "key confusion": {
    make: () => hs256({ scopes: all }, pem),
    why: "the token's signature is not valid",
  },
  "key confusion by kid": {
    make: () => jwt({ scopes: all }, { alg: "EdDSA", kid: "rsa" }, (text) => sign(null, text, ed.privateKey)),
    why: "the token's signature is not valid",
  },
  revoked: { make: revoked, why: "the token was revoked" },
  runtime: { make: () => eddsa({ scopes: ["runtime"] }), scopes: ["runtime"] },
  builder: { make: () => rs256({ scopes: ["builder"] }), scopes: ["builder"] },
  dev: { make: () => hs256({ scopes: ["dev"] }), scopes: ["dev"] },
  "stored with all": {
    make: (path) => stored(path, "--scope", "runtime,builder,dev").token,
    scopes: ["builder", "dev", "runtime"],
  },
};

// Every method, and what it answers to whom ----------------------------------

// The app's own tools, and every meta-capability that there is.
const needs = { run: "runtime", build: "builder", debug: "dev" };
for (const { name, trails: { scope } } of METAS) needs[name] = scope;

function allows(environment, credential, tool) {
  return credential.scopes.includes(needs[tool]) && !(needs[tool] === "dev" && environment === "production");
}

function checkTools({ result }, { environment, credential }) {
  const visible = Object.keys(needs).filter((tool) => allows(environment, credential, tool));
  assert.deepEqual(result.tools.map((tool) => tool.name).sort(), visible.sort());
  if (result.resultType) assert.equal(result.cacheScope, "private");
}

// -32004 byte for byte: the message is the whole text that came.
function checkCall(tool) {
  return (answer, { environment, credential, modern, text }) => {
    // A meta-capability that needs arguments has got none.
    const lacks = tool.startsWith("trails_meta_") && answer.error?.code === -32602;
    if (allows(environment, credential, tool)) return assert.ok(answer.result || lacks, text);
    const scopes = JSON.stringify([...credential.scopes].sort());
    const [code, more] = modern ? [-31004, ',"trails_code":-32004'] : [-32004, ""];
    assert.equal(
      text,
      `{"jsonrpc":"2.0","id":${answer.id},"error":{"code":${code},"message":"scope denied: ${tool} requires ${needs[tool]}",` +
        `"data":{"tool":"${tool}","required_scope":"${needs[tool]}","caller_scopes":${scopes}${more}}}}`,
    );
  };
}

const hasResult = (answer, { text }) => assert.ok(answer.result, text);
const isListening = (answer, { text }) =>
  assert.equal(answer.method, "notifications/subscriptions/acknowledged", text);
const ref = { type: "ref/prompt", name: "hail" };
const both = [
  ["tools/list", {}, checkTools],
  ["tools/call", { name: "run" }, checkCall("run")],
  ["tools/call", { name: "build" }, checkCall("build")],
  ["tools/call", { name: "debug" }, checkCall("debug")],
  ...METAS.map(({ name }) => ["tools/call", { name }, checkCall(name)]),
  ["resources/list", {}, hasResult],
  ["resources/templates/list", {}, hasResult],
  ["resources/read", { uri: "test://x" }, hasResult],
  ["prompts/list", {}, hasResult],
  ["prompts/get", { name: "hail", arguments: { who: "Ada" } }, hasResult],
  ["completion/complete", { ref, argument: { name: "who", value: "A" } }, hasResult],
];
const methods = {
  legacy: [
    ...both,
    ["ping", {}, hasResult],
    ["logging/setLevel", { level: "info" }, hasResult],
    ["resources/subscribe", { uri: "test://x" }, hasResult],
    ["resources/unsubscribe", { uri: "test://x" }, hasResult],
  ],
  modern: [
    ["server/discover", {}, hasResult],
    ...both,
    ["subscriptions/listen", { notifications: { toolsListChanged: true } }, isListening],
  ],
};

const start = (extra) => ({
  protocolVersion: LEGACY,
  capabilities: {},
  clientInfo: { name: "test", version: "1", ...extra },
});

// Transports: each gives a function from a method to {status, answer, text} --

let lastId = 0;
const compose = (method, params) => ({ jsonrpc: "2.0", id: ++lastId, method, params });

// A stream that goes on says that first.
const isFirst = (answer, { id, method }) =>
  answer.id === id || (method === "subscriptions/listen" && answer.method);

async function readAnswer(response, message) {
  if (message.method === "subscriptions/listen" && response.ok) {
    const text = /data: (.*)/.exec((await eventsOf(response).next()).value)[1];
    return { status: response.status, text, answer: JSON.parse(text) };
  }
  const text = await response.text();
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
    return { status: response.status, text, answer: text ? JSON.parse(text) : undefined };
  }
  const lines = text.split("\n").filter((line) => line.startsWith("data: {"));
  const found = lines.map((line) => line.slice(6)).find((line) => isFirst(JSON.parse(line), message));
  return { status: response.status, text: found, answer: JSON.parse(found) };
}

function overHttp(url, token) {
  let session;
  return async (method, params, modern) => {
    const message = compose(method, modern ? { ...params, _meta: { ...META, ...params._meta } } : params);
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": modern ? MODERN : LEGACY,
    };
    if (modern) headers["mcp-method"] = method;
    if (modern && (params.name ?? params.uri)) headers["mcp-name"] = params.name ?? params.uri;
    if (token) headers.authorization = `Bearer ${token}`;
    if (session && !modern) headers["mcp-session-id"] = session;
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(message) });
    session ??= response.headers.get("mcp-session-id") ?? undefined;
    const challenge = response.headers.get("www-authenticate");
    return { ...(await readAnswer(response, message)), challenge };
  };
}

async function* eventsOf(response) {
  let text = "";
  for await (const bytes of response.body) {
    text += new TextDecoder().decode(bytes);
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      yield text.slice(0, end);
      text = text.slice(end + 2);
    }
  }
}

// The stream is opened by whoever may; each POST then has the token.
async function overSse(url, token) {
  const stop = new AbortController();
  const headers = token ? { authorization: `Bearer ${token}` } : {};
  const stream = await fetch(new URL("/sse", url), { headers, signal: stop.signal });
  const events = stream.ok ? eventsOf(stream) : undefined;
  const first = events && (await events.next()).value;
  const target = new URL(first ? /data: (.*)/.exec(first)[1] : "/messages?sessionId=0", url);
  const ask = async (method, params) => {
    const message = compose(method, params);
    const posted = await fetch(target, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(message),
    });
    const body = await posted.text();
    if (posted.status !== 202) return { status: posted.status, text: body, answer: JSON.parse(body) };
    for (;;) {
      const text = /data: (.*)/.exec((await events.next()).value)[1];
      if (JSON.parse(text).id === message.id) return { status: 202, text, answer: JSON.parse(text) };
    }
  };
  return { status: stream.status, ask, close: () => stop.abort() };
}

function overStdio(path, environment, token) {
  const { command, args } = stdio(path, environment);
  const child = spawn(command, args, { env: environment, stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (method, params, modern) => {
    const meta = { ...META, ...(token && { "dev.trails/authorization": token }), ...params?._meta };
    const message = compose(method, modern ? { ...params, _meta: meta } : params);
    child.stdin.write(`${JSON.stringify(message)}\n`);
    for (;;) {
      const text = (await lines.next()).value;
      const answer = JSON.parse(text);
      if (isFirst(answer, message)) return { status: 200, text, answer };
    }
  };
  const close = () =>
    new Promise((resolve) => {
      child.on("exit", resolve);
      child.stdin.end();
    });
  return { ask, close };
}

// The matrix -------------------------------------------------------------------

const environments = {};
before(async () => {
  for (const name of ["development", "production"]) {
    const path = makeApp(name);
    const own = {
      ...env,
      TRAILS_STORE: "data",
      TRAILS_MCP_JWT_SECRET: SECRET,
      TRAILS_MCP_SCOPES: "runtime,builder,dev",
    };
    environments[name] = { path, own, server: await serveWith(own, path) };
  }
});
after(async () => {
  for (const { server } of Object.values(environments)) {
    assert.equal(await server.stop(), 0, "the server ends cleanly");
  }
  assertVerdicts();
});

test("every message is checked by its schema", { skip: unchecked }, () => {});

function checkRefused({ status, answer }, why, code, wanted) {
  assert.equal(status, wanted);
  assert.equal(answer.error.code, code);
  assert.equal(answer.error.message, "Authentication failed");
  assert.equal(answer.error.data.reason, why);
}

async function checkAll(ask, era, credential, environment, refused) {
  for (const [method, params, check] of methods[era]) {
    const said = await ask(method, params, era === "modern");
    if (credential.why) refused(said);
    else check(said.answer, { environment, credential, modern: era === "modern", text: said.text });
  }
}

for (const environment of ["development", "production"]) {
  for (const [name, credential] of Object.entries(credentials)) {
    test(`http, ${environment}, ${name}`, async () => {
      const { path, server } = environments[environment];
      const token = credential.make(path);
      const ask = overHttp(server.url, token);
      const first = await ask("initialize", start());
      const refused = (code) => (said) => {
        checkRefused(said, credential.why, code, 401);
        const error = token ? `, error="invalid_token", error_description="${credential.why}"` : "";
        assert.equal(said.challenge, `Bearer realm="access"${error}`);
      };
      if (credential.why) refused(-32001)(first);
      else assert.ok(first.answer.result);
      await checkAll(ask, "legacy", credential, environment, refused(-32001));
      await checkAll(ask, "modern", credential, environment, refused(-31001));
    });

    test(`sse, ${environment}, ${name}`, async () => {
      const { path, server } = environments[environment];
      const { status, ask, close } = await overSse(server.url, credential.make(path));
      const refused = (said) => checkRefused(said, credential.why, -32001, 401);
      assert.equal(status, credential.why ? 401 : 200);
      const first = await ask("initialize", start());
      if (credential.why) refused(first);
      else assert.ok(first.answer.result);
      await checkAll(ask, "legacy", credential, environment, refused);
      close();
    });

    test(`stdio, ${environment}, ${name}`, async () => {
      const { path, own } = environments[environment];
      const token = credential.make(path);
      const { ask, close } = overStdio(path, own, token);
      const first = await ask("initialize", start(token && { authorization: { bearer: token } }));
      if (credential.why) checkRefused(first, credential.why, -32001, 200);
      else assert.ok(first.answer.result);
      await checkAll(ask, "legacy", credential, environment, ({ answer, text }) => {
        const isPing = answer.result !== undefined;
        assert.ok(isPing || answer.error.message === "the client has not sent initialize", text);
        if (isPing) assert.deepEqual(answer.result, {});
      });
      await checkAll(ask, "modern", credential, environment, (said) =>
        checkRefused(said, credential.why, -31001, 200),
      );
      assert.equal(await close(), 0);
    });
  }
}

test("stdio: a token that is revoked is refused with the next call", async () => {
  const { path, own } = environments.development;
  const made = stored(path, "--scope", "runtime", "--name", "one");
  const other = stored(path, "--scope", "runtime", "--name", "two");
  const { ask, close } = overStdio(path, own);
  const sign = ({ token }) => start({ authorization: { bearer: token } });
  assert.ok((await ask("initialize", sign(made))).answer.result);
  const second = (await ask("initialize", sign(other))).answer;
  assert.equal(second.error.code, -32001, "the session is not his");
  const call = { name: "run" };
  assert.equal((await ask("tools/call", call)).answer.result.content[0].text, "token:one");
  trails("token", "revoke", "--app", path, made.id);
  checkRefused(await ask("tools/call", call), "the token was revoked", -32001, 200);
  assert.equal(await close(), 0);
});

// Every place in a message where a credential may stand, beside the one that its
// connection or request has already.
const places = {
  meta: (token) => ({ _meta: { "dev.trails/authorization": token } }),
  "meta, as an object": (token) => ({ _meta: { "dev.trails/authorization": { bearer: token } } }),
  "clientInfo of the request": (token) => ({
    _meta: {
      "io.modelcontextprotocol/clientInfo": { name: "t", version: "1", authorization: { bearer: token } },
    },
  }),
};
const WHY = "there is more than one credential";

for (const [place, put] of Object.entries(places)) {
  test(`two credentials are refused unless they are the same: ${place}`, async () => {
    const { path, own, server } = environments.development;
    const [first, second] = ["one", "two"].map((name) => stored(path, "--scope", "runtime", "--name", name).token);
    const hello = start({ authorization: { bearer: first } });
    const sse = await overSse(server.url, first);
    const line = overStdio(path, own);
    const http = overHttp(server.url, first);
    const doors = { "streamable HTTP": [http, start(), 401], SSE: [sse.ask, start(), 401], stdio: [line.ask, hello, 200] };
    for (const [name, [ask, begin, status]] of Object.entries(doors)) {
      assert.ok((await ask("initialize", begin)).answer.result, name);
      for (const modern of name === "SSE" ? [false] : [false, true]) {
        const call = (token) => ask("tools/call", { name: "run", ...put(token) }, modern);
        const said = await call(first);
        assert.equal(said.answer.result?.content[0].text, "token:one", `${name} ${modern} ${said.text}`);
        const refusal = await call(second);
        assert.equal(refusal.answer.error?.data?.reason, WHY, `${name} ${modern} ${refusal.text}`);
        checkRefused(refusal, WHY, modern ? -31001 : -32001, status);
      }
    }
    sse.close();
    assert.equal(await line.close(), 0);
  });
}

test("two credentials are refused unless they are the same: one message, two headers, a second start", async () => {
  const { path, own, server } = environments.development;
  const [first, second] = ["one", "two"].map((name) => stored(path, "--scope", "runtime", "--name", name).token);
  const line = overStdio(path, own);
  const both = (token) => ({
    _meta: {
      "dev.trails/authorization": first,
      "io.modelcontextprotocol/clientInfo": { name: "t", version: "1", authorization: { bearer: token } },
    },
  });
  const call = (token) => line.ask("tools/call", { name: "run", ...both(token) }, true);
  assert.equal((await call(first)).answer.result.content[0].text, "token:one");
  checkRefused(await call(second), WHY, -31001, 200);
  const hello = (token) => line.ask("initialize", start({ authorization: { bearer: token } }));
  assert.ok((await hello(first)).answer.result);
  checkRefused(await hello(second), WHY, -32001, 200);
  assert.equal(await line.close(), 0);

  const body = JSON.stringify(compose("tools/call", { name: "run", _meta: META }));
  const twice = (token) =>
    new Promise((resolve, reject) => {
      const headers = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": MODERN,
        "mcp-method": "tools/call",
        "mcp-name": "run",
      };
      const list = [...Object.entries(headers).flat(), "authorization", `Bearer ${first}`];
      const to = new URL(server.url);
      list.push("authorization", `Bearer ${token}`, "host", to.host, "content-length", `${body.length}`);
      const asked = request(to, { method: "POST", headers: list }, (response) => {
        response.resume();
        response.on("end", () => resolve(response.statusCode));
      });
      asked.on("error", reject);
      asked.end(body);
    });
  // A header that may come once is refused when it comes twice, whatever it says.
  assert.equal(await twice(first), 400);
  assert.equal(await twice(second), 400);
});

// Batches are of 2025-03-26; all in one are from who has sent it.
test("stdio: a batch is from who has begun the session", async () => {
  const { path, own } = environments.development;
  const made = stored(path, "--scope", "builder", "--name", "one");
  const { command, args } = stdio(path, own);
  const child = spawn(command, args, { env: own, stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const say = async (message) => {
    child.stdin.write(`${JSON.stringify(message)}\n`);
    return JSON.parse((await lines.next()).value);
  };
  const batch = [compose("tools/call", { name: "build" }), compose("tools/call", { name: "run" })];
  assert.equal((await say(batch)).error.code, -32001, "nobody has begun one");
  const hello = { ...start({ authorization: { bearer: made.token } }), protocolVersion: "2025-03-26" };
  assert.ok((await say(compose("initialize", hello))).result);
  const [built, ran] = await say(batch);
  assert.equal(built.result.content[0].text, "b");
  assert.equal(ran.error.code, -32004);
  trails("token", "revoke", "--app", path, made.id);
  assert.equal((await say(batch)).error.code, -32001);
  child.stdin.end();
  assert.equal(await new Promise((resolve) => child.on("exit", resolve)), 0);
});

// Keys in a file: each of these takes them away, and is said once.
test("http: keys of an issuer that are taken out of their file", async () => {
  const path = join(folder, "taken");
  execFileSync("cp", ["-r", join(folder, "development"), path]);
  const own = { ...env, TRAILS_STORE: ":memory:", TRAILS_MCP_JWT_SECRET: SECRET };
  appendFileSync(join(path, "trails.toml"), "[server]\nthreads = 1\n"); // each loop reads by itself
  const server = await serveWith(own, path);
  const status = async (token) => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
    const body = JSON.stringify(compose("initialize", start()));
    return (await fetch(server.url, { method: "POST", headers, body })).status;
  };
  const until = async (holds) => {
    while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 50));
  };
  const become = (token, wanted) => until(async () => (await status(token)) === wanted);
  const token = eddsa({});
  const file = join(path, "keys.json");
  const said = (what) => server.log.filter((line) => line.includes(what)).length;
  const put = (text) => {
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  };
  let times = 0;
  try {
    for (const text of ['{"keys":[]}', "{", null]) {
      assert.equal(await status(token), 200);
      text === null ? rmSync(file) : put(text);
      await become(token, 401);
      assert.equal(await status(hs256({})), 200, "others are not concerned");
      put(jwks);
      await become(token, 200);
      times += 1;
      for (const what of ["no key of the issuer counts any more", "the keys of the issuer are here"]) {
        await until(() => said(what) >= times); // a line may come after an answer
        assert.equal(said(what), times);
      }
    }
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

// Keys that are fetched: before they are there, when they are, and none.
test("http: keys of an issuer that are behind a URL", async () => {
  let keys;
  let asked = 0;
  const paths = new Set();
  const issuer = createServer(({ url }, response) => {
    asked += 1;
    paths.add(url);
    response.statusCode = keys ? 200 : 302;
    response.setHeader("Location", "/elsewhere"); // nobody has written this into a setting
    response.end(keys);
  });
  await new Promise((resolve) => issuer.listen(0, "127.0.0.1", resolve));
  const path = plainApp();
  writeFileSync(
    join(path, "trails.toml"),
    `[auth]\nissuer = "${ISSUER}"\naudience = "${AUDIENCE}"\n` +
      `jwks_url = "http://127.0.0.1:${issuer.address().port}/keys"\n`,
  );
  const server = await serveWith({ ...env, TRAILS_STORE: ":memory:" }, path);
  const status = async (token) => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
    const body = JSON.stringify(compose("initialize", start()));
    return (await fetch(server.url, { method: "POST", headers, body })).status;
  };
  const become = async (token, wanted) => {
    while ((await status(token)) !== wanted) await new Promise((resolve) => setTimeout(resolve, 50));
  };
  assert.equal(await status(rs256({})), 503, "nobody knows yet");
  keys = JSON.stringify({ keys: [jwk(rsa, "rsa")] });
  await become(rs256({}), 200);
  assert.equal(await status(hs256({}, pem)), 401);
  const other = eddsa({});
  assert.equal(await status(other), 401, "his key is not among them");
  const known = rs256({});
  assert.equal(await status(known), 200);
  keys = JSON.stringify({ keys: [] });
  await become(known, 401);
  const lines = server.log.filter((line) => line.includes("no key of the issuer counts any more"));
  assert.equal(lines.length, 1);
  assert.match(lines[0], /"level":"error".*no key is for EdDSA, ES256 or RS256/);
  assert.ok(asked >= 2 && asked < 20, `asked ${asked} times`);
  assert.deepEqual([...paths], ["/keys"]);
  assert.equal(await server.stop(), 0);
  issuer.close();
});

// Contract C1 with the official clients -------------------------------------------

const open = { ...env, TRAILS_STORE: ":memory:", TRAILS_MCP_SCOPES: "dev,runtime" };
const guarded = { ...open, TRAILS_MCP_TOKEN: "the-token", TRAILS_MCP_SCOPES: "runtime,builder" };
const refusal = (code, message, data) => (error) => {
  assert.equal(error.code, code);
  assert.ok(error.message.endsWith(message), error.message);
  assert.deepEqual(error.data, data);
  return true;
};

function clientsOf(own, path, url, token) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  const identity = { name: "test", version: "1", ...(token && { authorization: { bearer: token } }) };
  const make = (mode) => () => new v2.Client(identity, { versionNegotiation: { mode } });
  const http = () => new v2.StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  const pipe = () => new v2.StdioClientTransport(stdio(path, own));
  const sse = () => new v1.SSEClientTransport(new URL("/sse", url), { requestInit: { headers } });
  return [
    { name: "http, legacy", client: make("legacy"), transport: http },
    { name: "http, modern", client: make({ pin: MODERN }), transport: http, modern: true },
    { name: "stdio, legacy", client: make("legacy"), transport: pipe },
    { name: "stdio, modern", client: make({ pin: MODERN }), transport: pipe, modern: true },
    { name: "sse, legacy", client: () => new v1.Client(identity), transport: sse },
  ];
}

function plainApp() {
  const path = mkdtempSync(join(folder, "plain-"));
  writeFileSync(join(path, "app.lua"), APP);
  return path;
}

// TRAILS_MCP_SCOPES=dev alone unlocks nothing: there must be somebody.
test("C1: without a token configured, builder and dev are -32001 and hidden", async (t) => {
  const path = plainApp();
  const server = await serveWith(open, path);
  for (const { name, client, transport, modern } of clientsOf(open, path, server.url)) {
    await t.test(name, async () => {
      const someone = client();
      await someone.connect(transport());
      const { tools } = await someone.listTools();
      assert.deepEqual(tools.map((tool) => tool.name), ["run", ...metaNames("runtime")]);
      assert.ok(await someone.callTool({ name: "run", arguments: {} }));
      for (const tool of Object.keys(needs).filter((name) => needs[name] !== "runtime")) {
        const data = { tool, required_scope: needs[tool], ...(modern && { trails_code: -32001 }) };
        await assert.rejects(
          someone.callTool({ name: tool, arguments: {} }),
          refusal(modern ? -31001 : -32001, `authentication required: ${tool} requires ${needs[tool]}`, data),
        );
      }
      await someone.close();
    });
  }
  assert.equal(await server.stop(), 0);
});

test("C1: who has the token is told of scopes that are missing with -32004", async (t) => {
  const path = plainApp();
  const server = await serveWith(guarded, path);
  for (const { name, client, transport, modern } of clientsOf(guarded, path, server.url, "the-token")) {
    await t.test(name, async () => {
      const someone = client();
      await someone.connect(transport());
      const { tools } = await someone.listTools();
      assert.deepEqual(tools.map((tool) => tool.name),
        ["build", "run", ...metaNames("runtime"), ...metaNames("builder")].sort());
      const result = await someone.callTool({ name: "run", arguments: {} });
      assert.equal(result.content[0].text, "token:environment");
      assert.ok(await someone.callTool({ name: "build", arguments: {} }));
      for (const tool of ["debug", ...metaNames("dev")]) {
        const data = {
          tool,
          required_scope: "dev",
          caller_scopes: ["builder", "runtime"],
          ...(modern && { trails_code: -32004 }),
        };
        await assert.rejects(
          someone.callTool({ name: tool, arguments: {} }),
          refusal(modern ? -31004 : -32004, `scope denied: ${tool} requires dev`, data),
        );
      }
      await someone.close();
    });
  }
  assert.equal(await server.stop(), 0);
});

test("C1: a wrong token, or none, does not connect", async (t) => {
  const path = plainApp();
  const server = await serveWith(guarded, path);
  for (const token of ["wrong", undefined]) {
    for (const { name, client, transport } of clientsOf(guarded, path, server.url, token)) {
      await t.test(`${name}, ${token}`, async () => {
        const someone = client();
        const wire = transport();
        await assert.rejects(someone.connect(wire), (error) => {
          if (name === "stdio, legacy") {
            assert.equal(error.code, -32001);
            assert.match(error.message, /Authentication failed$/);
          }
          return true;
        });
        await wire.close();
      });
    }
  }
  assert.equal(await server.stop(), 0);
});
