// Random capabilities, as the source of an app, and what the canonical form of
// each has to be.
import { pick, random } from './datasets.mjs';

export const PROJECT = 'views';
export const FIELDS = ['id', 'version', 'description', 'input_shape', 'output_shape', 'preconditions', 'side_effects', 'cost',
  'policy_required', 'idempotent', 'deprecates', 'reasoning', 'assurance', 'version_status'];

const TEXTS = ['Does it.', 'Says "hello" \\ and more.', 'Two\nlines | and a bar.', '# No heading', '\u00e4\u20ac\u{1F600} \u2028', '<b>&amp;</b>', '{"a":1}',
  'https://a.example/?b=c#d', '@type', 'null'];
const VERSIONS = ['0.1.0', '1.0.0', '2.10.3', '1.0.0-rc.1', '1.0.0+build.5', '10.20.30-a.b-c.0+x'];
const STATUSES = ['active', 'deprecated', 'experimental', 'retired'];
const KINDS = ['text', 'integer', 'number', 'boolean', 'datetime', 'date', 'time', 'duration', 'decimal', 'uri', 'email', 'json', "ref 'Task'"];
const SCHEMAS = [
  { type: 'object' },
  { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { type: 'string', minLength: 1 } } },
  { type: 'object', properties: { a: { type: ['string', 'null'] }, region: { type: 'string', 'x-mcp-header': 'Region' } } },
  { type: 'object', properties: { 'x-mcp-header': { type: 'string' }, b: { type: 'integer', 'x-mcp-header': 'B' } }, required: ['b'] },
  { type: 'object', properties: { tree: { $ref: '#' } }, additionalProperties: false },
  { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', properties: { a: { $ref: '#/definitions/a~1b' } }, definitions: { 'a/b': { enum: ['$ref', { x: '#/x' }] } } },
  { type: 'object', properties: { a: { oneOf: [{ type: 'string', pattern: '^a' }, { type: 'integer', minimum: 0 }] } } },
  { type: 'object', properties: { a: { type: 'array', items: { type: 'number', exclusiveMinimum: 0.5 } } }, patternProperties: { '^x': { const: 5 } } },
  { type: 'object', properties: { a: { default: { 'x-mcp-header': 'kept' }, examples: ['#/kept'] } } },
];
const PARAMS = [{}, { sun: true }, { deep: { '@id': 'x', '@value': 5 }, list: [1, 2.5, 'x', null] }, { '': '' }];

const some = (list, most) => Array.from({ length: random(most + 1) }, () => pick(list));
const maybe = (n, make) => (random(n) ? undefined : make());

// A value as Lua has it.
export function lua(value) {
  if (value === null) return 'null';
  if (typeof value === 'string') return `"${value.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n')}"`;
  if (Array.isArray(value)) return value.length ? `{${value.map(lua).join(', ')}}` : 'array {}';
  if (typeof value === 'object') {
    const members = Object.entries(value).filter(([, each]) => each !== undefined);
    return `{${members.map(([key, each]) => `[${lua(key)}] = ${each instanceof Source ? each.text : lua(each)}`).join(', ')}}`;
  }
  return String(value);
}

class Source {
  constructor(text) {
    this.text = text;
  }
}

const fields = () => new Source(`{ ${Array.from({ length: random(5) }, (_, i) => {
  const kind = pick(KINDS);
  const options = [random(2) && 'optional = true', !random(4) && `description = ${lua(pick(TEXTS))}`, !random(5) && 'many = true'].filter(Boolean);
  return `f${i} = ${kind} { ${options.join(', ')} }`;
}).join(', ')} }`);

const conditions = () => Array.from({ length: random(3) }, () => ({ kind: pick(['weather', 'mood', 'paid-for']), params: pick(PARAMS) }));

