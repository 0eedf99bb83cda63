// What is imported into a store comes out again, in every format, in one piece
// or in several, before and after `trails compact`: random datasets, compared
// up to the names of blank nodes; oxigraph and jsonld read what we write.
import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { canonical, dataset, documentOf, oxigraph, pick, quadsOf, random,
  scaled, seed } from '../js/datasets.mjs';

const TRAILS = fileURLToPath(
  new URL('../../build/debug/trails', import.meta.url));
const FORMATS = ['nq', 'trig', 'jsonld', 'nt', 'ttl'];
const GRAPH = 'http://example.org/one';
const count = scaled(400);
const folder = mkdtempSync(join(tmpdir(), 'trails-store-'));
writeFileSync(join(folder, 'app.lua'), '');

after(() => rmSync(folder, { recursive: true }));

function trails(...words) {
  const done = spawnSync(TRAILS, [...words, '--app', folder],
    { encoding: 'utf8' });
  assert.strictEqual(done.status, 0,
    `${words.join(' ')}, seed ${seed}: ${done.stderr}`);
  return done.stdout;
}

function forget() {
  rmSync(join(folder, 'data'), { recursive: true, force: true });
}

// Imports a dataset as one file. A label is a node of its file alone, so what
// is split over files has no blank nodes.
function load(store, format, ...options) {
  const path = join(folder, `in.${format}`);
  writeFileSync(path, documentOf(store, format));
  trails('import', path, ...options);
}

async function compare(store, format, ...options) {
  const keepDoubles = format !== 'jsonld';
  const output = trails('export', '--format', format, ...options);
  assert.strictEqual(
    await canonical(await quadsOf(output, format), keepDoubles),
    await canonical(store.match(), keepDoubles),
    `${format}, seed ${seed}:\n${documentOf(store, 'nq')}\n${output}`);
}

async function roundTrip(from, to) {
  const withGraphs = !['nt', 'ttl'].includes(from)
    && !['nt', 'ttl'].includes(to);
  const store = dataset(withGraphs);
  forget();
  load(store, from);
  await compare(store, to);
  if (random(2)) {
    trails('compact');
    await compare(store, to);
  }
}

test(`${count} random datasets, seed ${seed}`, async (t) => {
  for (const to of FORMATS) {
    await t.test(`to ${to}`, async () => {
      for (let i = 0; i < Math.ceil(count / FORMATS.length); i++) {
        await roundTrip(pick(['nq', 'trig', 'nt', 'ttl']), to);
      }
    });
  }
});

const isGround = (quad) => [quad.subject, quad.object, quad.graph]
  .every((term) => term.termType !== 'BlankNode');

test(`stores that grow, seed ${seed}`, async () => {
  for (let i = scaled(40); i > 0; i--) {
    const all = new oxigraph.Store();
    forget();
    for (let files = 1 + random(4); files > 0; files--) {
      const part = new oxigraph.Store(dataset(true).match().filter(isGround));
      part.match().forEach((quad) => all.add(quad));
      load(part, 'nq');
      if (random(3) === 0) {
        trails('compact');
      }
    }
    await compare(all, pick(['nq', 'trig', 'jsonld']));
  }
});

test(`one graph, seed ${seed}`, async () => {
  for (let i = scaled(40); i > 0; i--) {
    const store = dataset(false);
    forget();
    load(new oxigraph.Store([oxigraph.quad(
      oxigraph.namedNode('http://example.org/other'),
      oxigraph.namedNode('http://example.org/p'), oxigraph.literal('x'))]),
    'nq');
    if (store.size > 0) {
      load(store, 'nt', '--graph', GRAPH);
      await compare(store, pick(['nt', 'ttl']), '--graph', GRAPH);
    }
  }
});
