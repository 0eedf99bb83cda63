// Runs each host against the demo, over HTTP and stdio, with a model that calls
// rightly and wrongly, and writes what came of it into docs/clients.md:
//
//   scripts/hosts [HOST]
//
// What a model was shown is left in build/hosts/seen/, word for word.
import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { demo, plain, start } from "../js/demo.mjs";
import { HOSTS } from "./hosts.mjs";
import { startModel } from "./model.mjs";

const ROOT = resolve("build/hosts");
const TRAILS = resolve("build/release/trails");
const PAGE = "docs/clients.md";
const TIME_LIMIT = 120_000; // of one run of a host

const HEAT = { project: "DOCK", kind: "functional", title: "Heat", statement: "Warm." };
// What a result must have shown. None of it is in the call: hosts repeat those.
const CALLS = [
  { what: "good", tool: "get_requirement", args: { key: "DOCK-5" }, wants: ["The bolt opens without mains power"] },
  { what: "fields", tool: "propose_requirement", args: HEAT,
    wants: ["title must have at least 8 characters", "statement must have at least 20 characters"] },
  { what: "error", tool: "who_owns", args: { person: "Ra" }, wants: ["Rafael Acosta", "Priya Raman"] },
];
const LATER = { what: "restart", tool: "get_requirement", args: { key: "DOCK-12" }, wants: ["A dirty sensor window is noticed"] };
const GUARDED = { what: "bearer", tool: "close_books", args: {}, wants: ["the books are closed"] };

// Only a token's scope reaches this.
const GUARD = `
capability "close_books" { description = "Closes the books.", scope = "builder",
  run = function() return "the books are closed" end }
`;

// A host, once: which tools its model was offered, and what it then saw.
async function run(host, model, server, script) {
  const home = mkdtempSync(join(tmpdir(), "trails-host-"));
  const playing = model.play(script);
  const { args, env } = host.setup(home, model.url, server);
  const program = join(ROOT, "node_modules", host.program);
  const command = host.isScript ? [resolve("scripts/node"), program] : [program];
  const child = spawn(command[0], [...command.slice(1), ...args], {
    cwd: home, stdio: ["ignore", "pipe", "pipe"], detached: true,
    env: { PATH: process.env.PATH, LANG: "C.UTF-8", TERM: "dumb", HOME: home, ...env,
      HTTPS_PROXY: model.url, HTTP_PROXY: model.url, NO_PROXY: "127.0.0.1,localhost", no_proxy: "127.0.0.1,localhost" },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (output += piece));
  const stop = () => { try { process.kill(-child.pid, "SIGKILL"); } catch { /* it has ended */ } };
  const timer = setTimeout(stop, TIME_LIMIT);
  await new Promise((done) => child.on("close", done).on("error", done));
  clearTimeout(timer);
  stop();
  rmSync(home, { recursive: true, force: true });
  return { ...playing, output };
}

const isSeen = (text, { wants }) => text !== undefined && wants.every((wanted) => unescaped(text).includes(wanted));
const unescaped = (text) => text.replaceAll("\\", "");

function note(host, where, script, { seen, offered, output }) {
  const lines = script.map(({ what, tool, args }, i) => `## ${what}: ${tool} ${JSON.stringify(args)}\n\n${seen[i] ?? "(nothing)"}\n`);
  const tail = seen.length === script.length ? "" : `## what the host said\n\n${output.slice(-3000)}\n`;
  appendFileSync(join(ROOT, "seen", `${host.host.replace(" ", "-")}.md`),
    `# ${host.host}, ${where}, ${offered.length} tools offered\n\n${lines.join("\n")}\n${tail}\n`);
}

async function overHttp(host, model, folder) {
  let server = await start(folder, { program: TRAILS });
  const again = async () => (server = await server.again());
  const script = [...CALLS, { ...LATER, first: again }, LATER];
  const result = await run(host, model, { url: server.url }, script);
  note(host, "HTTP", script, result);
  await server.stop();
  return result;
}

async function overStdio(host, model, folder) {
  const server = { command: TRAILS, args: ["serve", folder, "--stdio"] };
  const result = await run(host, model, server, CALLS);
  note(host, "stdio", CALLS, result);
  return result;
}

async function withToken(host, model, folder) {
  const scopes = "runtime,builder";
  const made = execFileSync(TRAILS, ["token", "create", "--app", folder, "--scope", scopes, "--name", "host", "--json"],
    { env: plain, encoding: "utf8" });
  const server = await start(folder, { program: TRAILS, env: { ...plain, TRAILS_MCP_SCOPES: scopes } });
  const result = await run(host, model, { url: server.url, token: JSON.parse(made).token }, [GUARDED]);
  note(host, "HTTP with a token", [GUARDED], result);
  await server.stop();
  return result;
}

// The table ----------------------------------------------------------------------

const both = (test, http, stdio) => {
  const [h, s] = [test(http), test(stdio)];
  return h && s ? "yes" : h ? "HTTP alone" : s ? "stdio alone" : "**no**";
};

async function row(host, model) {
  const version = host.npm.split("@").at(-1);
  const head = `| ${host.host} | ${version} |`;
  if (!existsSync(join(ROOT, "node_modules", host.program)))
    return `${head} could not be installed | | | | | |`;
  const [http, stdio] = [await overHttp(host, model, demo({ program: TRAILS })), await overStdio(host, model, demo({ program: TRAILS }))];
  const guarded = demo({ program: TRAILS });
  appendFileSync(join(guarded, "app.lua"), GUARD);
  const token = await withToken(host, model, guarded);
  const cells = [
    both(({ offered }) => offered.length > 0, http, stdio),
    ...CALLS.map((call, i) => both(({ seen }) => isSeen(seen[i], call), http, stdio)),
    isSeen(http.seen[3], LATER) ? "yes" : isSeen(http.seen[4], LATER) ? "at the second call" : "**no**",
    isSeen(token.seen[0], GUARDED) ? "yes" : "**no**",
  ];
  return `${head} ${cells.join(" | ")} |`;
}

function writeTable(rows) {
  const table = ["<!-- hosts: written by make hosts -->",
    "| host | version | connects, lists | good call | bad input: fields seen | an app's error seen | goes on after a restart | bearer token |",
    "|---|---|---|---|---|---|---|---|", ...rows, "<!-- /hosts -->"].join("\n");
  const page = readFileSync(PAGE, "utf8");
  const marks = /<!-- hosts: .*?<!-- \/hosts -->/s;
  if (!marks.test(page)) throw new Error(`${PAGE} has no place for the table`);
  writeFileSync(PAGE, page.replace(marks, () => table));
}

async function main(wanted) {
  const chosen = HOSTS.filter(({ host }) => host.toLowerCase().includes(wanted.toLowerCase()));
  rmSync(join(ROOT, "seen"), { recursive: true, force: true });
  mkdirSync(join(ROOT, "seen"), { recursive: true });
  const model = await startModel();
  const rows = [];
  for (const host of chosen) {
    console.log(`running ${host.host}`);
    rows.push(await row(host, model));
    console.log(rows.at(-1));
  }
  model.close();
  if (model.outside.size) console.log(`refused on the way out: ${[...model.outside].join(", ")}`);
  if (chosen.length === HOSTS.length) writeTable(rows);
}

if (process.argv[2] === "--packages") console.log(HOSTS.map(({ npm }) => npm).join("\n"));
else await main(process.argv[2] ?? "");
