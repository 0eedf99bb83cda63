// What we make of JSON, against what JavaScript makes of it: JSON.parse says
// what is JSON, Number and JSON.stringify say how values are written.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

const SCALE = Number(process.env.TRAILS_TEST_SCALE ?? 1);
const SEED = Number(process.env.TRAILS_TEST_SEED ?? Date.now()) >>> 0;
const COUNT = Math.max(1, Math.floor(20000 * SCALE));
const BATCH = 500;

// A counter, mixed twice: enough to explore with, and the same for a seed.
let counter = SEED;
function random32() {
    counter = (counter + 0x9e3779b9) >>> 0;
    let x = counter;
    x = Math.imul(x ^ (x >>> 16), 0x45d9f3b5);
    x = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d);
    return (x ^ (x >>> 16)) >>> 0;
}

const below = (bound) => random32() % bound;
const pick = (list) => list[below(list.length)];
const times = (count, make) => Array.from({ length: count }, make);

// The tool runs once; it answers every line with one line.
const tool = spawn(
    fileURLToPath(
        new URL("../../build/debug/tools/json_echo", import.meta.url)),
    { stdio: ["pipe", "pipe", "inherit"] });
const answers = createInterface({ input: tool.stdout })[Symbol.asyncIterator]();
after(() => tool.stdin.end());

async function ask(texts) {
    const lines = [];
    for (let i = 0; i < texts.length; i += BATCH) {
        const batch = texts.slice(i, i + BATCH);
        tool.stdin.write(batch.map((text) => text + "\n").join(""));
        for (let n = 0; n < batch.length; n++)
            lines.push((await answers.next()).value);
    }
    return lines;
}

// The oracle -------------------------------------------------------------

class Lexeme {
    constructor(source) {
        this.source = source;
    }

    canonical() {
        if (/^-?\d+$/.test(this.source))
            return this.source === "-0" ? "0" : this.source;
        const value = Number(this.source);
        return Number.isFinite(value) ? String(value) : this.source;
    }
}

function parse(text) {
    return JSON.parse(text, (key, value, { source }) =>
        typeof value === "number" ? new Lexeme(source) : value);
}

const byBytes = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b));

