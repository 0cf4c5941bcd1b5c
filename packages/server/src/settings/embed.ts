// Settings for the secret scanner's webhook and for embed tokens.
import type { ScannerKeysSource } from '../features/scanner/public-keys.ts';
import { wholeNumber } from './parsers.ts';
import { Fault, type Group } from './setting.ts';

export const scanner = {
  scannerKeys: {
    name: 'KEYRAIL_SCANNER_KEYS',
    meaning: "File or https: URL of the secret scanner's public keys. Unset: the webhook is off.",
    fallback: null,
    parse: (text): ScannerKeysSource => {
      if (text.startsWith('https://') && URL.canParse(text)) return { kind: 'url', url: text };
      if (/^[a-z][a-z\d+.-]*:/i.test(text)) throw new Fault('must be a path or an https: URL');
      return { kind: 'file', path: text };
    },
  },
} satisfies Group;

export const embed = {
  embedKeysMax: {
    name: 'KEYRAIL_EMBED_KEYS_MAX',
    meaning:
      'Maximum unrevoked keys per tenant, project and environment. Applies only to embed tokens.',
    fallback: '100',
    parse: (text) => wholeNumber(text, 1, 100_000),
  },
} satisfies Group;