function descriptor(id, earlier, chosen) {
  const options = {
    version: maybe(2, () => pick(VERSIONS)),
    description: pick(TEXTS),
    title: maybe(3, () => pick(TEXTS)),
    preconditions: maybe(2, conditions),
    postconditions: maybe(3, conditions),
    side_effects: maybe(2, () => ({
      graph_writes: some(['default', 'http://g.example/a', 'http://g.example/*', '*'], 2),
      external_calls: some(['https://api.example/', 'mail'], 2),
      regulated: random(2) === 1,
    })),
    cost: maybe(2, () => ({ tokens: random(5000), usd: random(1000) / 1024, latency_p50_ms: random(100), latency_p95_ms: 100 + random(100) / 8 })),
    policy_required: maybe(3, () => [...new Set(some(['office::hours', 'two-eyes'], 2))]),
    idempotent: maybe(2, () => random(2) === 1),
    deprecates: earlier.length ? maybe(4, () => pick(earlier)) : undefined,
    assurance: maybe(3, () => pick(['L1', 'L2'])),
    version_status: maybe(2, () => pick(STATUSES)),
    scope: maybe(3, () => pick(['runtime', 'builder', 'dev'])),
  };
  const input = chosen ?? pick(['none', 'fields', 'fields', 'type', 'shape', 'loose', 'schema']);
  const output = pick(['none', 'fields', 'type']);
  if (input === 'fields') options.input = fields();
  if (input === 'type') options.input = 'Task';
  if (input === 'shape') options.input = 'Address';
  if (input === 'loose') options.input = 'Loose';
  if (input === 'schema') options.input_schema = JSON.stringify(pick(SCHEMAS));
  if (output === 'fields') options.output = fields();
  if (output === 'type') options.output = 'Task';
  return { id, options, input, output, expected: canonical(id, options, input, output) };
}

// The fourteen fields, in their order.
function canonical(id, options, input, output) {
  const own = (end) => `trails://${PROJECT}/shape/${id}.${end}`;
  const iris = { none: null, schema: null, type: `trails://${PROJECT}/Task`, shape: `trails://${PROJECT}/Address` };
  return {
    id,
    version: options.version ?? '0.1.0',
    description: options.description,
    input_shape: input in iris ? iris[input] : own('input'),
    output_shape: output in iris ? iris[output] : own('output'),
    preconditions: options.preconditions ?? [],
    side_effects: {
      graph_writes: options.side_effects?.graph_writes ?? ['*'],
      provenance: true,
      external_calls: options.side_effects?.external_calls ?? [],
      regulated: options.side_effects?.regulated ?? false,
    },
    cost: { tokens: 0, usd: 0, latency_p50_ms: 0, latency_p95_ms: 0, ...options.cost },
    policy_required: options.policy_required ?? [],
    idempotent: options.idempotent ?? false,
    deprecates: options.deprecates ?? null,
    reasoning: 'none',
    assurance: 'L1',
    version_status: options.version_status ?? 'active',
  };
}

const HEAD = `
node_type 'Task' { fields = { title = text { min_length = 2 }, done = boolean { optional = true }, parent = ref 'Task' { optional = true } },
                   tools = { 'create', 'update', 'find', 'delete' } }
shape 'Loose' { fields = { a = integer { min_value = 1 } } }
shape 'Address' { target_subjects_of = 'http://g.example/street', fields = { street = text { iri = 'http://g.example/street', max_length = 80 }, zip = text { iri = 'http://g.example/zip', pattern = '^[0-9]{5}$' } } }
policy 'office::hours' { run = function() return true end }
policy 'two-eyes' { run = function() return true end }
`;

// The source of an app with so many capabilities, and what each is. One uses the
// shape that is for no nodes: nothing else may have it.
export function randomApp(count) {
  const caps = [];
  for (let i = 0; i < count; i++) {
    const earlier = caps.filter(({ options }) => !options.deprecates).map(({ id }) => id);
    caps.push(descriptor(pick([`cap_${i}`, `a.b.cap-${i}`, `C${i}`]), earlier, i ? undefined : 'loose'));
  }
  const source = HEAD + caps.map(({ id, options }) =>
    `capability ${lua(id)} ${lua({ ...options, run: new Source('function() end') })}`).join('\n');
  return { source, caps };
}
