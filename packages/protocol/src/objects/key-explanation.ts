// Why a node allows or denies a key, check by check.
import { z } from 'zod';
import { ApiKey } from './api-key.ts';
import { Count } from './wire.ts';

/** The reasons of the SDK, by its names. */
const DecisionReason = z.enum([
  'missing_key',
  'malformed_key',
  'unknown_key',
  'expired',
  'wrong_environment',
  'insufficient_scope',
  'rate_limited',
  'policy_unavailable',
  'project_deleted',
]);
export type DecisionReason = z.output<typeof DecisionReason>;

/** In the order in which a node asks. */
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
    reason: DecisionReason.nullable().meta({
      description:
        'The reason that the SDK gives; `null` if the key is allowed. A node knows only keys that ' +
        'it may accept, so a revoked or disabled key is `unknown_key` to it. The checks tell the ' +
        'difference.',
    }),
    key: ApiKey.nullable(),
    checks: z.array(KeyCheck),
    policy_version: z.int().min(1).nullable().meta({
      description: 'Of the project; `null` if neither the request nor the key names one.',
    }),
    nodes: z.strictObject({ total: Count, current: Count }).meta({
      description:
        'Nodes seen within 90 seconds, and those at this version. Without a policy version no ' +
        'nodes were counted, and both are 0.',
    }),
  })
  .meta({ id: 'KeyExplanation' });
export type KeyExplanation = z.output<typeof KeyExplanation>;
