// The settings: what a start would refuse, and what is allowed but not meant for production.
import type { ConfigResult } from '../config.ts';
import { fault, type Outcome, orFine, warning } from './finding.ts';

export function checkSettings(read: ConfigResult): Outcome[] {
  const found = read.warnings.map((text) => warning(text, 'Remove it from the environment.'));
  if ('faults' in read) {
    const remedy =
      'Correct it: a start refuses wrong settings. keyrail-server help lists them all.';
    return [...read.faults.map((text) => fault(text, remedy)), ...found];
  }
  const { people, listening, store, counters } = read.config;
  if (!people.authThrottle) {
    found.push(
      warning(
        'KEYRAIL_AUTH_THROTTLE is off: passwords can be guessed without a limit.',
        'Set it to on, or remove it.',
      ),
    );
  }
  if (store.databaseUrl && listening.publicUrl === null) {
    found.push(
      warning(
        'KEYRAIL_PUBLIC_URL is not set: links in mails and the issuer of tokens name this machine.',
        'Set it to the URL under which clients reach the server, the same in all processes.',
      ),
    );
  }
  if (store.databaseUrl && !counters.redisUrl) {
    found.push(
      warning(
        'REDIS_URL is not set: each API process counts rate limits for itself.',
        'Set REDIS_URL before you run more than one API process.',
      ),
    );
  }
  return orFine(found, 'All settings are valid.');
}
