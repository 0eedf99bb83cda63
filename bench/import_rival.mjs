// Loads a file of N-Triples into oxigraph's store, which is in memory, and
// prints the milliseconds that it took: bench/import_rival.mjs DATA
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(
  new URL('../test/js/package.json', import.meta.url));
const { default: oxigraph } = await import(
  pathToFileURL(require.resolve('oxigraph')).href);

const store = new oxigraph.Store();
const start = performance.now();
store.load(readFileSync(process.argv[2], 'utf8'),
  { format: 'application/n-triples' });
console.log(`${performance.now() - start} ${store.size}`);
