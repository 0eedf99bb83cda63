// Random shapes over random data (../js/shacl_cases.mjs): the results are those
// of rdf-validate-shacl and of shacl-engine, each as often. A library is asked
// what it does as the specification has it; what it does not is noted in the
// cases, with the section of SHACL that decides.
//
// How often a result is told of: SHACL 4.7.2 asks for fresh results each time a
// property shape is reached, also when it is for the same node.
//
// What the cases leave out for all:
// - Both libraries compare language ranges as texts (4.4.4 refers to
//   langMatches) and the tags of sh:uniqueLang with their case: the tags here
//   are such that it does not matter.
// - rdf-validate-shacl orders strings by locale (4.3 refers to SPARQL, which
//   orders by code point); both count UTF-16 units where 4.4.1 counts
//   characters: the texts here are plain.
import assert from 'node:assert';
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { Case, Random, SUBCLASS } from '../js/shacl_cases.mjs';

const require = createRequire(new URL('../js/package.json', import.meta.url));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { default: rdf } = await load('@rdfjs/dataset');
const { default: model } = await load('@rdfjs/data-model');
const { default: SHACLValidator } = await load('rdf-validate-shacl');
const { Validator } = await load('shacl-engine');
const { default: EngineShape } = await load('shacl-engine/lib/Shape.js');
const { default: toNT } = await load('@rdfjs/to-ntriples');

const TOOL = fileURLToPath(
  new URL('../../build/debug/tools/shacl_check', import.meta.url));
const SH = 'http://www.w3.org/ns/shacl#';

const seed = Number(process.env.TRAILS_TEST_SEED || Date.now()) >>> 0;
const scale = Number(process.env.TRAILS_TEST_SCALE || 1);
const count = Math.max(1, Math.floor(10000 * scale));

// shacl-engine remembers which shapes it has validated a node against, and then
// repeats a part of the results only, or finds that the node conforms (SHACL
// 4.7.2: fresh results each time). That is its guard against recursive shapes;
// there are none here, so it has to do without.
EngineShape.prototype.validate = function validate(context) {
  return this.shapeValidator.validate(context);
};

// SHACL 4.2.1, 4.2.2, 4.4.5, 4.7.3, 4.8.2: these results have no sh:value;
// shacl-engine gives them the focus node inside of sh:property.
const NO_VALUE = new Set(['MinCount', 'MaxCount', 'UniqueLang', 'HasValue',
  'QualifiedMinCount', 'QualifiedMaxCount']);

const text = (term) => (term ? toNT(term) : '-');
const component = (term) => term.value.slice(SH.length)
  .replace('ConstraintComponent', '');

function key(focus, value, name, shape, path, severity) {
  return [text(focus), text(value), name, text(shape),
    name === 'Closed' ? text(path) : '-', text(severity)].join('\t');
}

async function askLibrary({ shapes, theirs, data }) {
  // By default it gives up on a node and a shape after 50 checks.
  const validator = new SHACLValidator(
    rdf.dataset([...shapes, ...theirs]), { maxNodeChecks: 0 });
  const report = await validator.validate(data);
  return report.results.map((result) => key(result.focusNode, result.value,
    component(result.sourceConstraintComponent), result.sourceShape,
    result.path, result.severity)).sort();
}

async function askEngine({ shapes, theirs, data }) {
  const factory = { ...model, dataset: rdf.dataset };
  for (const name of ['namedNode', 'blankNode', 'literal', 'quad',
    'defaultGraph', 'variable']) {
    factory[name] = (...all) => model[name](...all);
  }
  // It looks for subclasses in the shapes (SHACL 4.1.1, 2.1.3.2: in the data).
  const graph = rdf.dataset([...shapes, ...theirs,
    ...data.match(null, SUBCLASS)]);
  const validator = new Validator(graph, { factory });
  const report = await validator.validate({ dataset: data });
  return report.results.map((result) => {
    const name = component(result.constraintComponent);
    return key(result.focusNode.term,
      NO_VALUE.has(name) ? null : result.value?.term, name,
      result.shape.ptr.term, result.path?.[0].predicates[0], result.severity);
  }).sort();
}

// The tool, which answers one case after the other.
class Tool {
  constructor() {
    this.child = spawn(TOOL, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.lines = createInterface({ input: this.child.stdout })[
      Symbol.asyncIterator]();
  }

  async ask(what) {
    const texts = [[...what.shapes, ...what.ours], [...what.data]].map((quads) => Buffer.from(
      quads.map((quad) => `${toNT(quad)}\n`).join('')));
    this.child.stdin.write(
      `${texts[0].length} ${texts[1].length}\n`);
    this.child.stdin.write(Buffer.concat(texts));
    const found = [];
    for (;;) {
      const { value, done } = await this.lines.next();
      assert.ok(!done, 'the tool ended');
      assert.ok(!value.startsWith('error'), `${value}\n${show(what)}`);
      if (value === 'conforms' || value === 'violates') return found.sort();
      found.push(value);
    }
  }

  end() {
    this.child.stdin.end();
  }
}

function show({ shapes, ours, data }) {
  return [...shapes, ...ours, ...data].map((quad) => toNT(quad)).join('\n');
}

const LIBRARIES = { library: ['rdf-validate-shacl', askLibrary],
  engine: ['shacl-engine', askEngine] };

async function compare(tool, what, name, asked) {
  if (what.isRecursive) {
    await assert.rejects(tool.ask(what), /it refers to itself/);
    return;
  }
  const ours = await tool.ask(what);
  asked.violating += ours.length > 0;
  for (const [which, [library, ask]] of Object.entries(LIBRARIES)) {
    for (const reason of what.spared[which]) {
      const note = `not ${library}: ${reason}`;
      asked[note] = (asked[note] || 0) + 1;
    }
    if (what.spared[which].size === 0) {
      asked[library]++;
      assert.deepStrictEqual(ours, await ask(what),
        `${library}, ${name}:\n${show(what)}`);
    }
  }
}

test(`${count} random cases, seed ${seed}`, async () => {
  const tool = new Tool();
  const random = new Random(seed);
  const asked = { 'rdf-validate-shacl': 0, 'shacl-engine': 0, violating: 0 };
  try {
    for (let i = 0; i < count; i++) {
      await compare(tool, new Case(random), `case ${i}, seed ${seed}`, asked);
    }
  } finally {
    tool.end();
  }
  console.log(asked);
  for (const what of ['rdf-validate-shacl', 'shacl-engine', 'violating']) {
    assert.ok(count < 50 || asked[what] > count / 4, what);
  }
});
