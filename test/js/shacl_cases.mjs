// Random shapes and data for shacl_random_test.mjs: every constraint component,
// path, target and severity of SHACL Core. What a case would ask of a library
// that the library does not do as the specification has it is noted on the way,
// as narrowly as the bug allows; each note cites what decides.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { default: rdf } = await load('@rdfjs/dataset');
const { default: model } = await load('@rdfjs/data-model');

const XSD = 'http://www.w3.org/2001/XMLSchema#';
const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const RDFS = 'http://www.w3.org/2000/01/rdf-schema#';
const SH = 'http://www.w3.org/ns/shacl#';
const EX = 'http://example.org/';

// Mulberry32: small, and good enough to explore with.
export class Random {
  constructor(seed) {
    this.state = seed >>> 0;
  }

  below(limit) {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % limit;
  }

  oneIn(n) {
    return this.below(n) === 0;
  }

  pick(list) {
    return list[this.below(list.length)];
  }
}

const node = (iri) => model.namedNode(iri);
const sh = (name) => node(SH + name);
const ex = (name) => node(EX + name);
const typed = (text, type) => model.literal(text, node(XSD + type));
const integer = (n) => typed(String(n), 'integer');
const boolean = (b) => typed(String(b), 'boolean');
const TYPE = node(`${RDF}type`);
const NIL = node(`${RDF}nil`);
const CLASS = node(`${RDFS}Class`);
export const SUBCLASS = node(`${RDFS}subClassOf`);

const IRIS = ['a', 'b', 'c', 'd'].map(ex);
const BLANKS = ['x', 'y'].map((label) => model.blankNode(label));
const PREDICATES = ['p', 'q', 'r'].map(ex);
const CLASSES = ['C', 'D', 'E'].map(ex);

const PLAIN = [
  model.literal('a'), model.literal('b'), model.literal('abc'),
  integer(1), integer(2), integer(10), integer(-1), typed('7', 'byte'),
  typed('1.0', 'decimal'), typed('2.5', 'decimal'), typed('1.0E1', 'double'),
  typed('2.5', 'float'), boolean(true), boolean(false),
];
const TIMES = [typed('2026-01-01T00:00:00Z', 'dateTime'),
  typed('2027-01-01T00:00:00Z', 'dateTime'),
  typed('2026-01-01T02:00:00+02:00', 'dateTime')];
const DATES = [typed('2026-01-01', 'date'), typed('2027-01-01', 'date')];
const OF_LANGUAGE = [['a', 'en'], ['b', 'en'], ['a', 'en-GB'], ['c', 'de']]
  .map(([text, tag]) => model.literal(text, tag));
const OF_NO_ORDER = [model.literal('x', ex('datatype')), ...OF_LANGUAGE];
const ILL_TYPED = [typed('x', 'integer'), typed('soon', 'dateTime'),
  typed('maybe', 'boolean')];
// Ill-typed, yet JavaScript makes numbers of them.
const NUMBERS_TO_SOME = [typed('300', 'byte'), typed('1.5', 'integer'),
  typed('-1', 'nonNegativeInteger'), typed('1.0.0', 'decimal')];

const NUMBERS = [integer(1), integer(2), typed('1.5', 'decimal'),
  typed('3.0E0', 'double')];
const OTHER_BOUNDS = [model.literal('b'), boolean(true), TIMES[0], DATES[0]];

// Path trees: a predicate, { kind, parts } or { kind, inner }.
const isPredicate = (path) => path.termType === 'NamedNode';

// The same path with inverses only of predicates: ^(a/b) is ^b/^a.
function turned(path, back = false) {
  if (isPredicate(path)) {
    return back ? { kind: 'inversePath', inner: path } : path;
  }
  if (path.kind === 'inversePath') return turned(path.inner, !back);
  if (path.inner) return { ...path, inner: turned(path.inner, back) };
  const parts = path.parts.map((part) => turned(part, back));
  return { ...path,
    parts: back && path.kind === 'sequence' ? parts.reverse() : parts };
}

