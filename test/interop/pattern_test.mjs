// Patterns: what the program takes, JavaScript compiles as clients do, with the
// flag u; what it refuses, it refuses when the app is loaded, and says where.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

const folder = mkdtempSync(join(tmpdir(), "trails-pattern-"));
after(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, "trails.toml"), '[project]\nname = "pat"\n');

const check = (source) => {
  writeFileSync(join(folder, "app.lua"), source);
  return spawnSync("build/debug/trails", ["check", folder], { encoding: "utf8" });
};
const quoted = (text) => "[==[" + text + "]==]";
const app = (patterns) =>
  `node_type "T" { fields = {\n${patterns.map((p, i) => `f${i} = text { pattern = ${quoted(p)} },`).join("\n")}\n} }\n`;

const GOOD = [
  "^REQ-\\d+$", "[a-z]", "[^a-z]+", "a|b|", "(a)(?:b)\\1", "(?<name>a)\\k<name>", "(?=a)b", "(?!a)b", "(?<=a)b", "(?<!a)b",
  "\\p{L}", "\\P{Lu}", "\\p{Letter}", "\\p{gc=Lu}", "\\p{Script=Greek}", "\\p{LC}", "\\u0041\\x41\\u{1F600}", "a{2}b{2,}c{2,3}?", "a*?b+?c??",
  "\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\^\\$\\\\\\/", "[\\-\\w]", "[-a]", "[a-]", "[]", "[^]", "[[a]", "[\\b]", "\\bword\\B", "\\t\\n\\r\\f", "\\0", "é+[à-ü]", "[\\d.-]", "",
];
const BAD = [
  "(?i)^a$", "\\h", "\\R", "\\A", "\\z", "\\Z", "\\Qa\\E", "\\X", "\\e", "\\N", "\\K", "\\G", "\\a", "[[:alpha:]]", "a++", "a*+", "a{,2}", "(?#c)a",
  "[]a]", "]", "}", "{", "a{", "\\-", "[a-z-[aeiou]]", "[\\w-.]", "[+-\\d]", "\\p{Greek}", "\\pL", "\\p{L&}", "\\p{^Lu}", "\\p{Xan}", "\\p{IsBasicLatin}", "(?>a)", "(?|a|b)", "(?P<n>a)",
  "(*UTF)a", "(?R)", "(?1)(a)", "\\g1", "\\o{101}", "\\01", "(?=a)*", "(?<=a)*", "^*", "$+", "\\b*", "a**", "|*", "(*)", "\\c", "\\cA", "\\v", "\\i", "\\ua", "\\xg", "\\u{}", "a)", "(a", "[a", "\\2(a)", "(a)\\12", "\\12\\w", "\\k<n>", "(?<1>a)", "(?-i)a", "\\_", "\\é",
];

const compiles = (pattern) => {
  try {
    return Boolean(new RegExp(pattern, "u"));
  } catch {
    return false;
  }
};

test("what everybody reads alike is taken", () => {
  for (const pattern of GOOD) assert.ok(compiles(pattern), pattern);
  const { status, stderr } = check(app(GOOD.filter(Boolean)));
  assert.equal(status, 0, stderr);
});

test("everything else is refused where it stands", () => {
  for (const pattern of BAD) {
    const { status, stderr } = check(`-- a line\n${app([pattern])}`);
    assert.equal(status, 1, `${pattern} is taken`);
    assert.match(stderr, /app\.lua:2: node_type 'T'.*pattern.*at byte \d+/, pattern);
  }
});

test("schemas that an author brings are held to the same", () => {
  const source = (pattern) => `capability "c" { description = "d", side_effects = {},
    input_schema = { type = "object", properties = { a = { type = "string", pattern = ${quoted(pattern)} } } },
    run = function() return "x" end }\n`;
  assert.equal(check(source("^a$")).status, 0);
  const { status, stderr } = check(source("(?i)^a$"));
  assert.equal(status, 1);
  assert.match(stderr, /app\.lua:1: .*at byte 0/);
});

// Drawn from pieces: whatever is taken compiles.
test("what is taken compiles, whatever it is", () => {
  const seed = Number(process.env.TRAILS_TEST_SEED ?? Date.now() % 1e9);
  console.error(`TRAILS_TEST_SEED=${seed}`);
  let state = seed >>> 0;
  const draw = (n) => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 8) % n;
  const pieces = [..."ab-^$.*+?()[]{}|,12&:<>=!\\/", "\\d", "\\w", "\\-", "\\b", "(?:", "(?=", "(?<", "[^", "[a-", "-[", "{1,2}", "\\p{L}", "\\u0041", "é", "[[:", ":]]", "\\1", "\\k<"];
  const patterns = Array.from({ length: 3000 }, () => Array.from({ length: 1 + draw(6) }, () => pieces[draw(pieces.length)]).join(""));
  const taken = patterns.filter((pattern) => compiles(pattern) || draw(12) === 0).filter((p) => !p.includes("]==")).slice(0, 150);
  for (const pattern of taken) {
    const { status } = check(app([pattern]));
    if (status === 0) assert.ok(compiles(pattern), `${pattern} is taken`);
  }
});

const shapes = (pattern) => `@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix e: <http://e/> .
e:S a sh:NodeShape ; sh:targetClass e:T ; sh:property [ sh:path e:p ; sh:pattern ${JSON.stringify(pattern)} ] .
`;

test("so are shapes, of which some have what only XPath has", () => {
  writeFileSync(join(folder, "data.ttl"), '<http://e/a> a <http://e/T> ; <http://e/p> "1-2" .\n');
  const validate = (pattern) => {
    writeFileSync(join(folder, "shapes.ttl"), shapes(pattern));
    return spawnSync("build/debug/trails", ["validate", "--shapes", join(folder, "shapes.ttl"), "--data", join(folder, "data.ttl")], { encoding: "utf8" });
  };
  assert.equal(validate("^\\d\\-\\d$").status, 0);
  for (const pattern of ["[a-z-[aeiou]]", "\\i\\c*", "[[:alpha:]]", "a++"]) {
    const { status, stderr } = validate(pattern);
    assert.equal(status, 2, pattern);
    assert.match(stderr, /shape _:b1: sh:pattern.*at byte \d+/, pattern);
    const loaded = check('node_type "T" { fields = { p = text } }\nshape_file "shapes.ttl"\n');
    assert.equal(loaded.status, 1, pattern);
    assert.match(loaded.stderr, /app\.lua:2: .*sh:pattern.*at byte \d+/, pattern);
  }
});
