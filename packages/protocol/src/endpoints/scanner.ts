// Where a secret-scanning partner reports leaked credentials.
import { z } from 'zod';
import { endpoints } from '../endpoint.ts';
import { ScannerReport, ScannerVerdict } from '../objects/scanner.ts';

export const scannerEndpoints = endpoints({
  'POST /v1/webhooks/scanner/secret_scanning': {
    auth: 'signature',
    summary: 'Report leaked credentials',
    description:
      'The signature over the exact bytes is checked before anything is parsed. Reported keys ' +
      'are quarantined; a failure answers 5xx, and redelivery is safe.',
    headers: {
      'Scanner-Public-Key-Identifier': 'Which public key verifies the signature.',
      'Scanner-Public-Key-Signature': 'Base64 of the DER-encoded ECDSA signature.',
    },
    body: 'raw',
    rawBody: ScannerReport,
    anyContentType: true,
    answers: { 200: z.array(ScannerVerdict) },
  },
});
