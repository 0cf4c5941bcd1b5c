// Bare `pg` with prepared statements and its own pipelining, for peers that send the server's
// statements.
import { systemClock } from '@keyrail/server/base/clock.ts';
import type { Statement } from '@keyrail/server/db/database.ts';
import { prologue } from '@keyrail/server/db/pool.ts';
import type { Read } from '@keyrail/server/doors/door.ts';
import { allEnvs } from '@keyrail/server/doors/reach.ts';
import pg from 'pg';

/** A deadline that never passes. */
export const IN_TIME = { remainingMs: () => 1000 };

export const openPool = (pipeline: boolean): pg.Pool =>
  new pg.Pool({
    connectionString: process.env.BENCH_URL,
    max: Number(process.env.BENCH_POOL_SIZE),
    options: '-c search_path=keyrail',
    idleTimeoutMillis: 0,
    pipeline,
  });

const names = new Map<string, string>();

export function prepared({ text, values }: Statement): pg.QueryConfig {
  const name = names.get(text) ?? `bare_${names.size}`;
  names.set(text, name);
  return { name, text, values: [...values] };
}

/**
 * Sends statements that record a workspace's traffic, each in its own transaction and in one round
 * trip. Rows are returned as objects, with column names as keys.
 */
export function openRecorder(workspaceId: string): Read {
  const pool = openPool(true);
  const scope = { workspaceId, envs: allEnvs };
  const within = { role: 'kr_record', scope, deadline: IN_TIME } as const;
  const opening = prologue(within, systemClock, 'settings');
  return {
    reach: {
      workspaceId,
      envs: allEnvs,
      actor: { type: 'secret_key', id: workspaceId },
      authority: 'owner',
    },
    run: async (statement) => {
      const client = await pool.connect();
      try {
        const sent = ['begin', prepared(opening), prepared(statement), 'commit'];
        const results = await Promise.all(sent.map((each) => client.query(each)));
        return { rows: results[2]?.rows ?? [], count: results[2]?.rowCount ?? 0 };
      } finally {
        client.release();
      }
    },
  };
}
