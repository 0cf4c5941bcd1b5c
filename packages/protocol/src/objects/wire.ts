// Schemas shared by responses. Responses are strict, because an undeclared field is a leak or a
// typo.
import { z } from 'zod';
import { WIRE_TIME } from '../timestamp.ts';
import { SHA256_HEX } from '../wire/sha256-hex.ts';

/** A time in a response: UTC, with exactly three digits of milliseconds, ending in `Z`. */
export const WireTime = z.string().regex(WIRE_TIME).meta({ format: 'date-time' });

/** A calendar day in UTC. */
export const WireDay = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d$/)
  .meta({ format: 'date' });

/** The first day of a month in UTC. */
export const WireMonth = z
  .string()
  .regex(/^\d{4}-\d\d-01$/)
  .meta({ format: 'date' });

export const WireHash = z.string().regex(SHA256_HEX);

export const Count = z.int().min(0);

/** A secret that appears only in the first response to a request, never in a replayed one. */
export const SecretText = z.string().optional().meta({
  description: 'Shown only once. Absent from a replayed response.',
});

export const ShownOnce = z.boolean().meta({ description: '`false` in a replayed response.' });

/** The body of every list. The next page is in the `Link` header, never in the body. */
export const list = <T extends z.ZodType>(of: T) =>
  z.strictObject({ object: z.literal('list'), data: z.array(of) });
