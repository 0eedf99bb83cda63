// Random instances of a SHACL shape that is made of fields, as terms of RDF: some
// conform, and in others one thing or another is wrong.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { pick, random } from './datasets.mjs';

const require = createRequire(new URL('package.json', import.meta.url));
const { default: model } = await import(pathToFileURL(require.resolve('@rdfjs/data-model')).href);
const { default: rdf } = await import(pathToFileURL(require.resolve('@rdfjs/dataset')).href);

export const SH = 'http://www.w3.org/ns/shacl#';
const XSD = 'http://www.w3.org/2001/XMLSchema#';
export const TYPE = model.namedNode('http://www.w3.org/1999/02/22-rdf-syntax-ns#type');
const REST = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const term = (name) => model.namedNode(SH + name);

// Values of each datatype: of the right one first, in the lexical space or not.
const RIGHT = {
  string: ['', 'a', 'plain words', 'x'.repeat(40)],
  integer: ['0', '1', '-1', '4', '5', '99999', '100000', '+7', '007'],
  decimal: ['0', '1.5', '-2.25'],
  double: ['0', '1.5E0', '-1e3'],
  boolean: ['true', 'false', '1', '0'],
  dateTime: ['2026-01-31T12:00:00Z', '2026-12-31T23:59:59.5+01:00'],
  date: ['2026-01-31'],
};
const WRONG = { integer: ['one', ''], boolean: ['yes'], dateTime: ['2026-01-31', 'today'], date: ['yesterday'], double: ['x']};
const literal = (text, type) => model.literal(text, model.namedNode(XSD + type));
// rdf-validate-shacl compares "1.5"^^xsd:integer and "2 days"^^xsd:double as numbers; they
// are none (SHACL 4.3: what SPARQL's < cannot compare is a violation).
const LEXICAL = { integer: /^[+-]?\d+$/, decimal: /^[+-]?(\d+(\.\d*)?|\.\d+)$/, double: /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/ };
const isTaken = (text, type) => LEXICAL[type] && !LEXICAL[type].test(text) && !Number.isNaN(Number.parseFloat(text));
const mixed = (text, type) => literal(isTaken(text, type) ? 'none' : text, type);

// Texts that some patterns of the demo take.
const PATTERNED = ['DOCK', 'HUB', 'dock', 'A', 'ABCDEFGHI', 'ann@dock.example', 'a@b', '@', 'DOCK-1', 'HUB-23', 'DOCK-T1', 'DOCK-D1', 'x y'];

export class Shape {
  constructor(quads, iri) {
    this.quads = rdf.dataset(quads);
    this.iri = model.namedNode(iri);
    this.ofClass = this.one(this.iri, 'class');
    // A file of a type has the shapes beside it, too.
    const shapes = [...this.quads.match(null, TYPE, term('NodeShape'))];
    this.fields = shapes.flatMap(({ subject }) => this.fieldsOf(subject));
  }

  // What has a path of several steps is about the nodes that others have.
  fieldsOf(shape) {
    return this.all(shape, 'property').filter((node) => this.one(node, 'path').termType === 'NamedNode').map((node) => ({
      path: this.one(node, 'path'),
      least: this.number(node, 'minCount') ?? 0,
      most: this.number(node, 'maxCount') ?? 3,
      type: this.one(node, 'datatype')?.value.slice(XSD.length),
      class: this.one(node, 'class'),
      among: this.list(this.one(node, 'in')),
      lengths: ['minLength', 'maxLength'].map((name) => this.number(node, name)),
      bounds: ['minInclusive', 'maxInclusive', 'minExclusive', 'maxExclusive'].map((name) => this.number(node, name)),
      pattern: this.one(node, 'pattern') && new RegExp(this.one(node, 'pattern').value),
      parts: this.one(node, 'node') && this.fieldsOf(this.one(node, 'node')),
    }));
  }

  all(subject, name) {
    return [...this.quads.match(subject, term(name))].map(({ object }) => object);
  }

  one(subject, name) {
    return this.all(subject, name)[0];
  }

  number(subject, name) {
    const found = this.one(subject, name);
    return found && Number(found.value);
  }

  list(head) {
    const items = [];
    for (let at = head; at && at.value !== `${REST}nil`; at = [...this.quads.match(at, model.namedNode(`${REST}rest`))][0].object) {
      items.push([...this.quads.match(at, model.namedNode(`${REST}first`))][0].object);
    }
    return items;
  }

  // A value that the field takes, as far as that is known; `others` by class. What it
  // has of its own goes to `quads`.
  fitting(field, others, quads) {
    const [shortest, longest] = field.lengths;
    if (field.parts) {
      const node = model.blankNode();
      this.fill(node, field.parts, others, quads);
      return node;
    }
    if (field.among.length) return pick(field.among);
    if (!field.type) return pick(others.get(field.class?.value) ?? [model.namedNode('http://else.example/x')]);
    if (field.pattern) return literal(pick(PATTERNED.filter((text) => field.pattern.test(text))), 'string');
    if (field.type === 'string') return literal('w'.repeat(pick([shortest ?? 3, longest ?? 20])), 'string');
    const near = field.bounds.filter((bound) => bound !== undefined);
    if (near.length && field.type === 'integer') return literal(String(pick(near)), 'integer');
    return literal(pick(RIGHT[field.type] ?? ['x']), field.type);
  }

  // Anything: of another type, beyond a bound, somebody of another class.
  odd(field, others) {
    const anybody = [...others.values()].flat().concat(model.namedNode('http://else.example/x'));
    const bound = pick(field.bounds.filter((each) => each !== undefined).concat(0));
    const length = pick(field.lengths.filter((each) => each !== undefined).concat(1));
    return pick([
      () => literal(String(bound + pick([-1, 1])), 'integer'),
      () => literal('w'.repeat(Math.max(0, length + pick([-1, 1]))), 'string'),
      () => literal(pick(WRONG[field.type] ?? ['x']), field.type ?? 'string'),
      () => mixed(pick(Object.values(RIGHT).flat()), pick(Object.keys(RIGHT))),
      () => model.literal('words', 'en'),
      () => pick(anybody),
      () => model.blankNode(),
      () => literal('2', pick(['int', 'long', 'short'])),
    ])();
  }

  // One field of every other node is broken: too few, too many, or not what fits.
  fill(subject, fields, others, quads) {
    const broken = random(2) && fields.length ? pick(fields) : undefined;
    for (const field of fields) {
      const ends = [field.least, Math.min(field.most, field.least + 2)];
      const count = field === broken ? pick([0, field.least + 1, Math.min(field.most, 20) + 1]) : pick(ends);
      for (let i = 0; i < count; i++) {
        const value = field === broken && random(2) ? this.odd(field, others) : this.fitting(field, others, quads);
        quads.push(model.quad(subject, field.path, value));
      }
    }
  }

  // The statements of one instance.
  instance(subject, type, others) {
    const quads = type ? [model.quad(subject, TYPE, type)] : [];
    if (this.ofClass && random(8)) quads.push(model.quad(subject, TYPE, this.ofClass));
    this.fill(subject, this.fields, others, quads);
    if (!random(10)) quads.push(model.quad(subject, model.namedNode('http://else.example/p'), literal('x', 'string')));
    return quads;
  }
}
