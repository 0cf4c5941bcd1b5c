// Settings of the embed plane, its signing keys and the scanner's webhook.
import { JWKS_MAX_AGE_SECONDS } from '@keyrail/protocol/wire/limits.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../base/duration.ts';
import type { ScannerKeysSource } from '../features/scanner/public-keys.ts';
import { durationMs, wholeNumber } from './parsers.ts';
import { Fault, type Setting } from './setting.ts';

export const rotateSigningKeysEvery: Setting<number> = {
  name: 'KEYRAIL_SIGNING_ROTATE_EVERY',
  meaning: 'How long a key signs embed tokens before the worker replaces it.',
  fallback: '30d',
  parse: (text) => durationMs(text, HOUR_MS, 365 * DAY_MS),
};

export const signingPublishWait: Setting<number> = {
  name: 'KEYRAIL_SIGNING_PUBLISH_WAIT',
  meaning: 'How long a new signing key is published before it signs.',
  fallback: '10m',
  // At least the time for which clients may cache the list of public keys.
  parse: (text) => durationMs(text, JWKS_MAX_AGE_SECONDS * SECOND_MS, DAY_MS),
};

export const scannerKeys: Setting<ScannerKeysSource> = {
  name: 'KEYRAIL_SCANNER_KEYS',
  meaning: "File or https: URL of the secret scanner's public keys. Unset: the webhook is off.",
  fallback: null,
  parse: (text) => {
    if (text.startsWith('https://') && URL.canParse(text)) return { kind: 'url', url: text };
    if (/^[a-z][a-z\d+.-]*:/i.test(text)) throw new Fault('must be a path or an https: URL');
    return { kind: 'file', path: text };
  },
};

export const embedKeysMax: Setting<number> = {
  name: 'KEYRAIL_EMBED_KEYS_MAX',
  meaning:
    'Maximum unrevoked keys per tenant, project and environment when created with embed tokens.',
  fallback: '100',
  parse: (text) => wholeNumber(text, 1, 100_000),
};