function canonical(value) {
    if (value instanceof Lexeme)
        return value.canonical();
    if (Array.isArray(value))
        return `[${value.map(canonical).join(",")}]`;
    if (value === null || typeof value !== "object")
        return JSON.stringify(value);
    const members = Object.keys(value).sort(byBytes).map(
        (key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
    return `{${members.join(",")}}`;
}

// In JSON: an escaped surrogate that is no half of a pair. We refuse these.
const hasLoneSurrogate = (json) => /\\ud[89a-f]/i.test(
    json.replace(/\\\\/g, "x").replace(/\\ud[89ab]..\\ud[c-f]../gi, ""));

function expected(text) {
    try {
        const written = canonical(parse(text));
        return hasLoneSurrogate(text) ? "a lone surrogate" : written;
    } catch {
        return undefined;
    }
}

function check(text, answer) {
    const told = JSON.stringify(text) + `, TRAILS_TEST_SEED=${SEED}`;
    const wanted = expected(text);
    const refusal = /^error 1:(\d+) (.+)$/.exec(answer);
    if (wanted === undefined || wanted === "a lone surrogate") {
        assert.ok(refusal, `accepted ${told}: ${answer}`);
        assert.ok(Number(refusal[1]) <= [...text].length + 1, told);
        if (wanted)
            assert.equal(refusal[2], wanted, told);
    } else {
        assert.equal(answer, wanted, told);
    }
}

async function checkAll(texts) {
    const lines = await ask(texts);
    texts.forEach((text, i) => check(text, lines[i]));
}

// Random texts -----------------------------------------------------------

const SPACES = ["", "", "", " ", "\t", "\r", "  \t "];
const space = () => pick(SPACES);
const digits = (max) => times(1 + below(max), () => below(10)).join("");

function randomNumber() {
    const first = 1 + below(9);
    const integer = pick(["0", `${first}`, `${first}${digits(20)}`]);
    const fraction = below(3) ? "" : `.${digits(20)}`;
    const sign = pick(["e", "E", "e+", "e-"]);
    const exponent = below(3) ? "" : sign + digits(3);
    return pick(["", "-"]) + integer + fraction + exponent;
}

const SHORT = ["", "a", "b", "ab", "\\u0061", "__proto__", "10", "2"];
const ODD = ["\\ud800", "\\udc00", "\\/"];

const escaped = (unit) => `\\u${unit.toString(16).padStart(4, "0")}`;

function randomCharacter() {
    const code = below(pick([0x80, 0x800, 0x10000, 0x110000]));
    const character = String.fromCodePoint(code);
    const units = times(character.length, (_, i) => character.charCodeAt(i));
    if (below(3) === 0 || (code >= 0xd800 && code < 0xe000))
        return units.map(escaped).join("");
    return JSON.stringify(character).slice(1, -1);
}

function randomString() {
    if (below(2))
        return `"${pick(SHORT)}"`;
    const part = () => (below(60) ? randomCharacter() : pick(ODD));
    return `"${times(below(12), part).join("")}"`;
}

function randomText(depth) {
    const kind = below(depth < 4 ? 8 : 5);
    const many = () => (below(10) ? below(5) : below(40));
    if (kind < 2)
        return randomNumber();
    if (kind < 4)
        return randomString();
    if (kind === 4)
        return pick(["true", "false", "null"]);
    const item = () => space() + randomText(depth + 1) + space();
    const member = () => space() + randomString() + space() + ":" + item();
    if (kind === 5)
        return `[${times(many(), item).join(",") || space()}]`;
    return `{${times(many(), member).join(",") || space()}}`;
}

const LIKELY = "[]{}\",:\\/u0e+-. tfn'\t\u0000\u001f\u00e9\ufeff";

function mutated(text) {
    const characters = [...text];
    for (let n = 1 + below(3); n > 0; n--) {
        const wrong = pick([...LIKELY]);
        characters.splice(below(characters.length + 1), below(3),
                          ...(below(2) ? [wrong] : []));
    }
    return characters.join("");
}

const pattern = new DataView(new ArrayBuffer(8));
function randomDouble() {
    pattern.setUint32(0, random32());
    pattern.setUint32(4, random32());
    const value = pattern.getFloat64(0);
    return Number.isFinite(value) ? value : below(1000) / 8;
}

// Tests ------------------------------------------------------------------

test("random texts become what JavaScript makes of them", async () => {
    await checkAll(times(COUNT, () => space() + randomText(0) + space()));
});

test("mutated texts are accepted and refused as JSON.parse does", async () => {
    await checkAll(times(COUNT, () => mutated(randomText(1))));
});

test("random doubles are written as JavaScript writes them", async () => {
    const values = times(COUNT, randomDouble);
    const texts = values.map((value) => value.toExponential());
    const lines = await ask(texts);
    values.forEach((value, i) => assert.equal(lines[i], String(value),
        `${texts[i]}, TRAILS_TEST_SEED=${SEED}`));
});

test("random doubles are read with any number of digits", async () => {
    await checkAll(times(COUNT, () => {
        const value = randomDouble();
        return pick([value.toExponential(20), value.toPrecision(1 + below(100)),
                     value.toExponential(below(40)), String(value)]);
    }));
});

test("integers come back as they are written", async () => {
    const texts = times(COUNT, () => pick(["", "-"]) +
        (BigInt(random32()) * BigInt(random32()) >> BigInt(below(64))));
    const lines = await ask(texts);
    texts.forEach((text, i) =>
        assert.equal(lines[i], text === "-0" ? "0" : text));
});

test("every character is written as JSON.stringify writes it", async () => {
    const texts = [];
    for (let start = 0; start < 0x110000; start += 0x100) {
        const codes = times(0x100, (_, i) => start + i)
            .filter((code) => code < 0xd800 || code > 0xdfff);
        texts.push(JSON.stringify(String.fromCodePoint(...codes)));
    }
    const lines = await ask(texts);
    texts.forEach((text, i) => assert.equal(lines[i], text));
});

test("tricky texts are treated alike", async () => {
    await checkAll([
        "", " ", "\ufeff1", "1\u00a0", "\u20281", "{\"a\":1,\"a\":2}",
        "{\"b\":1,\"a\":2,\"b\":{}}", "{\"__proto__\":1}",
        "{\"\uff61\":1,\"\u{10000}\":2}", "{\"10\":1,\"9\":2,\"\":3}",
        "\"\\ud83d\\ude00\"", "\"\\ude00\\ud83d\"", "\"\\ud83d\"",
        "\"\\\\ud83d\"", "\"\u2028\u2029\u007f\"", "-0", "-0.0", "0e1", "1e400",
        "-1e400", "1e-400", "5e-324", "2.2250738585072011e-308", "01", "1.",
        ".1", "+1", "0x1", "NaN", "Infinity", "-", "--1", "1e", "[1,]", "[,]",
        "{,}", "{\"a\":1,}", "[1 2]", "'a'", "\"\t\"", "\"\\x41\"", "\"\\u12\"",
        "nul", "nulll", "true false", "[".repeat(500) + "]".repeat(500),
    ]);
});
