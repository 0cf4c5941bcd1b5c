// Measures goodput under overload: how many changes per second are completed in time when there are
// 3 or 30 times as many clients as it takes to saturate the server, compared with exactly that
// many. PostgreSQL is either local or a 200 ms round trip away. Rejected clients wait for
// `retry-after` before they retry.
import { setTimeout as sleep } from 'node:timers/promises';
import { openCluster } from '@keyrail/testing/processes/homes.ts';
import { ask, keptConnections } from '@keyrail/testing/processes/http.ts';
import { openProxy } from '@keyrail/testing/processes/proxy.ts';
import { withCleanup } from './measure/cleanup.ts';
import { createFinding, showMedian, showRatio } from './measure/finding.ts';
import { atLeast } from './measure/goal.ts';
import type { Run } from './measure/plan.ts';
import { median } from './measure/statistics.ts';
import { POOL_SIZE, startOnPostgres } from './setup/keyrail.ts';
import { createWorkspace } from './setup/workspaces.ts';

const SHARE_MIN = 0.8;
const TIMES = [3, 30];
/**
 * Changes are counted only after this time. By then, the earliest requests would have timed out.
 */
const SETTLED_MS = 4000;
const BRIEF_SETTLED_MS = 1500;
/**
 * Each window yields one value, so that the spread of the results is known. A window is longer than
 * `retry-after`, because rejected clients retry in waves.
 */
const WINDOW_MS = 2000;
const WINDOWS = 5;
const BRIEF_WINDOWS = 1;
const RAMP_MS = 1000;
const RETRY_AFTER_MS = 1000;

type Place = { name: string; roundTripMs: number };

const places: readonly Place[] = [
  { name: 'nearby', roundTripMs: 0 },
  { name: '200 ms away', roundTripMs: 200 },
];
/** With this many clients, every connection in the pool is busy. */
const SATURATING = POOL_SIZE;

export async function measureOverload(run: Run): Promise<void> {
  for (const place of places) await measureAt(run, place);
}

const measureAt = ({ plan, report }: Run, { name, roundTripMs }: Place): Promise<void> =>
  withCleanup(async (stopAtEnd) => {
    const cluster = await openCluster({ tcp: true });
    stopAtEnd({ stop: cluster.close });
    const proxy = await openProxy(cluster.postgres.port);
    stopAtEnd({ stop: proxy.close });
    const url = new URL(cluster.url);
    url.port = String(proxy.port);
    const server = stopAtEnd(await startOnPostgres(url.href, { KEYRAIL_LOG_LEVEL: 'error' }));
    const { token } = await createWorkspace(server, 'overload');
    const change = createChange(server.port, token);
    const settledMs = plan.isBrief ? BRIEF_SETTLED_MS : SETTLED_MS;
    const windows = plan.isBrief ? BRIEF_WINDOWS : WINDOWS;
    const goodput = (clients: number) => measureGoodput(change, { clients, settledMs, windows });
    await goodput(SATURATING); // opens every connection
    proxy.delayAnswers(roundTripMs);
    const saturated = await goodput(SATURATING);
    for (const times of TIMES) {
      const overloaded = await goodput(SATURATING * times);
      const shares = overloaded.map((rate) => rate / median(saturated));
      report(
        createFinding({
          name: `overload: ${times} times the load, PostgreSQL ${name}`,
          values: shares,
          show: showRatio,
          goal: atLeast(SHARE_MIN),
          ours: showMedian(overloaded, showGoodput),
          peer: `saturated ${showMedian(saturated, showGoodput)}`,
          ratio: showMedian(shares, showRatio),
        }),
      );
    }
  });

const showGoodput = (perSecond: number): string => `${perSecond.toFixed(1)}/s`;

/**
 * Returns a function that makes one change. It returns whether the change succeeded, and throws if
 * there was no response.
 */
function createChange(port: number, token: string): () => Promise<boolean> {
  const agent = keptConnections(Number.POSITIVE_INFINITY);
  const body = { env: 'live', name: 'Nightly import' };
  const request = { method: 'POST', path: '/v1/secret_keys', token, body, agent } as const;
  return async () => {
    const outcome = await ask(`http://127.0.0.1:${port}`, request);
    if (outcome.kind !== 'answered') throw new Error(`no response: ${JSON.stringify(outcome)}`);
    return outcome.status === 201;
  };
}

type Load = { clients: number; settledMs: number; windows: number };

/** Changes per second in each window, while each client makes one change after another. */
async function measureGoodput(
  change: () => Promise<boolean>,
  { clients, settledMs, windows }: Load,
): Promise<number[]> {
  let done = 0;
  let isOver = false;
  const running = Array.from({ length: clients }, async (_, at) => {
    // Clients connect one after another, because the system's queue for new connections is short.
    await sleep((at / clients) * RAMP_MS);
    while (!isOver) {
      if (await change()) done += 1;
      else await sleep(RETRY_AFTER_MS);
    }
  });
  const rates: number[] = [];
  const count = async (): Promise<void> => {
    await sleep(settledMs);
    while (rates.length < windows) {
      const before = done;
      const beganAt = performance.now();
      await sleep(WINDOW_MS);
      rates.push(((done - before) * 1000) / (performance.now() - beganAt));
    }
    isOver = true;
  };
  await Promise.all([count(), ...running]);
  return rates;
}
