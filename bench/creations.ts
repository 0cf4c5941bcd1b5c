// One kind of change in one workspace, over HTTP on PostgreSQL, in turns with the same statements
// sent by bare `pg`.
import type { BareOrder, BareResult } from './bare-changes.ts';
import { openWorker, type Worker } from './children.ts';
import { timed, underLoad } from './contestants.ts';
import { openPostgres, POOL_SIZE, startOnPostgres } from './keyrail.ts';
import { CONNECTIONS, openLoader } from './loader.ts';
import { foundWorkspace } from './requests.ts';
import { type Contestant, type Laps, takeTurns } from './rounds.ts';
import type { Parents } from './statements.ts';
import { type Stoppable, stopAll } from './stop.ts';

export type Name = 'keyrail' | 'bare pg' | 'bare pg, awaited';

/** What is created, as the server takes it and as the statements know it. */
export type Creation = { request: string; parents: Parents };

/** Each contestant has a workspace of its own: tables and indexes grow for both alike. */
export async function raceCreations(
  prepare: (port: number, token: string) => Promise<Creation>,
): Promise<Laps<Name>> {
  const opened: Stoppable[] = [];
  try {
    const store = await openPostgres();
    opened.push(store);
    const server = await startOnPostgres(store.url);
    opened.push(server);
    const loader = await openLoader();
    opened.push(loader);
    const found = async (slug: string) => {
      const token = await foundWorkspace(server.port, server.bootstrapToken, slug);
      return { token, ...(await prepare(server.port, token)) };
    };
    const [served, beside] = [await found('served'), await found('bare')];
    const bare: Bare = await openWorker('bare-changes.ts', {
      BENCH_URL: store.url,
      BENCH_POOL_SIZE: String(POOL_SIZE),
      BENCH_SECRET_KEY: beside.token,
      BENCH_PARENTS: JSON.stringify(beside.parents),
    });
    opened.push(bare);
    return await takeTurns<Name>([
      underLoad(loader, { name: 'keyrail', server, request: served.request }),
      bareContestant(bare, { name: 'bare pg', pipelined: true }),
      bareContestant(bare, { name: 'bare pg, awaited', pipelined: false }),
    ]);
  } finally {
    await stopAll(opened);
  }
}

type Bare = Worker<BareOrder, BareResult>;

const bareContestant = (
  bare: Bare,
  { name, pipelined }: { name: Name; pipelined: boolean },
): Contestant<Name> => ({
  name,
  run: (ms) =>
    timed(bare, async () => {
      const result = await bare.ask({ ms, concurrency: CONNECTIONS, pipelined }, ms);
      return { count: result.done, ms: result.ms, remark: '' };
    }),
});
