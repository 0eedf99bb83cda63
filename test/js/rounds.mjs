// All that a store has, through each syntax into another store, and through a
// handler back into its own: what comes out is what went in.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { quadsOf } from './datasets.mjs';
import { env } from './server.mjs';
import { trees } from './stored.mjs';

export const STATEMENTS = ['ttl', 'jsonld'];
export const ROWS = ['csv', 'ndjson'];

export class Store {
  // `app` is a folder with an app, `name` that of the store in it.
  constructor(app, name) {
    this.app = app;
    this.env = { ...env, TRAILS_STORE: join(app, name) };
    mkdirSync(this.env.TRAILS_STORE);
  }

  trails(...words) {
    const done = spawnSync('build/debug/trails', [...words, '--app', this.app], { env: this.env, encoding: 'utf8', maxBuffer: 1 << 28 });
    assert.equal(done.status, 0, `${words.join(' ')}: ${done.stderr}`);
    return done.stdout;
  }

  async trees() {
    return trees(await quadsOf(this.trails('export'), 'nq'));
  }

  // Others read it as it is meant, and so do we.
  async throughStatements(format, expected) {
    const text = this.trails('export', '--format', format);
    assert.deepEqual(trees(await quadsOf(text, format)), expected, `others read our ${format}`);
    const other = new Store(this.app, `by-${format}`);
    const file = join(this.app, `all.${format}`);
    writeFileSync(file, text);
    other.trails('import', file);
    assert.deepEqual(await other.trees(), expected, `a store by ${format}`);
  }

  async throughRows(format, types, expected) {
    const other = new Store(this.app, `by-${format}`);
    for (const type of types) {
      const file = join(this.app, `${type}.${format}`);
      writeFileSync(file, this.trails('export', '--type', type, '--format', format));
      other.trails('import', '--type', type, file);
    }
    assert.deepEqual(await other.trees(), expected, `a store by ${format}`);
  }
}
