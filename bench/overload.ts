// Goodput under overload: changes answered in time with 3 and 30 times as many clients as saturate
// the server, compared with the load that just saturates it. PostgreSQL is near, or 200 ms away per
// round trip. Refused clients wait for `retry-after` before they try again.
import { setTimeout as sleep } from 'node:timers/promises';
import { openCluster } from '@keyrail/testing/processes/homes.ts';
import { ask, keptConnections } from '@keyrail/testing/processes/http.ts';
import { openProxy } from '@keyrail/testing/processes/proxy.ts';
import { POOL_SIZE, startOnPostgres } from './keyrail.ts';
import { foundWorkspace } from './requests.ts';
import { whileOpen } from './stop.ts';
import type { Finding } from './table.ts';

const SHARE_MIN = 0.8;
const TIMES = [3, 30];
/** Counting starts after the first request could have timed out. */
const SETTLED_MS = 4000;
const COUNTED_MS = 8000;
const RAMP_MS = 1000;
const RETRY_AFTER_MS = 1000;

type Place = { name: string; roundTripMs: number };

const places: readonly Place[] = [
  { name: 'nearby', roundTripMs: 0 },
  { name: '200 ms away', roundTripMs: 200 },
];
/** Every connection of the pool is busy. */
const SATURATING = POOL_SIZE;

export async function measureOverload(): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const place of places) findings.push(...(await measureAt(place)));
  return findings;
}

const measureAt = ({ name, roundTripMs }: Place): Promise<Finding[]> =>
  whileOpen(async (keep) => {
    const cluster = await openCluster({ tcp: true });
    keep({ stop: cluster.close });
    const wire = await openProxy(cluster.postgres.port);
    keep({ stop: wire.close });
    const url = new URL(cluster.url);
    url.port = String(wire.port);
    const server = keep(await startOnPostgres(url.href, { KEYRAIL_LOG_LEVEL: 'error' }));
    const token = await foundWorkspace(server.port, server.bootstrapToken, 'overload');
    const change = changing(server.port, token);
    await goodput(SATURATING, change, SETTLED_MS); // every connection is open
    wire.delayAnswers(roundTripMs);
    const peak = await goodput(SATURATING, change, COUNTED_MS);
    const findings: Finding[] = [];
    for (const times of TIMES) {
      const done = await goodput(SATURATING * times, change, COUNTED_MS);
      findings.push({
        name: `overload: ${times} times the load, PostgreSQL ${name}`,
        ours: `${done.toFixed(1)}/s`,
        peer: `${peak.toFixed(1)}/s`,
        ratio: (done / peak).toFixed(2),
        target: `>= ${SHARE_MIN}`,
        met: done >= peak * SHARE_MIN,
      });
    }
    return findings;
  });

function changing(port: number, token: string): () => Promise<boolean> {
  const agent = keptConnections(Number.POSITIVE_INFINITY);
  const body = { env: 'live', name: 'Nightly import' };
  const wanted = { method: 'POST', path: '/v1/secret_keys', token, body, agent } as const;
  return async () => {
    const outcome = await ask(`http://127.0.0.1:${port}`, wanted);
    if (outcome.kind !== 'answered') throw new Error(`no answer: ${JSON.stringify(outcome)}`);
    return outcome.status === 201;
  };
}

/** Changes per second while each client makes one change after the other. */
async function goodput(
  clients: number,
  change: () => Promise<boolean>,
  countedMs: number,
): Promise<number> {
  let done = 0;
  let phase: 'settling' | 'counted' | 'over' = 'settling';
  const running = Array.from({ length: clients }, async (_, at) => {
    // Connect one after the other: the system's queue for new connections is short.
    await sleep((at / clients) * RAMP_MS);
    while (phase !== 'over') {
      const isDone = await change();
      if (isDone && phase === 'counted') done += 1;
      if (!isDone) await sleep(RETRY_AFTER_MS);
    }
  });
  await sleep(SETTLED_MS);
  phase = 'counted';
  await sleep(countedMs);
  phase = 'over';
  await Promise.all(running);
  return (done * 1000) / countedMs;
}
