// IRIs and language tags that other readers of RDF refuse are not taken, so that
// no file that we write has them: random terms, of which we take those that
// oxigraph takes, and none that n3 refuses. TRAILS_TEST_SEED repeats a run.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { MEDIA_TYPE, oxigraph, pick, random, scaled, seed } from '../js/datasets.mjs';

const require = createRequire(new URL('../js/package.json', import.meta.url));
const { Parser } = createRequire(require.resolve('rdf-validate-shacl'))('n3');
const TOOL = fileURLToPath(new URL('../../build/debug/tools/rdf_convert', import.meta.url));
const STRICT = { nt: 'N-Triples', ttl: 'Turtle' };
const BASE = 'http://base.example/a/b';

const STARTS = ['http://', 'http://h/', 'http://[::1]', 'http://e:', 'http:', 'urn:', 'a:', 'file:///', 'http://u@'];
const RELATIVE = ['', '/', '//', '?', '#', 'a', 'h@ttp:', '1:', './a:', 'a/b:c', '../'];
const BITS = ['a', '1', '%20', '%zz', '%', '[', '::1', ']', ':', '8', '@', '/', '?', '#', '.', '-', '~', '!', '\u00e9',
  '\ue000', '\u{f0000}', '\ufffe', '\u{1fffe}', 'v1.a', '//', '\u007f', '\u00a0', '\ufdd0', '\ufff0', '..', '\u{e0000}'];
const SUBTAGS = ['en', 'de', 'a', 'x', 'i', 'abcd', 'abcdefgh', 'abcdefghi', '1', '419', '12ab', 'US', 'Latn', 'klingon',
  'oed', 'GB', 'zh', 'min', 'nan', 'u', 'co', '1abc', 'abcde'];
const some = (list, most) => Array.from({ length: random(most + 1) }, () => pick(list));

const iri = (starts) => pick(starts) + some(BITS, 5).join('');
const tag = () => [pick(SUBTAGS), ...some(SUBTAGS, 3)].join('-');

const MAKERS = [
  () => ['nt', `<${iri(STARTS)}> <http://p/> "x" .\n`],
  () => ['nt', `<http://s/> <http://p/> "x"^^<${iri(STARTS)}> .\n`],
  () => ['nt', `<http://s/> <http://p/> "x"@${tag()} .\n`],
  () => ['ttl', `<http://s/> <http://p/> "x"@${tag()} .\n`],
  () => ['ttl', `@base <${BASE}> . <${iri([...STARTS, ...RELATIVE])}> <http://p/> 1 .\n`],
  () => ['ttl', `@prefix p: <${iri(STARTS)}> . p:a <http://p/> p:b .\n`],
  () => ['nt', `<http://s/> <http://p/> "x"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString> .\n`],
];

const works = (read) => {
  try {
    read();
    return true;
  } catch {
    return false;
  }
};

// n3 takes what stands before a colon for a scheme, also where a '#' or '?' has
// begun another part (RFC 3986, 4.2: "a#b:c" is a relative reference).
const isWrongThere = (text) => /<[^<>/:]+[?#][^<>/:]*:/.test(text);

const count = scaled(4000);
test(`${count} random terms, seed ${seed}`, () => {
  for (let i = 0; i < count; i++) {
    const [format, text] = pick(MAKERS)();
    const done = spawnSync(TOOL, [format, 'nt'], { input: text, encoding: 'utf8' });
    assert.ok(done.status === 0 || /1:\d+/.test(done.stderr), `${text} ${done.stderr}`);
    const taken = done.status === 0;
    assert.equal(taken, works(() => oxigraph.parse(text, { format: MEDIA_TYPE[format] })), `${text} seed ${seed}: ${done.stderr}`);
    if (!taken) continue;
    for (const written of [text, done.stdout]) {
      const name = written === text ? format : 'nt';
      assert.ok(isWrongThere(written)
        || works(() => new Parser({ format: STRICT[name] }).parse(written)), `n3: ${written} seed ${seed}`);
      assert.ok(works(() => oxigraph.parse(written, { format: MEDIA_TYPE[name] })), `oxigraph: ${written} seed ${seed}`);
    }
  }
});
