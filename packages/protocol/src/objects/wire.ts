// Pieces that several answers share. Answers are strict: an undeclared field is a leak or a typo.
import { z } from 'zod';
import { WIRE_TIME } from '../timestamp.ts';

/** An instant as it is always answered: UTC, three digits of milliseconds, Z. */
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

export const WireHash = z.string().regex(/^[0-9a-f]{64}$/);

export const Count = z.int().min(0);

/** The one shape of every list. Further pages are named by a `Link` header, never in the body. */
export const list = <T extends z.ZodType>(of: T) =>
  z.strictObject({ object: z.literal('list'), data: z.array(of) });
