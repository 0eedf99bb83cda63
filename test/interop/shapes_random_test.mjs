// Each shape of the demo, as GET /shapes/{Name} serves it: the types, the shapes beside
// them, and what capabilities take and give. The IRIs of the manifest lead to them, the
// bytes are those of trails://shape/{Name}, and on random instances our validator and
// rdf-validate-shacl, with that file, find the same. TRAILS_TEST_SEED repeats a run.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ask } from '../js/clients.mjs';
import { scaled, seed } from '../js/datasets.mjs';
import { demo, start } from '../js/demo.mjs';
import { SH, Shape, TYPE } from '../js/instances.mjs';

const require = createRequire(new URL('../js/package.json', import.meta.url));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { Parser } = await load('n3');
const { default: rdf } = await load('@rdfjs/dataset');
const { default: model } = await load('@rdfjs/data-model');
const { default: toNT } = await load('@rdfjs/to-ntriples');
const { default: SHACLValidator } = await load('rdf-validate-shacl');

const PROJECT = 'trails://requirements/';
const COUNT = Math.max(25, scaled(1000)); // instances of each shape
const DECLARED = [...readFileSync('apps/requirements/app.lua', 'utf8').matchAll(/^(?:node_type|shape) "(\w+)"/gm)].map(([, name]) => name);
const nameOf = (iri) => iri.slice(PROJECT.length).replace(/^shape\//, '');
const iriOf = (name) => `${PROJECT}${name.includes('.') ? 'shape/' : ''}${name}`;

const folder = mkdtempSync(join(tmpdir(), 'trails-shapes-'));
let server;
let origin;
let manifest;

before(async () => {
  server = await start(demo());
  origin = new URL(server.url).origin;
  manifest = await (await fetch(new URL('/.well-known/capabilities', origin))).json();
});
after(async () => {
  assert.equal(await server.stop(), 0, 'the server ends cleanly');
  rmSync(folder, { recursive: true });
});

async function served(name) {
  const answer = await fetch(new URL(`/shapes/${name}`, origin));
  assert.equal(answer.status, 200, name);
  assert.equal(answer.headers.get('content-type'), 'text/turtle');
  return answer.text();
}

// All names under which there is a shape.
function names() {
  const iris = manifest['@graph'].flatMap((node) => [node.input_shape, node.output_shape]).filter(Boolean);
  return [...new Set([...DECLARED, ...iris.map(nameOf)])].sort();
}

test('every IRI of a shape leads to that shape, over HTTP and MCP', async () => {
  const iris = manifest['@graph'].flatMap((node) => [node.input_shape, node.output_shape]).filter(Boolean);
  assert.ok(iris.length > 30 && iris.some((iri) => iri.startsWith(`${PROJECT}shape/`)));
  for (const iri of iris) assert.equal(iriOf(nameOf(iri)), iri);
  assert.equal(DECLARED.length, 8);
  for (const name of names()) {
    const text = await served(name);
    const uri = `trails://shape/${name}`;
    const { result } = await ask(server.url, 'resources/read', { uri });
    assert.deepEqual(result.contents.map((one) => [one.uri, one.mimeType, one.text]), [[uri, 'text/turtle', text]]);
    const shape = rdf.dataset(new Parser().parse(text));
    assert.equal(shape.match(model.namedNode(iriOf(name)), TYPE, model.namedNode(`${SH}NodeShape`)).size, 1, name);
  }
});

// Nodes that others refer to, of each class that a shape names: they are of it, no more.
function othersOf(shapes) {
  const classes = new Set(shapes.flatMap(({ fields }) => fields.map((field) => field.class?.value)).filter(Boolean));
  const others = new Map([...classes].map((name) =>
    [name, Array.from({ length: 3 }, (_, i) => model.namedNode(`${name}/other-${i}`))]));
  const quads = [...others].flatMap(([name, nodes]) => nodes.map((node) => model.quad(node, TYPE, model.namedNode(name))));
  return { others, quads };
}

// A result; blank nodes have other names in each report.
const key = (focus, path, value, component) =>
  [focus, path, value].map((term) => (!term ? '-' : term.termType === 'BlankNode' ? '_:' : toNT(term))).concat(component.slice(SH.length)).join(' ');

async function askLibrary(shapes, data) {
  const report = await new SHACLValidator(rdf.dataset(shapes), { maxNodeChecks: 0 }).validate(rdf.dataset(data));
  return report.results.map((one) => key(one.focusNode, one.path, one.value, one.sourceConstraintComponent.value));
}

function askOurs(name, turtle, targets, data) {
  const files = ['shape.ttl', 'targets.nt', 'data.nt'].map((file) => join(folder, file));
  const write = (file, quads) => writeFileSync(file, quads.map((quad) => `${toNT(quad)}\n`).join(''));
  writeFileSync(files[0], turtle);
  write(files[1], targets);
  write(files[2], data);
  const done = spawnSync('build/debug/trails', ['validate', '--shapes', files[0], '--shapes', files[1], '--data', files[2],
    '--format', 'ttl', '--limit', '1000000'], { encoding: 'utf8', maxBuffer: 1 << 30 });
  assert.ok(done.status <= 1, `${name}: ${done.stderr}`);
  const report = rdf.dataset(new Parser().parse(done.stdout));
  const of = (node, member) => [...report.match(node, model.namedNode(SH + member))][0]?.object;
  return [...report.match(null, TYPE, model.namedNode(`${SH}ValidationResult`))].map(({ subject }) =>
    key(of(subject, 'focusNode'), of(subject, 'resultPath'), of(subject, 'value'), of(subject, 'sourceConstraintComponent').value));
}

// Types have targets; what capabilities take and give is nobody's, so each instance
// is one.
async function compare(name, turtle, faults) {
  const quads = new Parser().parse(turtle);
  const shape = new Shape(quads, iriOf(name));
  const target = rdf.dataset(quads).match(shape.iri, model.namedNode(`${SH}targetClass`));
  const isType = !name.includes('.') && !target.size;
  const type = isType ? shape.iri : [...target][0]?.object;
  const { others, quads: around } = othersOf([shape]);
  const subjects = Array.from({ length: COUNT }, (_, i) => model.namedNode(`${PROJECT}instances/${i}`));
  const data = [...around, ...subjects.flatMap((subject) => shape.instance(subject, type, others))];
  const targets = type ? [] : subjects.map((subject) => model.quad(shape.iri, model.namedNode(`${SH}targetNode`), subject));
  const theirs = (await askLibrary([...quads, ...targets], data)).sort();
  const ours = askOurs(name, turtle, targets, data).sort();
  assert.deepEqual(ours, theirs, `${name}, TRAILS_TEST_SEED=${seed}`);
  for (const one of ours) faults.add(one.split(' ').at(-1));
  return new Set(ours.map((one) => one.split(' ')[0]).filter((focus) => focus.includes('/instances/'))).size;
}

test(`two validators agree on random instances, TRAILS_TEST_SEED=${seed}`, async () => {
  const faults = new Set();
  for (const name of names()) {
    const wrong = await compare(name, await served(name), faults);
    assert.ok(wrong > 0, `${name}: some are refused`);
    assert.ok(wrong < COUNT, `${name}: some are taken`);
  }
  for (const one of ['Class', 'Closed', 'Datatype', 'In', 'MaxCount', 'MinCount', 'MaxLength', 'MinLength', 'MaxInclusive',
    'MinInclusive', 'Pattern', 'NodeKind']) assert.ok(faults.has(`${one}ConstraintComponent`), one);
});
