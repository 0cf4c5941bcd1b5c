// Checks the settings for values the server refuses to start with, and values not meant for
// production.
import type { ConfigResult } from '../config.ts';
import { fault, type Outcome, orFine, warning } from './finding.ts';

export function checkSettings(read: ConfigResult): Outcome[] {
  const found = read.warnings.map((text) => warning(text, 'Remove it from the environment.'));
  if ('faults' in read) {
    const remedy =
      "Fix it, or the server won't start. For a list of settings, run keyrail-server help.";
    return [...read.faults.map((text) => fault(text, remedy)), ...found];
  }
  const { people, listening, store, counters } = read.config;
  if (!people.authThrottle) {
    found.push(
      warning(
        'KEYRAIL_AUTH_THROTTLE is off, so attempts to guess passwords are not limited.',
        'Set it to on, or remove it.',
      ),
    );
  }
  if (store.databaseUrl && listening.publicUrl === null) {
    found.push(
      warning(
        "KEYRAIL_PUBLIC_URL isn't set, so email links and the token issuer point to this machine.",
        'Set it to the URL clients use to reach the server, the same in every process.',
      ),
    );
  }
  if (store.databaseUrl && !counters.redisUrl) {
    found.push(
      warning(
        "REDIS_URL isn't set, so each API process counts rate limits separately.",
        'Set REDIS_URL before you run more than one API process.',
      ),
    );
  }
  return orFine(found, 'All settings are valid.');
}
