// Measures how fast idempotency keys are claimed and completed over HTTP, with PostgreSQL as the
// store, compared with the same statements sent by bare `pg`. A claim and its completion count as
// one operation.
import { byWorker } from './load/contestants.ts';
import { openWorker, type Worker } from './load/programs.ts';
import { withCleanup } from './measure/cleanup.ts';
import { compareRates } from './measure/compare.ts';
import { atLeast } from './measure/goal.ts';
import type { Counted } from './measure/overrun.ts';
import { type Run, roundsOf } from './measure/plan.ts';
import { runRounds } from './measure/rounds.ts';
import type { ClaimCommand } from './peers/bare-idempotency.ts';
import { openPostgres, POOL_SIZE, startOnPostgres } from './setup/keyrail.ts';
import { createWorkspace } from './setup/workspaces.ts';

const RATIO_MIN = 0.6;

type Name = 'claim and complete' | 'bare statements';

export async function measureIdempotency({ plan, report }: Run): Promise<void> {
  await withCleanup(async (stopAtEnd) => {
    const store = stopAtEnd(await openPostgres());
    const server = stopAtEnd(await startOnPostgres(store.url));
    const { id, token } = await createWorkspace(server, 'idempotency');
    const worker: Worker<ClaimCommand, Counted> = stopAtEnd(
      await openWorker('peers/bare-idempotency.ts', {
        BENCH_URL: store.url,
        BENCH_PORT: String(server.port),
        BENCH_TOKEN: token,
        BENCH_WORKSPACE: id,
        BENCH_POOL_SIZE: String(POOL_SIZE),
      }),
    );
    const samples = await runRounds<Name>(roundsOf(plan), [
      byWorker<Name, ClaimCommand>({
        name: 'claim and complete',
        worker,
        command: (span) => ({ ...span, by: 'http' }),
        measured: server,
      }),
      byWorker<Name, ClaimCommand>({
        name: 'bare statements',
        worker,
        command: (span) => ({ ...span, by: 'statements' }),
      }),
    ]);
    report(
      compareRates(samples, {
        name: 'idempotency: claim and complete',
        ours: 'claim and complete',
        peer: 'bare statements',
        goal: atLeast(RATIO_MIN),
      }),
    );
  });
}