// shacl-engine: a sequence of steps, or a step; steps are of predicates (SHACL
// 2.3.1 lets paths nest).
function isStep(path) {
  return isPredicate(path) || (path.kind !== 'sequence'
    && (path.parts || [path.inner]).every(isPredicate));
}

const isSteps = (path) => isStep(path)
  || (path.kind === 'sequence' && path.parts.every(isStep));

export class Case {
  constructor(random) {
    this.random = random;
    this.shapes = rdf.dataset(); // what everyone gets,
    this.ours = rdf.dataset(); // and what stands for one thing in two ways
    this.theirs = rdf.dataset();
    this.made = { node: [], property: [] };
    this.classes = [];
    this.counter = 0;
    this.spared = { library: new Set(), engine: new Set() }; // why not asked
    this.bounds = 'none'; // what the data may hold: see literals()
    this.hasPattern = false;
    this.isClosed = false;
    this.usesClass = false;
    this.equalsOnNodes = [];
    this.siblingsOf = new Map();
    for (let i = 1 + random.below(2); i > 0; i--) {
      const shape = this.shape(2);
      for (let j = 1 + random.below(2); j > 0; j--) this.target(shape);
    }
    this.considerCounts();
    this.data = this.makeData();
    this.considerData();
  }

  // A library is not asked, for this reason.
  spare(library, reason) {
    this.spared[library].add(reason);
  }

  add(subject, property, object, into = this.shapes) {
    into.add(model.quad(subject, property, object));
  }

  blank() {
    return model.blankNode(`n${this.counter++}`);
  }

  list(members, into = this.shapes) {
    let head = NIL;
    for (const member of [...members].reverse()) {
      const cell = this.blank();
      this.add(cell, node(`${RDF}first`), member, into);
      this.add(cell, node(`${RDF}rest`), head, into);
      head = cell;
    }
    return head;
  }

  // Paths

  pathTree(depth) {
    const { random } = this;
    const kind = depth === 0 ? 0 : random.below(10);
    if (kind < 4) return random.pick(PREDICATES);
    const inner = () => this.pathTree(random.oneIn(3) ? depth - 1 : 0);
    const names = ['sequence', 'alternativePath', 'inversePath',
      'zeroOrMorePath', 'oneOrMorePath', 'zeroOrOnePath'];
    return kind < 6
      ? { kind: names[kind - 4],
        parts: [inner(), inner(), inner()].slice(random.below(2)) }
      : { kind: names[kind - 4], inner: inner() };
  }

  writePath(path, into) {
    if (isPredicate(path)) return path;
    const parts = path.parts?.map((part) => this.writePath(part, into));
    if (path.kind === 'sequence') return this.list(parts, into);
    const self = this.blank();
    this.add(self, sh(path.kind), parts ? this.list(parts, into)
      : this.writePath(path.inner, into), into);
    return self;
  }

  // rdf-validate-shacl turns round predicates only (SHACL 2.3.1.4: any path),
  // so it gets the same path in another form.
  path(shape) {
    const path = this.pathTree(2);
    const same = turned(path);
    if (!isSteps(path)) this.spare('engine', 'nested path');
    if (JSON.stringify(same) === JSON.stringify(path)) {
      this.add(shape, sh('path'), this.writePath(path, this.shapes));
    } else {
      this.add(shape, sh('path'), this.writePath(path, this.ours), this.ours);
      this.add(shape, sh('path'), this.writePath(same, this.theirs),
        this.theirs);
    }
  }

  // Shapes

  has(shape, property) {
    return this.shapes.match(shape, sh(property)).size > 0;
  }

  once(shape, property, object) {
    if (!this.has(shape, property)) this.add(shape, sh(property), object);
  }

  // shacl-engine reads one value of these, and joins the lists of several
  // sh:and, sh:or or sh:xone (SHACL 2.1.1: each value is a constraint).
  again(shape, property, object) {
    if (this.has(shape, property)) this.spare('engine', 'several values');
    this.add(shape, sh(property), object);
  }

