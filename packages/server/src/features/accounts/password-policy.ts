// Rejects the passwords that attackers try first. Digits, symbols and capital letters aren't
// required, because such rules lead to worse passwords.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { invalid } from '../../base/errors.ts';
import { packageFolder } from '../../base/package-folder.ts';

const ASSET = join(packageFolder, 'assets/common-passwords.txt');

let guessedFirst: Set<string> | undefined;

/** Called at startup, because later on, the process may have run out of file descriptors. */
export function readPasswordsGuessedFirst(): void {
  guessedFirst ??= new Set(readFileSync(ASSET, 'utf8').trim().split('\n'));
}

function passwordsGuessedFirst(): Set<string> {
  if (guessedFirst === undefined) readPasswordsGuessedFirst();
  return guessedFirst ?? new Set();
}

// The list comes from a password strength meter, which doesn't list repeats and sequences but
// detects them with rules. Attackers guess repeats and sequences just as early as listed passwords,
// so isPatterned() rejects them as well. Patterns longer than the longest listed password are
// allowed, because few people use them.
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

/**
 * Throws a 400 that says what's wrong with the password. The endpoint's schema has already checked
 * its length.
 */
export function refuseWeakPassword(password: string, email: string): void {
  const folded = password.toLowerCase();
  if (folded === email.toLowerCase()) throw weak('Must not be your email address.');
  if (passwordsGuessedFirst().has(folded) || isPatterned(folded)) {
    throw weak('This is one of the most common passwords. Choose a different one.');
  }
}
