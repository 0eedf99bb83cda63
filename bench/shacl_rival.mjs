// Validates a file of N-Triples with shacl-engine, the faster of the npm
// validators, and prints the CPU milliseconds of reading and of validating.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(
  new URL('../test/js/package.json', import.meta.url));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { default: rdf } = await load('@rdfjs/dataset');
const { default: model } = await load('@rdfjs/data-model');
const { Parser } = await load('n3');
const { Validator } = await load('shacl-engine');

const factory = { dataset: rdf.dataset };
for (const name of ['namedNode', 'blankNode', 'literal', 'quad',
  'defaultGraph', 'variable']) {
  factory[name] = (...all) => model[name](...all);
}
const cpu = () => {
  const used = process.cpuUsage();
  return (used.user + used.system) / 1000;
};
const read = (path) => rdf.dataset(
  new Parser().parse(readFileSync(path, 'utf8')));

const [, , shapesPath, dataPath] = process.argv;
const shapes = read(shapesPath);
const start = cpu();
const dataset = read(dataPath);
const middle = cpu();
const report = await new Validator(shapes, { factory }).validate({ dataset });
const end = cpu();
console.log(`${middle - start} ${end - middle} ${report.results.length}`);
