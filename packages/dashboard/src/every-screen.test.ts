// Every registered screen opens directly and after a reload, stores no secrets, has no axe
// violations (in the full run, in both themes and at three widths), and doesn't scroll sideways at
// 320 px.
import { ok } from 'node:assert/strict';
import { test } from 'node:test';
import { addressesOf, walkShare } from '../test/every-screen.ts';
import { rowOf, screenNames } from './screens.ts';

/**
 * The screens are divided among several tests, so that each test stays well within its time limit.
 */
const SHARES = 7;

for (let share = 0; share < SHARES; share += 1) {
  test(`every screen opens, stores no secrets and is accessible, part ${share + 1}`, (t) =>
    walkShare(t, share, SHARES));
}

test('every registered screen is tested', () => {
  const name = 'object';
  const named = () => new Proxy<Record<string, string>>({}, { get: () => name });
  const walked = addressesOf({ slug: 'acme', named, secrets: [] }).filter(({ isTest }) => isTest);
  for (const { path } of screenNames.map(rowOf)) {
    const inAcme = path.replace('$slug', 'acme').replace('$env', 'test');
    const address = inAcme.replaceAll(/\$\w+/g, name);
    ok(
      walked.some((one) => one.path === address),
      `axe checks ${path}`,
    );
  }
});
