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
import { whileOpen } from './stop.ts';

export type Name = 'keyrail' | 'bare pg' | 'bare pg, awaited';

/** One creation, as the server's request and as the parents that the bare statements need. */
export type Creation = { request: string; parents: Parents };

/** Each contestant has its own workspace, so tables and indexes grow equally for both. */
export async function raceCreations(
  prepare: (port: number, token: string) => Promise<Creation>,
): Promise<Laps<Name>> {
  return whileOpen(async (keep) => {
    const store = keep(await openPostgres());
    const server = keep(await startOnPostgres(store.url));
    const loader = keep(await openLoader());
    const found = async (slug: string) => {
      const token = await foundWorkspace(server.port, server.bootstrapToken, slug);
      return { token, ...(await prepare(server.port, token)) };
    };
    const served = await found('served');
    const beside = await found('bare');
    const bare: Bare = keep(
      await openWorker('bare-changes.ts', {
        BENCH_URL: store.url,
        BENCH_POOL_SIZE: String(POOL_SIZE),
        BENCH_SECRET_KEY: beside.token,
        BENCH_PARENTS: JSON.stringify(beside.parents),
      }),
    );
    return await takeTurns<Name>([
      underLoad(loader, { name: 'keyrail', server, request: served.request }),
      bareContestant(bare, { name: 'bare pg', pipelined: true }),
      bareContestant(bare, { name: 'bare pg, awaited', pipelined: false }),
    ]);
  });
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
