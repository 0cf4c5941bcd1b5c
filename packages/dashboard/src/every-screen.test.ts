// What is true of every registered screen: it opens directly and after a reload, keeps no secret,
// has no axe violations in either theme (in the full run, at three widths), and does not scroll
// sideways at 320 px.
import { ok } from 'node:assert/strict';
import { test } from 'node:test';
import { addressesOf, walkShare } from '../test/every-screen.ts';
import { rowOf, screenNames } from './screens.ts';

/** Each share ends well within the limit of a test. */
const SHARES = 7;

for (let share = 0; share < SHARES; share += 1) {
  test(`every screen opens, keeps no secret and is accessible, part ${share + 1}`, (t) =>
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
