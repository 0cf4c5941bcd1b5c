// The webhook that secret-scanning partners call to report leaked credentials.
import { z } from 'zod';
import { endpoints } from '../endpoint.ts';
import { ScannerReport, ScannerVerdict } from '../objects/scanner.ts';

export const scannerEndpoints = endpoints({
  'POST /v1/webhooks/scanner/secret_scanning': {
    auth: 'signature',
    summary: 'Report leaked credentials',
    description:
      'The signature covers the exact bytes of the body and is checked before they are parsed. ' +
      'Reported keys are quarantined. After a 5xx response, it is safe to send the report again.',
    headers: {
      'Scanner-Public-Key-Identifier': 'The ID of the public key that verifies the signature.',
      'Scanner-Public-Key-Signature': 'Base64 of the DER-encoded ECDSA signature.',
    },
    body: 'raw',
    rawBody: ScannerReport,
    anyContentType: true,
    answers: { 200: z.array(ScannerVerdict) },
  },
});
