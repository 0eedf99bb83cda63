// Values of each kind of field: right ones, in the spelling of a store and in
// others, and such as are none. Which kinds there are, docs/fields.md says, which
// src/fields/page_test.c holds to the program: a new kind has to be added here.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const XSD = 'http://www.w3.org/2001/XMLSchema#';
const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
export const HOME = 'trails://model/';

// People that refs lead to, and their codes, which `by` takes as well. An id wins
// over a code that looks like it.
export const PEOPLE = ['ann', 'bob', 'cid'].map((name) => `${HOME}Person/${name}`);
export const CODES = ['A-1', 'urn:code:bob', PEOPLE[0]];
const NOBODY = [`${HOME}Person/nobody`, `${HOME}Base`, 'urn:x:y', 'not an iri', ''];

// All of them in the BMP: rdf-validate-shacl counts UTF-16 units where SHACL, by
// SPARQL's STRLEN, counts characters.
const WORDS = ['', 'a', 'b', 'ab', 'abc', 'bca', 'B1', 'b12', 'Ab c', '1', '22', 'x y', 'abcdefgh', 'ä', 'ÄÖ', 'a.b', '-',
  ' a ', 'a,"b";c', 'a\nb\r\nc', '=1+1', '[1]', 'null', '01', '\u20AC'];
const INTEGERS = [-3, -1, 0, 1, 2, 3, 5, 7, 10, 1000, 9007199254740991];
const NUMBERS = [-2.5, -1, 0, 0.5, 1, 1.5, 2, 3.25, 10, 1e3, 1e21, 1e-7];
// RFC 3339 has leap seconds and offsets beyond 14:00, XSD has neither.
export const NO_TIMES_OF_XSD = ['2016-12-31T23:59:60Z', '2026-11-15T12:00:00+15:00'];
const DOCUMENTS = [{ a: 1 }, { a: 2, b: [null, 'x', { c: {} }] }, { b: 'x' }, [], [1, null], 'text', '', 5, 0.5, true, { a: 'x' },
  {}, [[], 'a,"\n'], { 'ä "': 1e21, $: -0.25 }];

// For each kind: the datatype; its values in order, as a store spells them; what is
// none; other spellings. Durations are such that their order is that of their texts,
// by which rdf-validate-shacl compares them.
const ROWS = {
  text: { type: 'string', values: WORDS, wrong: [1, true, 0.5] },
  integer: { type: 'integer', values: INTEGERS, wrong: ['1', 1.5, true, ''] },
  number: { type: 'double', values: NUMBERS, wrong: ['1.5', false] },
  boolean: { type: 'boolean', values: [true, false], wrong: ['true', 0, 1] },
  datetime: {
    type: 'dateTime', values: ['1969-12-31T00:00:00Z', '2024-02-29T23:59:59-11:30', '2026-11-15T12:00:00.125+02:00', '2026-11-15T12:00:00Z'],
    wrong: [...NO_TIMES_OF_XSD, '2026-11-15', '2025-02-29T00:00:00Z', 'yesterday', '2026-11-15T12:00:00', '', 5],
    others: { '2026-11-15T12:00:00.000+00:00': '2026-11-15T12:00:00Z', '2024-02-29t23:59:59.0-11:30': '2024-02-29T23:59:59-11:30' },
  },
  ref: { values: PEOPLE, wrong: [...NOBODY, 7], others: { ann: PEOPLE[0], cid: PEOPLE[2] } },
  // With `by`: of the same kind, but another thing to send.
  ref_by: { values: PEOPLE, wrong: [...NOBODY, 7], others: { 'A-1': PEOPLE[0], 'urn:code:bob': PEOPLE[1], cid: PEOPLE[2] } },
  date: {
    type: 'date', values: ['0001-01-01', '1969-12-31', '2024-02-29', '2026-01-01', '2026-11-15', '9999-12-31'],
    wrong: ['2026-02-30', '2025-02-29', '2026-11-15Z', '2026-11-15T00:00:00Z', '10000-01-01', '26-11-15', '', 'today', 20261115],
  },
  time: {
    type: 'time', values: ['00:00:00', '08:59:59', '09:00:00', '09:00:00.5', '14:30:00', '23:59:59.999999999999'],
    wrong: ['24:00:00', '23:59:60', '14:30', '14:30:00Z', '9:00:00', '', 'noon', 900],
    others: { '09:00:00.500': '09:00:00.5', '14:30:00.000': '14:30:00' },
  },
  duration: {
    type: 'dayTimeDuration', values: ['PT1H', 'PT1H30M', 'PT2H', 'PT2H0.5S', 'PT3H', 'PT9H'],
    wrong: ['P1Y', 'P1M', 'P1W', 'PT', 'P', '1H', 'PT1.S', 'P10000000000D', '', 3600],
    others: { PT60M: 'PT1H', PT90M: 'PT1H30M', 'PT2H0.500S': 'PT2H0.5S', P0DT3H: 'PT3H' },
  },
  decimal: {
    type: 'decimal', values: ['-0.5', '0', '0.125', '1', '12.5', '99.99', '100', '12345678901234567890.125'],
    wrong: ['1e3', '1,5', '.', 'abc', ' 1', '', true, `${'9'.repeat(1001)}`],
    others: { '12.50': '12.5', '+1.0': '1', '-.5': '-0.5', '00.125': '0.125', '-0': '0' },
  },
  uri: {
    type: 'anyURI', values: ['http://[::1]:80/', 'https://example.org/a?b#c', 'mailto:ada@example.org', 'urn:isbn:0451450523'],
    wrong: ['/path', 'example.org', 'http://example.org/a b', 'http://example.org/%zz', 'http://\u00e4.org/', 'http://[::1', '', 5],
  },
  email: {
    type: 'string', values: ['Ada.L+x@mail.example.org', 'ada@example.org', 'b@c.de'],
    wrong: ['ada', 'ada@localhost', '@example.org', '.a@example.org', 'a..b@example.org', 'a@-b.org', 'a@b..org', '\u00e4@b.org', 5],
  },
  json: { type: 'JSON', values: DOCUMENTS, wrong: DOCUMENTS },
  // What it holds, its fields say.
  object: { values: [], wrong: ['x', 5, true] },
};
// A decimal that a client sends as a number.
const DECIMALS = [-0.5, 0, 12.5, 100];

