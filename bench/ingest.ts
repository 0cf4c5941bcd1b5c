// Measures how many telemetry events per second are accepted over HTTP, with PostgreSQL as the
// store. For comparison, the same statements are sent by bare `pg`. There, the batches have already
// been parsed, checked and summed, so only the cost of the database is measured.
import { byWorker, type Span, underLoad } from './load/contestants.ts';
import { type LoadGenerator, openLoadGenerator } from './load/load-generator.ts';
import { openWorker, type Program, type Worker } from './load/programs.ts';
import { residentMegabytes } from './load/usage.ts';
import { withCleanup } from './measure/cleanup.ts';
import { compareRates } from './measure/compare.ts';
import { createFinding, type Finding, showMedian, showRate, showRatio } from './measure/finding.ts';
import { atLeast, atMost, higherIsBetter } from './measure/goal.ts';
import type { Counted } from './measure/overrun.ts';
import { type Run, roundsOf } from './measure/plan.ts';
import {
  type Contestant,
  endedRoundsOf,
  rates,
  runRounds,
  type Samples,
} from './measure/rounds.ts';
import { ratios } from './measure/statistics.ts';
import { type Keyrail, openPostgres, POOL_SIZE, startOnPostgres } from './setup/keyrail.ts';
import {
  batchRequest,
  createTelemetrySetup,
  KEYS,
  type TelemetrySetup,
} from './setup/telemetry.ts';

const EVENTS = 1000;
const SMALL_EVENTS = 100;
const PER_SECOND_MIN = 50_000;
const GROWTH_MAX = 1.2;
/** How many of the last rounds are used to compare memory. */
const LAST_ROUNDS = 5;
/**
 * Batches are slow. Rounds of the usual length would mostly be spent waiting for their last
 * batches.
 */
const ROUNDS = { warmUpMs: 5000, roundMs: 750, rounds: 35 };
/**
 * Bare `pg` would be slower with more connections, because they would wait for each other's row
 * locks.
 */
const BARE_CONCURRENCY = 2;

type Name = 'batches of 1000' | 'batches of 100' | 'bare statements';

export async function measureIngest({ plan, report }: Run): Promise<void> {
  await withCleanup(async (stopAtEnd) => {
    const store = stopAtEnd(await openPostgres());
    const unlimited = { KEYRAIL_INGEST_EVENTS_PER_MINUTE: '999999999' };
    const server = stopAtEnd(await startOnPostgres(store.url, unlimited));
    const setup = await createTelemetrySetup(server);
    const generator = stopAtEnd(await openLoadGenerator());
    const worker: Worker<Span, Counted> = stopAtEnd(
      await openWorker('peers/bare-ingest.ts', {
        BENCH_URL: store.url,
        BENCH_POOL_SIZE: String(POOL_SIZE),
        BENCH_SETUP: JSON.stringify(setup),
        BENCH_EVENTS: String(EVENTS),
      }),
    );
    const megabytes: number[] = [];
    const samples = await runRounds<Name>(roundsOf(plan, ROUNDS), [
      withMemory(megabytes, server, inBatches({ generator, server, setup }, EVENTS)),
      inBatches({ generator, server, setup }, SMALL_EVENTS),
      byWorker<Name, Span>({
        name: 'bare statements',
        worker,
        command: ({ ms }) => ({ ms, concurrency: BARE_CONCURRENCY }),
      }),
    ]);
    report(eventRate(samples));
    report(
      compareRates(samples, {
        name: 'ingest: events, batches of 100',
        ours: 'batches of 100',
        peer: 'batches of 1000',
        goal: higherIsBetter,
      }),
    );
    report(memoryGrowth(megabytes));
  });
}

type Parts = { generator: LoadGenerator; server: Keyrail; setup: TelemetrySetup };

/** Puts a server under load, counting events instead of requests. */
function inBatches({ generator, server, setup }: Parts, events: 1000 | 100): Contestant<Name> {
  const name: Name = `batches of ${events}`;
  const served = underLoad(generator, { name, server, request: batchRequest(setup, events) });
  return {
    name,
    run: async (ms) => {
      const sample = await served.run(ms);
      return { ...sample, perSecond: sample.perSecond * events };
    },
  };
}

/**
 * Appends the server's memory after each round to `megabytes`. The first value is from the warm-up.
 */
const withMemory = (
  megabytes: number[],
  server: Program,
  { name, run }: Contestant<Name>,
): Contestant<Name> => ({
  name,
  run: async (ms) => {
    const sample = await run(ms);
    const used = Math.round(residentMegabytes(server));
    megabytes.push(used);
    return { ...sample, remark: `${sample.remark}, ${used} MB` };
  },
});

function eventRate(samples: Samples<Name>): Finding {
  const ours = rates(samples('batches of 1000'));
  const bare = rates(samples('bare statements'));
  return createFinding({
    name: `ingest: events, batches of 1000 over ${KEYS} keys`,
    values: ours,
    show: showRate,
    goal: atLeast(PER_SECOND_MIN),
    peer: `bare statements ${showMedian(bare, showRate)}`,
    ratio: showMedian(ratios(ours, bare), showRatio),
    endedRounds: endedRoundsOf(samples('batches of 1000'), samples('bare statements')),
  });
}

function memoryGrowth([warmUp = 1, ...later]: number[]): Finding {
  const growth = later.slice(-LAST_ROUNDS).map((megabytes) => megabytes / warmUp);
  return createFinding({
    name: 'ingest: memory after the last rounds, against the warm-up',
    values: growth,
    show: showRatio,
    goal: atMost(GROWTH_MAX),
    ours: `${Math.max(warmUp, ...later)} MB at most`,
    peer: `warm-up ${warmUp} MB`,
    ratio: showMedian(growth, showRatio),
  });
}
