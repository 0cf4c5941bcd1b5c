// Laws of every registered screen: it opens cold and reloaded, keeps no secret, has no violation of
// axe in both themes at three widths, and does not scroll sideways at 320 px.
import { test } from 'node:test';
import { walkShare } from '../test/every-screen.ts';

/** Each share ends well within the limit of a test. */
const SHARES = 7;

for (let share = 0; share < SHARES; share += 1) {
  test(`every screen opens, keeps no secret and is accessible, part ${share + 1}`, (t) =>
    walkShare(t, share, SHARES));
}
