// One of the two environments; only live traffic is billed.
import { z } from 'zod';
import { Env } from '../validators.ts';

export const Environment = z
  .strictObject({ object: z.literal('environment'), name: Env, billable: z.boolean() })
  .meta({ id: 'Environment' });
export type Environment = z.output<typeof Environment>;
