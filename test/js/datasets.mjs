// Random datasets, and whether two of them are the same up to the names of
// blank nodes (by rdf-canonize). TRAILS_TEST_SEED repeats a run.
import { createRequire } from 'node:module';

const require = createRequire(new URL('package.json', import.meta.url));
export const oxigraph = require('oxigraph');
export const jsonld = require('jsonld');
const { canonize } = require('rdf-canonize');

const XSD = 'http://www.w3.org/2001/XMLSchema#';
const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
export const MEDIA_TYPE = {
  nt: 'application/n-triples',
  nq: 'application/n-quads',
  ttl: 'text/turtle',
  trig: 'application/trig',
};

export const seed = Number(process.env.TRAILS_TEST_SEED || Date.now()) >>> 0;
const scale = Number(process.env.TRAILS_TEST_SCALE || 1);

// A count for `make soak`, or the part of it that is asked for.
export const scaled = (full) => Math.max(1, Math.floor(full * scale));

let state = seed;

// Mulberry32: small, and good enough to explore with.
export function random(below) {
  state = (state + 0x6d2b79f5) >>> 0;
  let t = state;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) % below;
}

export const pick = (list) => list[random(list.length)];

const IRIS = [
  'http://example.org/a', 'http://example.org/b#c', 'http://example.org/',
  'http://example.org/ä', 'http://example.org/x%20y', 'urn:x:y',
  'http://example.org/a.', 'http://example.org/-x', 'http://example.org/1',
  'http://example.org/(x)', 'http://example.org/a:b', "http://example.org/'",
  'http://schema.org/name', `${XSD}integer`, `${RDF}nil`,
];
const PREDICATES = [
  'http://example.org/p', 'http://example.org/q', 'http://schema.org/name',
  `${RDF}type`, `${RDF}first`, `${RDF}rest`, `${RDF}value`,
];
const TEXTS = [
  '', 'a', '1', '-1', '01', '1.5', '-0', '1e3', '1.0E0', 'true', '1', 'a"b',
  'a\\b', "it's", 'x\n\r\ty', '€', '\u{1F600}', '\u0001', ' x ', '"""', '1.',
  '9007199254740993', '2026-07-28T12:00:00Z', 'NaN', 'INF', '\u007F', '\u2028',
];
const DATATYPES = ['string', 'integer', 'decimal', 'double', 'boolean',
  'dateTime', 'date', 'anyURI'].map((name) => XSD + name)
  .concat('http://example.org/type');
const LABELS = ['x', 'b1', 'B1', 'bb2', 'y'];

function resource() {
  return random(2) ? oxigraph.namedNode(pick(IRIS))
    : oxigraph.blankNode(pick(LABELS));
}

function object() {
  switch (random(4)) {
    case 0:
      return oxigraph.literal(pick(TEXTS),
        oxigraph.namedNode(pick(DATATYPES)));
    case 1: // jsonld makes tags lower case
      return oxigraph.literal(pick(TEXTS), pick(['en', 'de-at']));
    default:
      return resource();
  }
}

export function dataset(withGraphs) {
  const store = new oxigraph.Store();
  for (let i = random(16); i > 0; i--) {
    store.add(oxigraph.quad(
      resource(), oxigraph.namedNode(pick(PREDICATES)), object(),
      withGraphs && random(3) === 0 ? resource() : oxigraph.defaultGraph()));
  }
  return store;
}

// jsonld writes a double anew even where it stands as a string.
function plain(term, keepDoubles) {
  const copy = { termType: term.termType, value: term.value };
  if (!keepDoubles && term.datatype?.value === `${XSD}double`) {
    copy.value = String(Number.parseFloat(term.value));
  }
  if (term.termType === 'Literal') {
    copy.language = term.language;
    copy.datatype = { termType: 'NamedNode', value: term.datatype.value };
  }
  return copy;
}

export function canonical(quads, keepDoubles) {
  const copies = quads.map((quad) => ({
    subject: plain(quad.subject, keepDoubles),
    predicate: plain(quad.predicate, keepDoubles),
    object: plain(quad.object, keepDoubles),
    graph: plain(quad.graph, keepDoubles),
  }));
  // As much work as it takes: random datasets have many nodes that look alike.
  return canonize(copies, { algorithm: 'RDFC-1.0', maxWorkFactor: Infinity });
}

// The quads of a document; `text` may be JSON-LD too.
export async function quadsOf(text, format) {
  return format === 'jsonld' ? jsonld.toRDF(JSON.parse(text))
    : oxigraph.parse(text, { format: MEDIA_TYPE[format] });
}

// A store as a document; triples are those of the default graph.
export function documentOf(store, format) {
  return store.dump({
    format: MEDIA_TYPE[format],
    ...(format === 'nt' || format === 'ttl'
      ? { from_graph_name: oxigraph.defaultGraph() } : {}),
  });
}
