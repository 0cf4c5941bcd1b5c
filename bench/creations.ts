// Shared by the `changes` and `keys` benchmarks: creates objects of one kind in one workspace over
// HTTP, with PostgreSQL as the store, alternating with the same statements sent by bare `pg`.
import { byWorker, underLoad } from './load/contestants.ts';
import { openLoadGenerator } from './load/load-generator.ts';
import { openWorker, type Worker } from './load/programs.ts';
import { withCleanup } from './measure/cleanup.ts';
import type { Counted } from './measure/overrun.ts';
import { type Plan, roundsOf } from './measure/plan.ts';
import { runRounds, type Samples } from './measure/rounds.ts';
import type { ChangeCommand } from './peers/bare-changes.ts';
import type { Parents } from './peers/recorded-change.ts';
import { openPostgres, POOL_SIZE, startOnPostgres } from './setup/keyrail.ts';
import { createWorkspace, type Workspace } from './setup/workspaces.ts';

export type Name = 'keyrail' | 'bare pg' | 'bare pg, awaited';

/**
 * An object to create: the request that creates it over HTTP, and its parent rows, for bare `pg`.
 */
export type Creation = { request: string; parents: Parents };

/**
 * Keyrail and bare `pg` each get their own workspace, so that tables and indexes grow equally for
 * both.
 */
export async function measureCreations(
  plan: Plan,
  prepare: (workspace: Workspace) => Promise<Creation>,
): Promise<Samples<Name>> {
  return withCleanup(async (stopAtEnd) => {
    const store = stopAtEnd(await openPostgres());
    const server = stopAtEnd(await startOnPostgres(store.url));
    const generator = stopAtEnd(await openLoadGenerator());
    const { request } = await prepare(await createWorkspace(server, 'served'));
    const bareWorkspace = await createWorkspace(server, 'bare');
    const { parents } = await prepare(bareWorkspace);
    const worker: Worker<ChangeCommand, Counted> = stopAtEnd(
      await openWorker('peers/bare-changes.ts', {
        BENCH_URL: store.url,
        BENCH_POOL_SIZE: String(POOL_SIZE),
        BENCH_SECRET_KEY: bareWorkspace.token,
        BENCH_PARENTS: JSON.stringify(parents),
      }),
    );
    const bare = (name: Name, pipelined: boolean) =>
      byWorker({ name, worker, command: (span) => ({ ...span, pipelined }) });
    return await runRounds<Name>(roundsOf(plan), [
      underLoad<Name>(generator, { name: 'keyrail', server, request }),
      bare('bare pg', true),
      bare('bare pg, awaited', false),
    ]);
  });
}
