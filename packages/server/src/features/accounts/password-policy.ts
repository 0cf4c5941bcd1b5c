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

const weak = (message: string) => invalid('body', [{ path: 'password', message }]);

/** Throws a 400 that says what is wrong. The length was checked with the rest of the input. */
export function refuseWeakPassword(password: string, email: string): void {
  const folded = password.toLowerCase();
  if (folded === email.toLowerCase()) throw weak('Must not be your e-mail address.');
  if (passwordsGuessedFirst().has(folded)) throw weak('Is one of the most common passwords.');
}
