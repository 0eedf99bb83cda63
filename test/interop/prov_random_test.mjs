// The PROV-O view of random calls: oxigraph reads it, it has terms of PROV-O
// and rdf: alone, it says what the JSON view says, and neither shows a value.
import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const require = createRequire(new URL('../js/package.json', import.meta.url));
const oxigraph = require('oxigraph');
const jsonld = require('jsonld');

const TOOL = fileURLToPath(
  new URL('../../build/debug/tools/prov_view', import.meta.url));
const PROV = 'http://www.w3.org/ns/prov#';
const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const XSD = 'http://www.w3.org/2001/XMLSchema#';
const GRAPH = 'trails://demo/prov';

// PROV-O: The PROV Ontology, W3C Recommendation of 30 April 2013, section 3.
const CLASSES = new Set(`
  Activity Agent Entity Bundle Collection EmptyCollection Location Organization
  Person Plan SoftwareAgent ActivityInfluence AgentInfluence Association
  Attribution Communication Delegation Derivation End EntityInfluence
  Generation Influence InstantaneousEvent Invalidation PrimarySource Quotation
  Revision Role Start Usage`.trim().split(/\s+/).map((name) => PROV + name));
const PROPERTIES = new Set(`
  actedOnBehalfOf endedAtTime startedAtTime used wasAssociatedWith
  wasAttributedTo wasDerivedFrom wasGeneratedBy wasInformedBy alternateOf
  atLocation generated generatedAtTime hadMember hadPrimarySource influenced
  invalidated invalidatedAtTime specializationOf value wasEndedBy
  wasInvalidatedBy wasQuotedFrom wasRevisionOf wasStartedBy activity agent
  atTime entity hadActivity hadGeneration hadPlan hadRole hadUsage influencer
  qualifiedAssociation qualifiedAttribution qualifiedCommunication
  qualifiedDelegation qualifiedDerivation qualifiedEnd qualifiedGeneration
  qualifiedInfluence qualifiedInvalidation qualifiedPrimarySource
  qualifiedQuotation qualifiedRevision qualifiedStart qualifiedUsage
  wasInfluencedBy`.trim().split(/\s+/).map((name) => PROV + name));

const seed = Number(process.env.TRAILS_TEST_SEED || Date.now()) >>> 0;
const scale = Number(process.env.TRAILS_TEST_SCALE || 1);
const count = Math.min(1000, Math.max(20, Math.floor(1000 * scale)));
const folder = mkdtempSync(join(tmpdir(), 'trails-prov-'));
after(() => rmSync(folder, { recursive: true }));

function run(...args) {
  const done = spawnSync(TOOL, [join(folder, 'a.db'), ...args],
    { encoding: 'utf8', maxBuffer: 1 << 28 });
  assert.strictEqual(done.status, 0, `${done.stderr} (seed ${seed})`);
  return done.stdout;
}

run(String(seed), String(count));
const nquads = run('nq');
const json = run('json');
const { activities } = JSON.parse(json);
const store = new oxigraph.Store();
store.load(nquads, { format: 'application/n-quads' });
const graph = oxigraph.namedNode(GRAPH);

// The values of a property, sorted.
function values(subject, property) {
  return store
    .match(oxigraph.namedNode(subject), oxigraph.namedNode(PROV + property),
      null, graph)
    .map((quad) => quad.object.value).sort();
}

const types = (subject) => store
  .match(oxigraph.namedNode(subject), oxigraph.namedNode(`${RDF}type`))
  .map((quad) => quad.object.value);

const distinct = (list) => [...new Set(list)].sort();