  constraint(shape, isProperty, depth) {
    const { random } = this;
    switch (random.below(depth === 0 ? 16 : 24)) {
      case 0:
        this.usesClass = true;
        return this.add(shape, sh('class'), random.pick(CLASSES));
      case 1:
        return this.once(shape, 'datatype', random.pick(
          ['string', 'integer', 'decimal', 'boolean', 'date', 'dateTime',
            'byte', 'float', 'double'].map((name) => node(XSD + name))
            .concat(node(`${RDF}langString`), ex('datatype'))));
      case 2:
        return this.once(shape, 'nodeKind', sh(random.pick(
          ['IRI', 'BlankNode', 'Literal', 'BlankNodeOrIRI',
            'BlankNodeOrLiteral', 'IRIOrLiteral'])));
      case 3:
        return isProperty
          && this.once(shape, 'minCount', integer(random.below(4)));
      case 4:
        return isProperty
          && this.once(shape, 'maxCount', integer(random.below(4)));
      case 5: return this.range(shape);
      case 6: return this.once(shape, 'minLength', integer(random.below(5)));
      case 7: return this.once(shape, 'maxLength', integer(random.below(25)));
      case 8: return this.pattern(shape);
      case 9:
        return this.once(shape, 'languageIn', this.list(random.pick(
          [['en'], ['de'], ['en', 'de'], ['en-GB'], []])
          .map((tag) => model.literal(tag))));
      case 10:
        return isProperty
          && this.once(shape, 'uniqueLang', boolean(!random.oneIn(4)));
      case 11: return this.pair(shape, isProperty);
      case 12:
        return this.again(shape, 'hasValue', random.oneIn(2) ? ex('a')
          : random.pick([...PLAIN, ...OF_LANGUAGE, ...ILL_TYPED]));
      case 13:
        return this.once(shape, 'in', this.list(
          [ex('a'), ex('b'), random.pick(PLAIN), random.pick(OF_LANGUAGE)]
            .slice(random.below(4))));
      case 14: return this.closed(shape, isProperty, depth);
      case 15:
        return this.once(shape, 'deactivated', boolean(random.oneIn(6)));
      case 16: return this.again(shape, 'not', this.shape(depth - 1));
      case 17:
      case 18: return this.logic(shape, isProperty, depth);
      case 19:
        return this.add(shape, sh('node'), this.nodeShape(depth - 1));
      case 20: return isProperty && this.qualified(shape, depth);
      case 21: return this.siblings(shape, depth);
      default:
        return this.add(shape, sh('property'), this.property(depth - 1));
    }
  }

  // Both libraries order what has no order - texts with a language, dates and
  // times, literals of a form that is not their datatype's - where JavaScript
  // does (SHACL 4.3, 4.5.3: SPARQL's operators, which do not). A number as
  // bound keeps them out but for forms that JavaScript reads as numbers.
  range(shape) {
    const numeric = !this.random.oneIn(4);
    if (this.bounds === 'none') this.bounds = 'numbers';
    if (!numeric) this.bounds = 'any';
    this.once(shape, this.random.pick(['minInclusive', 'minExclusive',
      'maxInclusive', 'maxExclusive']),
    this.random.pick(numeric ? NUMBERS : OTHER_BOUNDS));
  }

  pattern(shape) {
    this.hasPattern = true;
    this.once(shape, 'pattern', model.literal(this.random.pick(
      ['^a', 'b$', 'EXAMPLE', '^.{1,3}$', '[0-9]+', 'a|1', '^(ab?)+c?$'])));
    if (this.random.oneIn(3)) {
      this.once(shape, 'flags', model.literal(this.random.pick(
        ['i', 's', 'm', 'im'])));
    }
  }

  pair(shape, isProperty) {
    const name = this.random.pick(isProperty
      ? ['equals', 'disjoint', 'lessThan', 'lessThanOrEquals']
      : ['equals', 'disjoint', 'disjoint', 'disjoint']);
    const predicate = this.random.pick(PREDICATES);
    if (name.startsWith('less')) this.bounds = 'any';
    if (name === 'equals' && !isProperty) this.equalsOnNodes.push(predicate);
    this.again(shape, name, predicate);
  }

