// A client that is generated from /openapi.json by others (openapi-typescript) calls
// the demo (openapi-fetch) and gets typed results and typed errors; what is used
// wrongly does not compile.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { demo, start } from "../js/demo.mjs";

const require = createRequire(new URL("../js/package.json", import.meta.url));
const { default: generate, astToString } = require("openapi-typescript");
const ts = require("typescript");

const folder = mkdtempSync(join(tmpdir(), "trails-generated-"));
const PROGRAM = join(folder, "use_demo.ts");
const OPTIONS = {
  target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true, types: [], outDir: folder,
};
let server;
let origin;

before(async () => {
  server = await start(demo());
  origin = new URL(server.url).origin;
  // A default that callers may leave out is not one that they have to send.
  const types = await generate(new URL("/openapi.json", origin), { defaultNonNullable: false });
  writeFileSync(join(folder, "demo.d.ts"), astToString(types));
  writeFileSync(join(folder, "package.json"), '{"type": "module"}');
  symlinkSync(resolve("test/js/node_modules"), join(folder, "node_modules"));
  cpSync("test/js/use_demo.ts", PROGRAM);
});
after(async () => {
  assert.equal(await server.stop(), 0, "the server ends cleanly");
  rmSync(folder, { recursive: true });
});

// What the compiler says of programs, by file and line.
function compile(files, options = { noEmit: true }) {
  const program = ts.createProgram(files, { ...OPTIONS, ...options });
  const { diagnostics } = program.emit();
  return [...ts.getPreEmitDiagnostics(program), ...diagnostics].map(({ file, start, code, messageText }) => ({
    file: file?.fileName, line: file?.getLineAndCharacterOfPosition(start).line, code,
    text: ts.flattenDiagnosticMessageText(messageText, "\n"),
  }));
}

test("it compiles, calls the demo and gets what it is promised", async () => {
  assert.deepEqual(compile([PROGRAM], {}), []);
  const { use } = await import(pathToFileURL(join(folder, "use_demo.js")).href);
  const got = await use(origin);
  assert.ok(got.lines.length > 0 && got.lines.every((line) => /^[A-Z]+-\d+ /.test(line)), String(got.lines));
  assert.equal(typeof got.more, "boolean");
  assert.ok(got.requirements > got.passed && got.passed > 0 && got.untested > 0);
  assert.equal(got.status, 422);
  assert.deepEqual(got.wrong, ["title min_length", "statement min_length"]);
  assert.equal(typeof got.title, "string");
  assert.ok(got.first);
  assert.deepEqual(got.second, got.first);
  assert.equal(got.replayed, "true");
});

// What is used wrongly, and the number of the error that the compiler has for it.
const FOUND = 'const found = await demo.POST("/invoke/search_requirements", { body: { text: "bolt" } });';
const REPORT = 'const report = await demo.POST("/invoke/coverage_report", { body: { project: "HUB" } });';
const PROPOSE = (body) => `await demo.POST("/invoke/propose_requirement", { body: ${body} });`;
const WHOLE = 'project: "DOCK", title: "t", statement: "s"';
const MISUSES = [
  ["a capability that is not there", 'await demo.POST("/invoke/nothing", { body: {} });', 2345],
  ["another method", 'await demo.GET("/invoke/coverage_report", { body: { project: "HUB" } });', 2345],
  ["no body", 'await demo.POST("/invoke/search_requirements", {});', 2345],
  ["an argument that is missing", PROPOSE(`{ ${WHOLE} }`), 2322],
  ["an argument that is none", PROPOSE(`{ ${WHOLE}, kind: "safety", colour: "red" }`), 2353],
  ["an argument of another type", PROPOSE(`{ ${WHOLE}, kind: "safety", priority: "high" }`), 2322],
  ["a value that is not among those", PROPOSE(`{ ${WHOLE}, kind: "fast" }`), 2322],
  ["a result before the error is ruled out", `${FOUND} found.data.more;`, 18048],
  ["a result that has no such member", `${FOUND} if (!found.error) found.data.less;`, 2339],
  ["a result of another type", `${REPORT} if (!report.error) { const x: string = report.data.passed; void x; }`, 2322],
  ["a result that may be absent", `${REPORT} if (!report.error) report.data.failing_keys.length;`, 18048],
  ["an error that has no such member", `${FOUND} if (found.error) found.error.reason;`, 2339],
  ["fields that may be absent", `${FOUND} if (found.error) found.error.fields.length;`, 18048],
  ["a field error of another type", `${FOUND} const n: number | undefined = found.error?.fields?.[0].field; void n;`, 2322],
  ["a field error that has no such member", `${FOUND} found.error?.fields?.[0].reason;`, 2339],
  ["a header of another type",
    'await demo.POST("/invoke/coverage_report", { body: { project: "HUB" }, params: { header: { "Idempotency-Key": 5 } } });', 2322],
];

test("what is used wrongly does not compile", () => {
  const files = MISUSES.map(([, text], i) => {
    const file = join(folder, `misuse_${i}.ts`);
    writeFileSync(file, `import createClient from "openapi-fetch";\nimport type { paths } from "./demo.js";
const demo = createClient<paths>({ baseUrl: "http://127.0.0.1" });\n${text}\nexport {};\n`);
    return file;
  });
  const told = compile(files);
  MISUSES.forEach(([name, text, code], i) => {
    const of = told.filter(({ file }) => file === files[i]);
    assert.deepEqual(of.map((one) => [one.line, one.code]), [[3, code]], `${name}: ${text}\n${JSON.stringify(of)}`);
  });
  assert.equal(told.length, MISUSES.length, JSON.stringify(told));
});