test(`terms are of PROV-O and rdf: alone, seed ${seed}`, () => {
  assert.ok(store.size > count * 10);
  for (const { subject, predicate, object, graph: name } of store.match()) {
    const isType = predicate.value === `${RDF}type`;
    assert.ok(isType || PROPERTIES.has(predicate.value), predicate.value);
    assert.ok(!isType || CLASSES.has(object.value), object.value);
    assert.strictEqual(subject.termType, 'NamedNode');
    assert.strictEqual(name.value, GRAPH);
    if (object.termType === 'Literal') {
      assert.ok([`${XSD}dateTime`, `${XSD}string`]
        .includes(object.datatype.value), object.datatype.value);
    }
  }
});

test('every call is there, in both views', () => {
  assert.strictEqual(activities.length, count);
  const named = store.match(null, oxigraph.namedNode(`${RDF}type`),
    oxigraph.namedNode(`${PROV}Activity`)).map((quad) => quad.subject.value);
  assert.deepStrictEqual(named.sort(), distinct(activities.map((a) => a.id)));
  const ids = activities.map((a) => a.id);
  assert.deepStrictEqual(ids, [...ids].sort().reverse());
});

test('PROV-O says what JSON says', () => {
  for (const a of activities) {
    const time = (property) => values(a.id, property).map(Date.parse);
    assert.deepStrictEqual(time('startedAtTime'), [Date.parse(a.started)]);
    assert.deepStrictEqual(time('endedAtTime'), [Date.parse(a.ended)]);
    assert.deepStrictEqual(values(a.id, 'wasInformedBy'),
      a.parent ? [a.parent] : []);
    const [end] = values(a.id, 'qualifiedEnd');
    assert.deepStrictEqual(values(end, 'hadRole'),
      [`trails://prov/outcome/${a.outcome}`]);
    for (const [property, part, nodes] of [
      ['used', 'arguments', a.used], ['generated', 'result', a.generated],
      ['invalidated', null, a.invalidated]]) {
      const digest = a.digests[part];
      const parts = digest ? [`${a.id}#${part}`] : [];
      assert.deepStrictEqual(values(a.id, property),
        distinct([...nodes, ...parts]));
      assert.deepStrictEqual(parts.flatMap((iri) => values(iri, 'value')),
        digest ? [digest] : []);
      for (const iri of [...nodes, ...parts]) {
        assert.ok(types(iri).includes(`${PROV}Entity`), iri);
      }
    }
  }
});

test('every call has one agent and one plan', () => {
  const agents = new Map();
  const plans = new Map();
  for (const a of activities) {
    const [association, ...others] = values(a.id, 'qualifiedAssociation');
    assert.deepStrictEqual(others, []);
    assert.deepStrictEqual(types(association), [`${PROV}Association`]);
    const [agent] = values(a.id, 'wasAssociatedWith');
    assert.deepStrictEqual(values(association, 'agent'), [agent]);
    assert.ok(types(agent).includes(`${PROV}Agent`));
    const [plan] = values(association, 'hadPlan');
    assert.ok(types(plan).includes(`${PROV}Plan`));
    agents.set(a.principal ?? '', agent);
    plans.set(JSON.stringify([a.kind, a.name, a.version]), plan);
  }
  // Who or what is another has another IRI.
  assert.strictEqual(new Set(agents.values()).size, agents.size);
  assert.strictEqual(new Set(plans.values()).size, plans.size);
});

test('no view shows a value', () => {
  assert.ok(!nquads.includes('secret') && !json.includes('secret'));
});

// What JSON-LD makes of the JSON view is a part of the PROV-O view.
test('the JSON view is JSON-LD', async () => {
  const quads = await jsonld.toRDF(JSON.parse(json), { safe: false });
  assert.ok(quads.length >= count * 4);
  for (const { subject, predicate, object } of quads) {
    const value = object.termType === 'Literal'
      ? oxigraph.literal(object.value,
        oxigraph.namedNode(object.datatype.value))
      : oxigraph.namedNode(object.value);
    const found = store.match(oxigraph.namedNode(subject.value),
      oxigraph.namedNode(predicate.value), value, graph);
    assert.strictEqual(found.length, 1,
      `${subject.value} ${predicate.value} ${object.value}`);
  }
});