  closed(shape, isProperty, depth) {
    const { random } = this;
    if (this.has(shape, 'closed') || (isProperty && !random.oneIn(4))) return;
    const isClosed = !random.oneIn(6);
    this.isClosed = this.isClosed || isClosed;
    // shacl-engine does not look at sh:closed of property shapes (SHACL 4.8.1:
    // triples of each value node).
    if (isProperty && isClosed) this.spare('engine', 'closed property shape');
    this.add(shape, sh('closed'), boolean(isClosed));
    if (random.oneIn(2)) {
      this.once(shape, 'ignoredProperties', this.list(
        [TYPE, random.pick(PREDICATES)].slice(random.below(2))));
    }
    if (depth === 0) return;
    if (random.oneIn(3)) {
      this.add(shape, sh('property'), this.property(depth - 1));
    } else {
      const property = this.name();
      this.add(property, sh('path'), random.pick(PREDICATES));
      this.add(shape, sh('property'), this.fill(property, true, depth - 1));
    }
  }

  logic(shape, isProperty, depth) {
    const shapes = [];
    const name = this.random.pick(['and', 'or', 'xone']);
    for (let i = 1 + this.random.below(3); i > 0; i--) {
      shapes.push(this.shape(depth - 1));
    }
    // rdf-validate-shacl checks the members of sh:and at the focus node, with
    // the outer path in place of theirs (SHACL 4.6.2: each value node).
    if (name === 'and' && isProperty) this.spare('library', 'and on a property shape');
    this.again(shape, name, this.list(shapes));
  }

  qualified(shape, depth, disjoint = this.random.oneIn(8)) {
    const which = 1 + this.random.below(3);
    if (this.has(shape, 'qualifiedValueShape')) return;
    this.add(shape, sh('qualifiedValueShape'), this.shape(depth - 1));
    if (which & 1) {
      this.add(shape, sh('qualifiedMinCount'), integer(this.random.below(3)));
    }
    if (which & 2) {
      this.add(shape, sh('qualifiedMaxCount'), integer(this.random.below(3)));
    }
    if (disjoint) {
      this.add(shape, sh('qualifiedValueShapesDisjoint'), boolean(true));
    }
  }

  // Properties that count by shapes which exclude each other.
  siblings(parent, depth) {
    for (let i = this.random.oneIn(4) ? 3 : 2; i > 0; i--) {
      const shape = this.name();
      this.path(shape);
      this.qualified(shape, depth, true);
      this.add(parent, sh('property'), shape);
    }
  }

  name() {
    return ex(`S${this.counter++}`);
  }

  fill(shape, isProperty, depth) {
    for (let i = 1 + this.random.below(3); i > 0; i--) {
      this.constraint(shape, isProperty, depth);
    }
    if (this.random.oneIn(5)) this.severity(shape);
    this.made[isProperty ? 'property' : 'node'].push(shape);
    return shape;
  }

  // shacl-engine takes results of other severities for none (SHACL 3.5: a node
  // conforms when there are no results).
  severity(shape) {
    const own = this.random.oneIn(20);
    if (own) this.spare('engine', 'own severity');
    this.once(shape, 'severity', own ? ex('Whim')
      : sh(this.random.pick(['Info', 'Warning', 'Violation'])));
  }

  // Sometimes a shape that is there already: finished, so never a recursion.
  reused(kind) {
    const made = this.made[kind];
    return made.length > 0 && this.random.oneIn(6) && this.random.pick(made);
  }

  property(depth) {
    const before = this.reused('property');
    if (before) return before;
    const shape = this.name();
    this.path(shape);
    return this.fill(shape, true, Math.max(depth, 0));
  }

  nodeShape(depth) {
    const before = this.reused('node');
    if (before) return before;
    const shape = this.name();
    this.add(shape, TYPE, sh('NodeShape'));
    return this.fill(shape, false, Math.max(depth, 0));
  }

  shape(depth) {
    return this.random.oneIn(3) ? this.property(depth) : this.nodeShape(depth);
  }

  target(shape) {
    const { random } = this;
    switch (random.below(5)) {
      case 0: return this.add(shape, sh('targetNode'), random.oneIn(3)
        ? random.pick(PLAIN) : random.pick(IRIS));
      case 1:
        this.usesClass = true;
        return this.add(shape, sh('targetClass'), random.pick(CLASSES));
      case 2:
        return this.add(shape, sh('targetSubjectsOf'),
          random.pick(PREDICATES));
      case 3:
        return this.add(shape, sh('targetObjectsOf'), random.pick(PREDICATES));
      default:
        return (this.made.node.includes(shape) || random.oneIn(4))
          && this.implicitTarget(shape);
    }
  }

