// Bare `pg` for the peers of our statements: prepared statements and its own pipelining.

import { systemClock } from '@keyrail/server/base/clock.ts';
import type { Statement } from '@keyrail/server/db/database.ts';
import { prologue } from '@keyrail/server/db/pool.ts';
import { allEnvs } from '@keyrail/server/doors/reach.ts';
import pg from 'pg';
import { IN_TIME } from './statements.ts';

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
 * Sends statements that record traffic of a workspace, each in its own transaction and one trip.
 */
export function openRecorder(
  workspaceId: string,
): (statement: Statement) => Promise<pg.QueryResult | undefined> {
  const pool = openPool(true);
  const scope = { workspaceId, envs: allEnvs };
  const within = { role: 'kr_record', scope, deadline: IN_TIME } as const;
  const opening = prologue(within, systemClock, 'settings');
  return async (statement) => {
    const client = await pool.connect();
    try {
      const sent = ['begin', prepared(opening), prepared(statement), 'commit'];
      const results = await Promise.all(sent.map((each) => client.query(each)));
      return results[2];
    } finally {
      client.release();
    }
  };
}
