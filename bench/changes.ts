// Changes in one workspace, over HTTP on PostgreSQL, against the same statements by bare `pg`.
import type { BareOrder, BareResult } from './bare-changes.ts';
import { openWorker, type Worker } from './children.ts';
import { timed, underLoad } from './contestants.ts';
import { type Keyrail, openPostgres, POOL_SIZE, startOnPostgres } from './keyrail.ts';
import { CONNECTIONS, openLoader } from './loader.ts';
import { createSecretKey, foundWorkspace } from './requests.ts';
import { type Contestant, judge, type Laps, rate, ratios, spread, takeTurns } from './rounds.ts';
import { type Stoppable, stopAll } from './stop.ts';
import type { Finding } from './table.ts';

const RATIO_MIN = 0.6;
const PER_SECOND_MIN = 600;

type Name = 'keyrail' | 'bare pg' | 'bare pg, awaited';

export async function measureChanges(): Promise<Finding[]> {
  const opened: Stoppable[] = [];
  try {
    const store = await openPostgres();
    opened.push(store);
    const server = await startOnPostgres(store.url);
    opened.push(server);
    const loader = await openLoader();
    opened.push(loader);
    const bare = await openBare(server, store.url);
    opened.push(bare);
    const token = await foundWorkspace(server.port, server.bootstrapToken, 'served');
    return findings(
      await takeTurns<Name>([
        underLoad(loader, { name: 'keyrail', server, request: createSecretKey(token) }),
        bareContestant(bare, { name: 'bare pg', pipelined: true }),
        bareContestant(bare, { name: 'bare pg, awaited', pipelined: false }),
      ]),
    );
  } finally {
    await stopAll(opened);
  }
}

type Bare = Worker<BareOrder, BareResult>;

/** In the same database, in a workspace of its own: tables and indexes grow for both alike. */
async function openBare(server: Keyrail, url: string): Promise<Bare> {
  const token = await foundWorkspace(server.port, server.bootstrapToken, 'bare');
  return openWorker('bare-changes.ts', {
    BENCH_URL: url,
    BENCH_POOL_SIZE: String(POOL_SIZE),
    BENCH_SECRET_KEY: token,
  });
}

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

function findings(laps: Laps<Name>): Finding[] {
  const ours = laps.keyrail;
  const against = ratios(ours, laps['bare pg']);
  const awaited = ratios(ours, laps['bare pg, awaited']);
  const shown = spread(ours, rate);
  return [
    {
      name: 'changes: POST /v1/secret_keys, one workspace',
      ours: shown,
      peer: `bare pg ${spread(laps['bare pg'], rate)}`,
      ratio: spread(against, (value) => value.toFixed(2)),
      target: `>= ${RATIO_MIN.toFixed(2)}`,
      met: judge(against, (value) => value >= RATIO_MIN),
    },
    {
      name: 'changes: rate',
      ours: shown,
      peer: '-',
      ratio: '-',
      target: `>= ${PER_SECOND_MIN}/s`,
      met: judge(ours, (value) => value >= PER_SECOND_MIN),
    },
    {
      name: 'changes: against bare pg, each statement awaited',
      ours: shown,
      peer: `bare pg ${spread(laps['bare pg, awaited'], rate)}`,
      ratio: spread(awaited, (value) => value.toFixed(2)),
      target: 'context',
      met: null,
    },
  ];
}
