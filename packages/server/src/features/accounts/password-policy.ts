// What a new password must be: long enough, and not among those that are tried first. No rules
// about kinds of characters: they make passwords worse.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PASSWORD_CHARS_MAX } from '@keyrail/protocol/limits.ts';
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

/** Throws a 400 that says what is wrong. Length counts characters as people do. */
export function refuseWeakPassword(
  password: string,
  { email, charsMin }: { email: string; charsMin: number },
): void {
  const chars = [...password].length;
  if (chars < charsMin || chars > PASSWORD_CHARS_MAX) {
    throw weak(`Must have ${charsMin} to ${PASSWORD_CHARS_MAX} characters.`);
  }
  const folded = password.toLowerCase();
  if (folded === email.toLowerCase()) throw weak('Must not be your e-mail address.');
  if (passwordsGuessedFirst().has(folded)) throw weak('Is one of the most common passwords.');
}
