// Responses to the unversioned probes. They have no `object` field, because they are read by load
// balancers and people.
import { z } from 'zod';
import { signingPurposes } from '../wire/signing-purposes.ts';
import { WireTime } from './wire.ts';

const RedisState = z.strictObject({
  configured: z.boolean(),
  ready: z.boolean(),
  error: z.string().nullable(),
});

export const Health = z
  .strictObject({ status: z.literal('ok'), region: z.string(), redis: RedisState })
  .meta({ id: 'Health' });
export type Health = z.output<typeof Health>;

export const Ready = z
  .strictObject({
    status: z.literal('ok'),
    region: z.string(),
    database: z.literal('ok'),
    redis: RedisState,
  })
  .meta({ id: 'Ready' });
export type Ready = z.output<typeof Ready>;

export const Unready = z
  .strictObject({
    status: z.literal('unavailable'),
    region: z.string(),
    database: z.literal('unavailable'),
    redis: RedisState,
  })
  .meta({ id: 'Unready' });
export type Unready = z.output<typeof Unready>;

export const ComponentState = z.enum(['ok', 'degraded', 'down', 'not_configured', 'unknown']);
export type ComponentState = z.output<typeof ComponentState>;

export const Status = z
  .strictObject({
    status: ComponentState,
    components: z.strictObject({
      api: ComponentState,
      database: ComponentState,
      redis: ComponentState,
      worker: ComponentState,
      backup: ComponentState,
    }),
    restoreTest: z.strictObject({
      lastRunAt: WireTime.nullable(),
      pass: z.boolean().nullable(),
      backupId: z.string().nullable(),
    }),
  })
  .meta({ id: 'Status' });
export type Status = z.output<typeof Status>;

export const Jwk = z
  .strictObject({
    kty: z.literal('OKP'),
    crv: z.literal('Ed25519'),
    x: z.string(),
    use: z.literal('sig'),
    alg: z.literal('EdDSA'),
    kid: z.string(),
    purpose: z.enum(signingPurposes).meta({
      description: 'What the key signs. A verifier must ignore keys with any other purpose.',
    }),
  })
  .meta({ id: 'Jwk' });
export type Jwk = z.output<typeof Jwk>;

export const Jwks = z.strictObject({ keys: z.array(Jwk) }).meta({ id: 'Jwks' });
export type Jwks = z.output<typeof Jwks>;
