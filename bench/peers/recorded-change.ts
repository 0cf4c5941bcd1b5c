// Records the statements that create a key, by running the server's own code on a store that does
// nothing but record. The peer then sends exactly these statements, with new values where each
// change needs its own.
import { systemRandomBytes } from '@keyrail/server/base/random.ts';
import type { Answer, Database, Statement } from '@keyrail/server/db/database.ts';
import { allEnvs } from '@keyrail/server/doors/reach.ts';
import { openWrite } from '@keyrail/server/doors/write.ts';
import { createKey } from '@keyrail/server/features/keys/create-key.ts';
import { createSecretKey } from '@keyrail/server/features/secret-keys/create-secret-key.ts';
import { unlimited } from '@keyrail/server/features/secret-keys/key-limits.ts';
import { IN_TIME } from './bare-pg.ts';

/** New IDs, a new hash and a new time, which replace the recorded values. */
export type Fresh = { keyId: string; auditId: string; hash: Buffer; now: Date };

export type ChangeStatements = {
  /** The statements that create the key, in order, without those that begin and end the write. */
  body(fresh: Fresh): Statement[];
  close(fresh: Fresh): Statement;
};

/** The project and tenant of an API key; null for a secret key. */
export type Parents = { projectId: string; tenantId: string } | null;

const CHANGE_ID = '00000000-0000-7000-8000-0000000000c4';
const KEY_ID = '00000000-0000-7000-8000-000000000001';
const AUDIT_ID = '00000000-0000-7000-8000-000000000002';
const NOW = new Date(0);

export type Caller = { keyId: string; workspaceId: string };

export async function recordChange(caller: Caller, parents: Parents): Promise<ChangeStatements> {
  const recorded: Statement[] = [];
  const found = { project: parents?.projectId, tenant: parents?.tenantId, ...parents };
  const db = recordingStore(recorded, found);
  const ids = [CHANGE_ID, KEY_ID, AUDIT_ID];
  const newId = (): string => ids.shift() ?? '';
  const reach = {
    workspaceId: caller.workspaceId,
    envs: allEnvs,
    actor: { type: 'secret_key' as const, id: caller.keyId },
    authority: 'owner' as const,
  };
  const seal = (): Buffer => Buffer.alloc(0);
  const parts = { db, newId, randomBytes: systemRandomBytes, seal, announce: () => {} };
  const write = openWrite(parts, reach, { deadline: IN_TIME });
  if (parents) await write((tx) => createKey(tx, { ...parents, ...sample, ...sampleOfApiKey }));
  else await write((tx) => createSecretKey(tx, { ...sample, ...unlimited }));
  const body = [...recorded];
  const close = body.pop();
  if (!close || body.length === 0) {
    throw new Error(`a change sent too few statements: ${recorded.length}`);
  }
  return {
    body: (fresh) => body.map((statement) => renew(statement, fresh)),
    close: (fresh) => renew(close, fresh),
  };
}

const sample = {
  env: 'live' as const,
  name: 'Nightly import',
  meta: { team: 'billing' },
  expiresAt: null,
};

const sampleOfApiKey = { scopes: ['orders:read'], rateLimits: null };

function renew({ text, values }: Statement, fresh: Fresh): Statement {
  const renewed = (value: unknown): unknown => {
    if (value === KEY_ID) return fresh.keyId;
    if (value === AUDIT_ID) return fresh.auditId;
    if (value === NOW) return fresh.now;
    if (Buffer.isBuffer(value)) return fresh.hash;
    return Array.isArray(value) ? value.map(renewed) : value;
  };
  return { text, values: values.map(renewed) };
}

function recordingStore(recorded: Statement[], found: object): Database {
  // Every recorded query returns this row. It serves as the parent to lock and as the inserted key.
  const row = { id: KEY_ID, env: 'live', displayPrefix: 'sample', ...found };
  const record = async (statement: Statement): Promise<Answer> => {
    recorded.push(statement);
    return { rows: [row], count: 1 };
  };
  return {
    kind: 'postgres',
    once: (_opening, statement) => record(statement),
    transaction: async (_opening, body) => {
      const ending = await body({ now: NOW, run: record });
      if (ending.kind === 'rollback') return ending.result;
      return ending.result(await Promise.all(ending.last.map(record)));
    },
    expect: () => () => {},
    ping: async () => {},
    storage: () => 'ok',
    poolUse: () => ({ max: 1, lent: 0, waiting: 0 }),
    close: async () => {},
  };
}
