// Error messages on a terminal must not move the cursor, set the title or add lines.
import { deepEqual, doesNotMatch, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { KeyrailUnreachable } from '@keyrail/client';
import { Failure, failureLines, interrupted, notLoggedIn, refused, usage } from './failures.ts';
import { painter } from './terminal/style.ts';

const HOSTILE = '\u001b]0;owned\u0007\u001b[2J\u009b1A\rgone\u202e\n  run: \u001b[0m';
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

const linesOf = (error: unknown): string[] =>
  failureLines(error, { paint: painter(false), changes: true });

const failures = {
  usage: usage(HOSTILE, HOSTILE),
  refused: refused(HOSTILE, HOSTILE, HOSTILE),
  'not logged in': notLoggedIn(HOSTILE, HOSTILE),
  interrupted: interrupted(),
  'with a code': new Failure(3, HOSTILE, HOSTILE),
  'from the network': new KeyrailUnreachable('network', HOSTILE, { sent: true }),
  'from the program': new Error(HOSTILE),
};

for (const [name, failure] of Object.entries(failures)) {
  test(`control characters in an error are made visible on the terminal: ${name}`, () => {
    const lines = linesOf(failure);
    equal(lines.length > 0, true);
    for (const line of lines) doesNotMatch(line, CONTROLS);
  });
}

test('each hint is printed on one line, whatever it contains', () => {
  deepEqual(linesOf(refused('No.', 'first', 'a\nb')), ['keyrail: No.', '  first', '  a\\u000ab']);
});
