// Lets code that runs statements through a door run them on the connection of a restore.
import type pg from 'pg';
import { Batch } from '../db/batch.ts';
import type { Answer } from '../db/database.ts';
import type { Runner } from '../db/sql.ts';

const STATEMENT_MS_MAX = 60_000;

export const runnerOn = (session: pg.ClientBase): Runner => ({
  run: (statement) =>
    new Promise<Answer>((resolve, reject) => {
      const settle = (error: Error | null, answers?: Answer[]) => {
        const answer = answers?.[0];
        if (answer) resolve(answer);
        else reject(error ?? new Error('impossible: a statement without an answer'));
      };
      session.query(new Batch([statement], STATEMENT_MS_MAX, settle));
    }),
});

export async function clockOf(session: pg.ClientBase): Promise<Date> {
  const { rows } = await session.query<{ now: Date }>('select keyrail.app_now() as now');
  const now = rows[0]?.now;
  if (!now) throw new Error('impossible: a database without a clock');
  return now;
}
