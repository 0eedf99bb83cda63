// What we write is read by oxigraph and jsonld as the same quads, and what
// oxigraph writes is read by us as the same: random datasets, compared up to
// the names of blank nodes.
import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { canonical, dataset, documentOf, quadsOf, scaled, seed }
  from '../js/datasets.mjs';

const TOOL = fileURLToPath(
  new URL('../../build/debug/tools/rdf_convert', import.meta.url));
const count = scaled(2000);

function convert(from, to, input) {
  const done = spawnSync(TOOL, [from, to], { input, encoding: 'utf8' });
  assert.strictEqual(done.status, 0, `${done.stderr}\n${input}`);
  return done.stdout;
}

async function check(store, from, to) {
  const keepDoubles = to !== 'jsonld';
  const wanted = await canonical(store.match(), keepDoubles);
  const input = documentOf(store, from);
  const output = convert(from, to, input);
  const quads = await quadsOf(output, to);
  assert.strictEqual(await canonical(quads, keepDoubles), wanted,
    `${from} to ${to}, seed ${seed}:\n${input}\n${output}`);
}

test(`${count} random datasets, seed ${seed}`, async (t) => {
  const routes = [
    ['nq', 'nq', true], ['nq', 'trig', true], ['nq', 'jsonld', true],
    ['trig', 'nq', true], ['nt', 'ttl', false], ['ttl', 'nt', false],
  ];
  for (const [from, to, withGraphs] of routes) {
    await t.test(`${from} to ${to}`, async () => {
      for (let i = 0; i < Math.ceil(count / routes.length); i++) {
        await check(dataset(withGraphs), from, to);
      }
    });
  }
});
