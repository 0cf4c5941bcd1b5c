// Reports of leaked credentials, and the labels returned for them.
import { z } from 'zod';
import { text } from '../text.ts';
import { BODY_BYTES_MAX } from '../wire/limits.ts';
import { WireHash } from './wire.ts';

// Limited only by the size of the body. A single overlong URL, or a large number of entries, must
// not make the whole report invalid.
const Field = text(0, BODY_BYTES_MAX);

/**
 * The endpoint's body is raw bytes, because the signature is checked before the report is parsed.
 */
export const ScannerReport = z
  .array(
    // Unknown fields are ignored, because partners may add fields.
    z.object({
      token: Field,
      type: Field,
      url: Field.nullable().optional(),
      source: Field.nullable().optional(),
    }),
  )
  .meta({ id: 'ScannerReport' });
export type ScannerReport = z.output<typeof ScannerReport>;

const ScannerLabel = z.enum(['true_positive', 'false_positive']);

export const ScannerVerdict = z
  .strictObject({ token_hash: WireHash, token_type: z.string(), label: ScannerLabel })
  .meta({ id: 'ScannerVerdict' });
export type ScannerVerdict = z.output<typeof ScannerVerdict>;
