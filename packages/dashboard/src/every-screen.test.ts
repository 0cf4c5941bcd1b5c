// Laws of every registered screen: it opens cold and reloaded, keeps no secret, and axe sees it.
import { deepEqual, ok } from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { addressesOf, walkAll } from '../test/every-screen.ts';
import { screens } from './routes.ts';

test('every screen opens cold and reloaded, and keeps no secret', walkAll);

test('every registered screen is in one share of the accessible screens', () => {
  const files = globSync('accessible-*.test.ts', { cwd: import.meta.dirname });
  const shares = files.map((file) => {
    const text = readFileSync(join(import.meta.dirname, file), 'utf8');
    const [, share, of] = /axeShare\(t, (\d+), (\d+)\)/.exec(text) ?? [];
    return `${share} of ${of}`;
  });
  const all = files.map((_, at) => `${at} of ${files.length}`);
  deepEqual(shares.sort(), all);
  const name = 'object';
  const named = () => new Proxy<Record<string, string>>({}, { get: () => name });
  const shown = addressesOf({ slug: 'acme', named, secrets: [] }).filter(({ isTest }) => isTest);
  for (const { frame, path } of screens.filter((screen) => screen.path !== '$')) {
    const own = path.replace('$env', 'test').replaceAll(/\$\w+/g, name);
    const address = `${frame === 'workspace' ? '/w/acme' : ''}/${own}`;
    ok(
      shown.some((one) => one.path === address),
      `axe looks at ${path}`,
    );
  }
});
