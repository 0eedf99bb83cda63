// Validates a file of N-Triples with one of the npm validators, and prints the
// CPU milliseconds of reading and of validating, and how many results it found:
// bench/shacl_rival.mjs NAME SHAPES DATA
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(
  new URL('../test/js/package.json', import.meta.url));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { default: rdf } = await load('@rdfjs/dataset');
const { default: model } = await load('@rdfjs/data-model');
const { Parser } = await load('n3');

async function shaclEngine() {
  const { Validator } = await load('shacl-engine');
  const factory = { dataset: rdf.dataset };
  for (const name of ['namedNode', 'blankNode', 'literal', 'quad',
    'defaultGraph', 'variable']) {
    factory[name] = (...all) => model[name](...all);
  }
  return (shapes, dataset) => new Validator(shapes, { factory })
    .validate({ dataset });
}

async function rdfValidateShacl() {
  const { default: SHACLValidator } = await load('rdf-validate-shacl');
  return (shapes, dataset) => new SHACLValidator(shapes).validate(dataset);
}

const VALIDATORS = { 'shacl-engine': shaclEngine,
  'rdf-validate-shacl': rdfValidateShacl };

const cpu = () => {
  const used = process.cpuUsage();
  return (used.user + used.system) / 1000;
};
const read = (path) => rdf.dataset(
  new Parser().parse(readFileSync(path, 'utf8')));

const [, , name, shapesPath, dataPath] = process.argv;
const validate = await VALIDATORS[name]();
const shapes = read(shapesPath);
const start = cpu();
const dataset = read(dataPath);
const middle = cpu();
const report = await validate(shapes, dataset);
const end = cpu();
console.log(`${middle - start} ${end - middle} ${report.results.length}`);