export const KINDS = Object.keys(ROWS);
export const formsOf = (kind) => (kind === 'object' ? ['one', 'many'] : ['one', 'many', 'list']);

const page = readFileSync('docs/fields.md', 'utf8');
const table = page.slice(page.indexOf('\n| kind |'), page.indexOf('## What can be said of it'));
const listed = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, kind]) => kind);
assert.deepEqual([...listed, 'ref_by'].sort(), [...KINDS].sort(), 'each kind of docs/fields.md has values in test/js/kinds.mjs');

export const isRef = (kind) => kind === 'ref' || kind === 'ref_by';
// Whether one_of and bounds of the kind are texts of a form.
export const isForm = (kind) => !isRef(kind) && 'wrong' in ROWS[kind] && !['text', 'integer', 'number', 'boolean', 'datetime', 'json', 'object'].includes(kind);
export const VALUES = Object.fromEntries(Object.entries(ROWS).map(([kind, { values, others = {} }]) =>
  [kind, [...values, ...Object.keys(others), ...(kind === 'decimal' ? DECIMALS : [])]]));
export const WRONG = Object.fromEntries(Object.entries(ROWS).map(([kind, { wrong }]) => [kind, wrong]));

// JCS: members in order, numbers as JavaScript writes them.
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`;
}

// A value as the schema of its field has it: the whole id, and a text for a decimal.
export function plain(kind, value) {
  if (isRef(kind)) return ROWS[kind].others[value] ?? value;
  return kind === 'decimal' && typeof value === 'number' ? String(value) : value;
}

// A value as a store spells it and nodes show it, so that equal ones are one text.
export function spelt(kind, value) {
  if (kind === 'json') return canonical(value);
  const text = plain(kind, value);
  return ROWS[kind].others?.[text] ?? text;
}

// Where a value stands among those of its kind.
export const rank = (kind, value) => (isForm(kind) ? ROWS[kind].values.indexOf(spelt(kind, value)) : value);

// What a value is as a literal; one of another kind is of the datatype that JSON
// gives it.
export function literalOf(value, kind) {
  const row = ROWS[kind];
  if (kind === 'json') return { text: canonical(value), type: `${RDF}JSON` };
  const isRight = row && VALUES[kind].includes(value);
  if (isRight && (isForm(kind) || kind === 'datetime')) return { text: spelt(kind, value), type: XSD + row.type };
  if (typeof value === 'boolean') return { text: String(value), type: `${XSD}boolean` };
  if (typeof value === 'number' && kind !== 'number' && Number.isInteger(value)) {
    return { text: BigInt(value).toString(), type: `${XSD}integer` };
  }
  if (typeof value === 'number') {
    return { text: value.toExponential().replace(/e\+?/, 'E').replace(/^(-?\d)E/, '$1.0E'), type: `${XSD}double` };
  }
  return { text: String(value), type: `${XSD}string` };
}

// Three values that show what a kind is: two, and one that is spelt otherwise or
// sent in short, where there is such a thing.
export const examplesOf = (kind) => (kind === 'object' ? [{ street: 'Main', at: { lat: 0.5 } }, { street: 'Side' }, { street: '' }]
  : kind === 'json' ? [DOCUMENTS[1], DOCUMENTS[3], DOCUMENTS[5]]
    : [VALUES[kind].at(-2), VALUES[kind][0], VALUES[kind].at(-1)]);
