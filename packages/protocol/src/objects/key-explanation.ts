// Why a node would allow or deny a key: the result of each check.
import { z } from 'zod';
import { denialReasons } from '../wire/denials.ts';
import { ApiKey } from './api-key.ts';
import { Count } from './wire.ts';

/** The checks, in the order a node runs them. */
const CheckName = z.enum([
  'format',
  'checksum',
  'known',
  'project',
  'disabled',
  'revoked',
  'expired',
  'environment',
  'scopes',
]);
export type CheckName = z.output<typeof CheckName>;

const KeyCheck = z
  .strictObject({
    check: CheckName,
    outcome: z.enum(['pass', 'fail', 'skipped']),
    detail: z.string().meta({ description: 'What was found, and what to do about it.' }),
  })
  .meta({ id: 'KeyCheck' });
export type KeyCheck = z.output<typeof KeyCheck>;

export const KeyExplanation = z
  .strictObject({
    object: z.literal('key_explanation'),
    verdict: z.enum(['allowed', 'denied']),
    reason: z
      .enum(denialReasons)
      .nullable()
      .meta({
        description:
          'The reason the SDK returns; `null` if the key is allowed. Nodes only hold keys they may ' +
          'accept, so they report a revoked or disabled key as `unknown_key`. The checks show the ' +
          'difference.',
      }),
    key: ApiKey.nullable(),
    checks: z.array(KeyCheck),
    policy_version: z.int().min(1).nullable().meta({
      description:
        "The project's policy version; `null` if neither the request nor the key has a project.",
    }),
    nodes: z.strictObject({ total: Count, current: Count }).meta({
      description:
        'Nodes seen in the last 90 seconds, and how many of them are on this version. Both are 0 ' +
        'if there is no policy version.',
    }),
  })
  .meta({ id: 'KeyExplanation' });
export type KeyExplanation = z.output<typeof KeyExplanation>;