  implicitTarget(shape) {
    this.usesClass = true;
    this.classes.push(shape);
    // shacl-engine knows node shapes that are classes (SHACL 2.1.3.3: shapes).
    if (!this.made.node.includes(shape)) {
      this.spare('engine', 'property shape as class');
    }
    if (this.random.oneIn(2)) {
      this.add(shape, TYPE, CLASS);
    } else {
      this.add(shape, TYPE, ex('Kind'));
      this.add(ex('Kind'), SUBCLASS, CLASS);
    }
  }

  // shacl-engine counts nothing where sh:qualifiedValueShapesDisjoint is true
  // and there are no siblings, and only excludes what conforms to all of
  // several (SHACL 4.7.3: any).
  considerSiblings() {
    const disjoint = sh('qualifiedValueShapesDisjoint');
    for (const { subject } of this.shapes.match(null, disjoint)) {
      const own = [...this.shapes.match(subject, sh('qualifiedValueShape'))];
      const siblings = new Set();
      for (const up of this.shapes.match(null, sh('property'), subject)) {
        for (const { object } of this.shapes.match(up.subject,
          sh('property'))) {
          for (const value of this.shapes.match(object,
            sh('qualifiedValueShape'))) siblings.add(value.object.value);
        }
      }
      siblings.delete(own[0].object.value);
      this.siblingsOf.set(subject.value, [...siblings].map(node));
      if (siblings.size !== 1) this.spare('engine', 'siblings');
    }
  }

  pathOf(shape) {
    return [...this.shapes, ...this.ours].find(({ subject, predicate }) => (
      subject.equals(shape) && predicate.equals(sh('path'))))?.object;
  }

  // shacl-engine checks values that are counted against a node shape with the
  // value of an outer property shape in their place, if there is one (SHACL
  // 4.7.3: the value nodes).
  considerCounts() {
    this.considerSiblings();
    const shapes = [...this.made.node, ...this.made.property];
    for (const outer of shapes.filter((shape) => this.pathOf(shape))) {
      for (const inner of this.below(outer)) {
        for (const { object } of this.shapes.match(inner,
          sh('qualifiedValueShape'))) {
          if (!this.pathOf(object)) this.spare('engine', 'nested counts');
        }
      }
    }
  }

  // What is referred to from a shape, however indirectly; with `siblings` also
  // by way of them.
  below(shape, siblings = false, seen = []) {
    const next = [...this.shapes.match(shape)].map(({ object }) => object);
    if (siblings) next.push(...this.siblingsOf.get(shape.value) || []);
    for (const object of next) {
      if (object.termType !== 'Literal'
        && !seen.some((other) => other.equals(object))) {
        seen.push(object);
        this.below(object, siblings, seen);
      }
    }
    return seen;
  }

  // A shape that has to be checked to check its siblings, which then have to be
  // checked to check it: not what SHACL 3.4.3 calls recursive, but as endless.
  get isRecursive() {
    return [...this.siblingsOf.keys()].map(node).some((shape) => this.below(shape,
      true).some((other) => other.equals(shape)));
  }

  // Data

  literals() {
    switch (this.bounds) {
      case 'none':
        return [...PLAIN, ...TIMES, ...DATES, ...OF_NO_ORDER, ...ILL_TYPED,
          ...NUMBERS_TO_SOME];
      case 'numbers':
        return [...PLAIN, ...TIMES, ...DATES, ...OF_NO_ORDER, ...ILL_TYPED];
      default:
        return this.datesOnly ? [...PLAIN, ...DATES] : [...PLAIN, ...TIMES];
    }
  }

