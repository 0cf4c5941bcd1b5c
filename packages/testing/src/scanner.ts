// A secret scanner for tests: its key signs reports, and the app trusts it.
import { generateKeyPairSync, sign } from 'node:crypto';
import type { ScannerKeys } from '@keyrail/server/features/scanner/public-keys.ts';

export const SCANNER_KEY_ID = 'scanner-key-1';

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });

export const testScanner: ScannerKeys = {
  isConfigured: true,
  find: async (identifier) => (identifier === SCANNER_KEY_ID ? pair.publicKey : null),
};

const signatureOf = (body: string | Buffer): string =>
  sign('sha256', Buffer.from(body), pair.privateKey).toString('base64');

export const signedHeaders = (body: string | Buffer): Record<string, string> => ({
  'content-type': 'application/json',
  'scanner-public-key-identifier': SCANNER_KEY_ID,
  'scanner-public-key-signature': signatureOf(body),
});
