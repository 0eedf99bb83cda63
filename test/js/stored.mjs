// What a store has of an instance, and what it shows: as quads, in which an object
// and a cell of a list are nodes without a name, and as JSON.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { CODES, HOME, PEOPLE, VALUES, canonical, isRef, literalOf, plain, spelt } from './kinds.mjs';

const require = createRequire(import.meta.url);
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { default: rdf } = await load('@rdfjs/data-model');

const XSD = 'http://www.w3.org/2001/XMLSchema#';
export const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const iri = (text) => rdf.namedNode(text);
const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

// The values of a field; a document may be an array itself.
export const listOf = ({ kind, form }, value) =>
  (form === 'one' || !Array.isArray(value) ? [value].filter((one) => one !== undefined) : value);

// As quads ------------------------------------------------------------------------

// `isData` is false of what RDF has no such thing for: an array of one is its item,
// and what is in a set twice is there once.
export class Stored {
  constructor() {
    this.quads = [];
    this.isData = true;
  }

  #add(s, p, o) {
    this.quads.push(rdf.quad(s, iri(p), o));
  }

  #term(field, value) {
    if (field.fields && isObject(value)) {
      const node = rdf.blankNode();
      this.#object(node, field.fields, value);
      return node;
    }
    const id = plain(field.kind, value);
    if (isRef(field.kind) && typeof id === 'string' && id.includes(':')) return iri(id);
    const { text, type } = literalOf(value, field.kind);
    if (value === null || (typeof value === 'object' && field.kind !== 'json')) this.isData = false;
    return rdf.literal(text, iri(type));
  }

  #list(node, field, values) {
    let [before, by] = [node, field.iri];
    for (const each of values) {
      const cell = rdf.blankNode();
      this.#add(before, by, cell);
      this.#add(cell, `${RDF}first`, this.#term(field, each));
      [before, by] = [cell, `${RDF}rest`];
    }
    if (values.length) this.#add(before, by, iri(`${RDF}nil`));
  }

  #field(node, field, value) {
    const values = listOf(field, value);
    if (field.form === 'one' ? Array.isArray(value) && field.kind !== 'json' : !Array.isArray(value)) this.isData = false;
    if (field.form === 'list') {
      this.#list(node, field, values);
      return;
    }
    if (field.form === 'many' && !field.fields
      && new Set(values.map((one) => spelt(field.kind, one))).size < values.length) this.isData = false;
    for (const each of values) this.#add(node, field.iri, this.#term(field, each));
  }

  #object(node, fields, object) {
    for (const field of fields) {
      const value = object[field.name] ?? field.options.default;
      if (value !== undefined) this.#field(node, field, value);
    }
    if ('other' in object) this.#add(node, `${HOME}#other`, rdf.literal(object.other));
  }

  // A node of these types.
  node(id, types, fields, object) {
    const node = iri(id);
    for (const type of types) this.#add(node, `${RDF}type`, iri(HOME + type));
    this.#object(node, fields, object);
    return this;
  }
}

// Each node that has a name, as a text: its statements in order, and instead of the
// names of its parts what these say. Names of nodes themselves are left out, since a
// node that is made again has another.
export function trees(quads) {
  const by = new Map();
  const isPart = ({ termType, value }) => termType === 'BlankNode' || (value.startsWith(HOME) && value.includes('#'));
  for (const quad of quads) {
    const key = quad.subject.value;
    if (!by.has(key)) by.set(key, { isPart: isPart(quad.subject), quads: [] });
    by.get(key).quads.push(quad);
  }
  const literal = ({ value, datatype }) => `${datatype.value === `${XSD}double` ? Number(value) : JSON.stringify(value)}^^${datatype.value}`;
  const isTree = (term) => term.termType !== 'Literal' && isPart(term);
  const show = (term) => (term.termType === 'Literal' ? literal(term) : isTree(term) ? tree(term.value) : term.value);
  // What is said twice is said once; two parts that look alike are two.
  const tree = (name) => {
    const all = (by.get(name)?.quads ?? []).map(({ predicate, object }) => [`${predicate.value} ${show(object)}`, isTree(object)]);
    const once = new Set(all.filter(([, isPartOfIt]) => !isPartOfIt).map(([text]) => text));
    return `[ ${[...once, ...all.filter(([, isPartOfIt]) => isPartOfIt).map(([text]) => text)].sort().join(' ; ')} ]`;
  };
  return [...by.keys()].filter((name) => !by.get(name).isPart).map(tree).sort();
}

// As JSON --------------------------------------------------------------------------

const codeOf = (id) => CODES[PEOPLE.indexOf(id)];
const sorted = (values) => values.sort((a, b) => (canonical(a) < canonical(b) ? -1 : 1));

// What is shown of an object, with defaults, keys beside the refs of a node, and
// arrays that may be empty; sets in one order.
export function shown(fields, object, isPart = false) {
  const out = {};
  for (const field of fields) {
    const { name, kind, form, options } = field;
    const value = object[name] ?? options.default ?? (form === 'one' ? undefined : []);
    if (value === undefined) continue;
    const one = (each) => (field.fields ? shown(field.fields, each, true) : kind === 'json' ? each : spelt(kind, each));
    const all = form === 'one' ? one(value) : value.map(one);
    const set = form === 'many' && !field.fields ? [...new Map(all.map((each) => [canonical(each), each])).values()] : all;
    out[name] = form === 'many' ? sorted(set) : set;
    if (kind === 'ref_by' && !isPart && [all].flat().length) out[`${name}_code`] = form === 'one' ? codeOf(all) : set.map(codeOf);
    if (kind === 'ref_by' && form === 'many') out[`${name}_code`]?.sort();
  }
  return out;
}

// The same of what came, as far as its order says nothing.
export function inOrder(fields, node) {
  const out = { ...node };
  for (const { name, kind, form, fields: inner } of fields) {
    if (!(name in out)) continue;
    const one = (each) => (inner ? inOrder(inner, each) : each);
    out[name] = Array.isArray(out[name]) && form !== 'one' ? out[name].map(one) : one(out[name]);
    if (form === 'many') sorted(out[name]);
    if (form === 'many' && kind === 'ref_by') out[`${name}_code`]?.sort();
  }
  return out;
}

// Whether a value is right for its kind, whatever its field says.
export const isRight = (kind, value) => VALUES[kind].includes(value);
