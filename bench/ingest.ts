// Telemetry over HTTP on PostgreSQL, counted in events. The peer sends the same statements by bare
// `pg`, with the batches already parsed, checked and summed: the cost of the database alone.
import { readFileSync } from 'node:fs';
import type { BareOrder, BareResult } from './bare-ingest.ts';
import { openWorker, type Program } from './children.ts';
import { compareRates } from './compare.ts';
import { timed, underLoad } from './contestants.ts';
import { batchRequest, type IngestGround, KEYS, layGround } from './ingest-ground.ts';
import { type Keyrail, openPostgres, POOL_SIZE, startOnPostgres } from './keyrail.ts';
import { type Loader, openLoader } from './loader.ts';
import { type Contestant, judge, type Laps, rate, ratios, spread, takeTurns } from './rounds.ts';
import { whileOpen } from './stop.ts';
import type { Finding } from './table.ts';

const EVENTS = 1000;
const SMALL_EVENTS = 100;
const PER_SECOND_MIN = 50_000;
const GROWTH_MAX = 1.2;
/** Parallel peers wait for the same rows, so more of them would be slower. */
const BARE_AT_ONCE = 2;

type Name = 'batches of 1000' | 'batches of 100' | 'bare statements';

export async function measureIngest(): Promise<Finding[]> {
  return whileOpen(async (keep) => {
    const store = keep(await openPostgres());
    const unlimited = { KEYRAIL_INGEST_EVENTS_PER_MINUTE: '999999999' };
    const server = keep(await startOnPostgres(store.url, unlimited));
    const ground = await layGround(server);
    const loader = keep(await openLoader());
    const worker = keep(
      await openWorker<BareOrder, BareResult>('bare-ingest.ts', {
        BENCH_URL: store.url,
        BENCH_POOL_SIZE: String(POOL_SIZE),
        BENCH_GROUND: JSON.stringify(ground),
        BENCH_EVENTS: String(EVENTS),
      }),
    );
    const megabytes: number[] = [];
    const bare: Contestant<Name> = {
      name: 'bare statements',
      run: (ms) =>
        timed(worker, async () => {
          const done = await worker.ask({ ms, concurrency: BARE_AT_ONCE }, ms);
          return { count: done.events, ms: done.ms, remark: '' };
        }),
    };
    const laps = await takeTurns<Name>([
      noting(megabytes, server, inBatches({ loader, server, ground }, EVENTS)),
      inBatches({ loader, server, ground }, SMALL_EVENTS),
      bare,
    ]);
    return findings(laps, megabytes);
  });
}

type Scene = { loader: Loader; server: Keyrail; ground: IngestGround };

/** A server under load, counted in events instead of requests. */
function inBatches({ loader, server, ground }: Scene, events: 1000 | 100): Contestant<Name> {
  const name: Name = `batches of ${events}`;
  const served = underLoad(loader, { name, server, request: batchRequest(ground, events) });
  return {
    name,
    run: async (ms) => {
      const { perSecond, remark } = await served.run(ms);
      return { perSecond: perSecond * events, remark };
    },
  };
}

/** Records the server's memory after each lap. The first lap is the warm-up. */
const noting = (
  megabytes: number[],
  server: Program,
  { name, run }: Contestant<Name>,
): Contestant<Name> => ({
  name,
  run: async (ms) => {
    const lap = await run(ms);
    const held = residentMegabytes(server);
    megabytes.push(held);
    return { ...lap, remark: `${lap.remark}, ${held} MB` };
  },
});

function residentMegabytes({ pid }: Program): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024);
}

function findings(laps: Laps<Name>, [first = 1, ...later]: number[]): Finding[] {
  const ours = laps['batches of 1000'];
  const growth = later.map((held) => held / first);
  return [
    {
      name: `ingest: events, batches of 1000 over ${KEYS} keys`,
      ours: spread(ours, rate),
      peer: `bare statements ${spread(laps['bare statements'], rate)}`,
      ratio: spread(ratios(ours, laps['bare statements']), (value) => value.toFixed(2)),
      target: `>= ${PER_SECOND_MIN}/s`,
      met: judge(ours, (value) => value >= PER_SECOND_MIN),
    },
    compareRates(laps, {
      name: 'ingest: events, batches of 100',
      ours: 'batches of 100',
      peer: 'batches of 1000',
      least: null,
    }),
    {
      name: 'ingest: memory after each round, against the warm-up',
      ours: `${Math.max(first, ...later)} MB at most`,
      peer: `warm-up ${first} MB`,
      ratio: spread(growth, (value) => value.toFixed(2)),
      target: `<= ${GROWTH_MAX.toFixed(2)}`,
      met: judge(growth.slice(-4), (value) => value <= GROWTH_MAX),
    },
  ];
}
