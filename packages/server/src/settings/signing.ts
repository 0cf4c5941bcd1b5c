// Settings for signing key rotation.
import { JWKS_MAX_AGE_SECONDS } from '@keyrail/protocol/wire/limits.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../base/duration.ts';
import { durationMs } from './parsers.ts';
import type { Group } from './setting.ts';

export const signing = {
  rotateEveryMs: {
    name: 'KEYRAIL_SIGNING_ROTATE_EVERY',
    meaning: 'How long a key signs embed tokens before the worker replaces it.',
    fallback: '30d',
    parse: (text) => durationMs(text, HOUR_MS, 365 * DAY_MS),
  },
  publishWaitMs: {
    name: 'KEYRAIL_SIGNING_PUBLISH_WAIT',
    meaning: 'How long a new signing key is published before it is used.',
    fallback: '10m',
    // The minimum is the time that clients may cache the list of public keys.
    parse: (text) => durationMs(text, JWKS_MAX_AGE_SECONDS * SECOND_MS, DAY_MS),
  },
} satisfies Group;
