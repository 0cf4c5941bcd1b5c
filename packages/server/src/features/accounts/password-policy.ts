// What a new password must be, besides long enough: not among those that are tried first. No rules
// about kinds of characters: they make passwords worse.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { invalid } from '../../base/errors.ts';

let guessedFirst: Set<string> | undefined;

/** Read when first needed: most processes never set a password. */
function passwordsGuessedFirst(): Set<string> {
  guessedFirst ??= new Set(
    readFileSync(join(import.meta.dirname, 'common-passwords.txt'), 'utf8')
      .trim()
      .split('\n'),
  );
  return guessedFirst;
}

// The list was made for a strength meter, which leaves out what it knows by its pattern. Those are
// guessed as early, so they are told here; no longer than what is listed, or it would be a rule.
const PATTERNED_CHARS_MAX = 20;
const COUNTED = ['0123456789'.repeat(3), 'abcdefghijklmnopqrstuvwxyz'];
const RUNS = COUNTED.flatMap((run) => [run, [...run].reverse().join('')]);

function isPatterned(text: string): boolean {
  if (text.length > PATTERNED_CHARS_MAX || !/^[a-z0-9]+$/.test(text)) return false;
  if (RUNS.some((run) => run.includes(text))) return true;
  const piece = /^(.+?)\1+$/.exec(text)?.[1] ?? '';
  return /^\d{1,4}$/.test(piece) || passwordsGuessedFirst().has(piece);
}

const weak = (message: string) => invalid('body', [{ path: 'password', message }]);

/** Throws a 400 that says what is wrong. The length was checked with the rest of the input. */
export function refuseWeakPassword(password: string, email: string): void {
  const folded = password.toLowerCase();
  if (folded === email.toLowerCase()) throw weak('Must not be your e-mail address.');
  if (passwordsGuessedFirst().has(folded) || isPatterned(folded)) {
    throw weak('Is one of the most common passwords.');
  }
}