  makeData() {
    const { random } = this;
    const data = rdf.dataset();
    this.datesOnly = [...this.shapes].some(
      ({ object }) => object.equals(DATES[0]));
    const nodes = random.oneIn(this.hasPattern ? 4 : 2) ? [...IRIS, ...BLANKS]
      : IRIS;
    const literals = this.literals();
    const oneEach = random.oneIn(4) !== this.isClosed;
    for (let i = 3 + random.below(14); i > 0; i--) {
      const subject = random.pick(nodes);
      const predicate = random.pick(PREDICATES);
      const object = random.oneIn(2) ? random.pick(nodes)
        : random.pick(literals);
      if (!oneEach || data.match(subject, predicate).size === 0) {
        data.add(model.quad(subject, predicate, object));
      }
    }
    for (let i = random.below(6); i > 0; i--) {
      data.add(model.quad(random.pick(nodes), TYPE,
        random.pick([...CLASSES, ...this.classes])));
    }
    const all = [...this.classes, ...CLASSES];
    const anyWay = random.oneIn(8); // round and round, too
    for (let i = random.below(4); i > 0; i--) {
      const sub = random.below(all.length - 1);
      data.add(model.quad(all[sub], SUBCLASS,
        all[anyWay ? random.below(all.length)
          : sub + 1 + random.below(all.length - 1 - sub)]));
    }
    return data;
  }

  considerData() {
    const { data } = this;
    const quads = [...data];
    // shacl-engine matches the label of a blank node (SHACL 4.4.3: none does).
    if (this.hasPattern && quads.some(({ subject, object }) => [subject,
      object].some((term) => term.termType === 'BlankNode'))) {
      this.spare('engine', 'pattern and blank node');
    }
    if (this.isClosed) this.considerClosed(quads);
    // Neither has the node itself as well, where sh:equals on a node shape
    // finds only others (SHACL 4.5.1), and shacl-engine tells of one of these.
    for (const { subject, predicate } of quads) {
      if (this.equalsOnNodes.some((other) => other.equals(predicate))
        && data.match(subject, predicate, subject).size === 0) {
        this.spare('engine', 'equals on a node shape');
        this.spare('library', 'equals on a node shape');
      }
    }
    for (const predicate of this.equalsOnNodes) {
      if (quads.some(({ subject }) => data.match(subject, predicate).size > 2)) {
        this.spare('engine', 'equals on a node shape');
      }
    }
    // rdf-validate-shacl follows a cycle of subclasses for ever (SHACL 1.1: a
    // sequence of triples, which may have one).
    if (this.usesClass && this.hasCycle()) this.spare('library', 'cycle of subclasses');
  }

  // shacl-engine takes the first predicate of any path for a property of a
  // closed shape, and forgets deactivated ones (SHACL 4.8.1: values of sh:path
  // in any of the property shapes); it tells of one triple per predicate (each
  // triple).
  considerClosed(quads) {
    for (const { subject } of this.shapes.match(null, sh('closed'),
      boolean(true))) {
      const allowed = [];
      for (const { object } of this.shapes.match(subject, sh('property'))) {
        const path = this.pathOf(object);
        allowed.push(path);
        // ^^p is no value of sh:path that is p; what the libraries are given
        // in its place is (SHACL 4.8.1: explicitly enumerated).
        if (this.ours.match(object, sh('path')).size
          && [...this.theirs.match(object, sh('path'))].some(
            (quad) => quad.object.termType === 'NamedNode')) {
          this.spare('library', 'inverse of an inverse in a closed shape');
        }
        if (path.termType !== 'NamedNode'
          || this.shapes.match(object, sh('deactivated'), boolean(true)).size) {
          this.spare('engine', 'path in a closed shape');
        }
      }
      if (quads.some((quad) => !allowed.some((path) => path.equals(
        quad.predicate)) && this.data.match(quad.subject,
        quad.predicate).size > 1)) {
        this.spare('engine', 'triples of one predicate in a closed shape');
      }
    }
  }

  hasCycle() {
    const reaches = (from, to, seen) => [...this.data.match(from, SUBCLASS)]
      .some(({ object }) => object.equals(to) || (!seen.has(object.value)
        && reaches(object, to, seen.add(object.value))));
    return [...this.data.match(null, SUBCLASS)]
      .some(({ subject }) => reaches(subject, subject, new Set()));
  }
}
