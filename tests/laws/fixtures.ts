// What the laws need to know of each line: a call that succeeds, what it leaves in the audit log,
// and what of it lies beyond the reach of a test key. A line without a fixture fails by name.
import type { AnyLine } from '@keyrail/protocol/endpoints/all.ts';
import type { Bench, Input } from '../bench.ts';

export type Fixture = {
  /** Who makes the successful call. */
  caller: 'liveKey' | 'bootstrap' | 'nobody';
  input(bench: Bench): Promise<Input> | Input;
  /** Actions that the call appends to the log, in order. */
  audits: readonly string[];
  /** A call that must be refused to a test key; null when it may do all that the line does. */
  beyond: ((bench: Bench) => Promise<Input> | Input) | null;
};

const nothing = (): Input => ({});

const liveSecretKey = async ({ as }: Bench): Promise<Input> => {
  const { id } = await as.liveKey('POST /v1/secret_keys', { env: 'live' });
  return { id };
};

const reading: Pick<Fixture, 'caller' | 'audits'> = { caller: 'liveKey', audits: [] };
const probe: Fixture = { caller: 'nobody', input: nothing, audits: [], beyond: null };

let slugs = 0;

export const fixtures: Partial<Record<AnyLine, Fixture>> = {
  'POST /v1/workspaces': {
    caller: 'bootstrap',
    input: () => {
      slugs += 1;
      return { name: 'Founded', slug: `founded-${process.pid}-${slugs}` };
    },
    audits: [], // they are in the new workspace's own log: see create-workspace.test.ts
    beyond: null,
  },
  'GET /v1/workspace': { ...reading, input: nothing, beyond: null },
  'PATCH /v1/workspace': {
    caller: 'liveKey',
    input: () => ({ name: 'Renamed' }),
    audits: ['workspace.updated'],
    beyond: () => ({ name: 'Renamed' }),
  },
  'POST /v1/secret_keys': {
    caller: 'liveKey',
    input: () => ({ env: 'test' }),
    audits: ['secret_key.created'],
    beyond: () => ({ env: 'live' }),
  },
  'GET /v1/secret_keys': { ...reading, input: nothing, beyond: null },
  'GET /v1/secret_keys/{id}': { ...reading, input: liveSecretKey, beyond: liveSecretKey },
  'POST /v1/secret_keys/{id}/rotate': {
    caller: 'liveKey',
    input: liveSecretKey,
    audits: ['secret_key.rotated'],
    beyond: liveSecretKey,
  },
  'POST /v1/secret_keys/{id}/revoke': {
    caller: 'liveKey',
    input: liveSecretKey,
    audits: ['secret_key.revoked'],
    beyond: liveSecretKey,
  },
  'GET /v1/environments': { ...reading, input: nothing, beyond: null },
  'GET /v1/audit_logs': { ...reading, input: nothing, beyond: null },
  'GET /v1/audit_logs/chain': { ...reading, input: nothing, beyond: null },
  'GET /healthz': probe,
  'GET /readyz': probe,
  'GET /status': probe,
};
