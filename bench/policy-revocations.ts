// From sending a revocation to the moment when the last of 200 connected nodes has received it.
import { hrtime } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { openWorker } from './children.ts';
import { openPostgres, startOnPostgres } from './keyrail.ts';
import { callOf, newProject } from './policy-ground.ts';
import { foundWorkspace } from './requests.ts';
import { type Stoppable, stopAll } from './stop.ts';
import type { Finding } from './table.ts';

export type NodesOrder = {
  port: number;
  token: string;
  projectId: string;
  version: number;
  count: number;
};
export type NodesResult = { arrivedMs: number[] };

const NODES = 200;
const WARM_UP = 20;
const REVOCATIONS = 60;
const PAUSE_MS = 100;
const LAST_P99_MS_MAX = 50;
const ANSWER_MS = 10_000;

export async function measureRevocations(): Promise<Finding[]> {
  const opened: Stoppable[] = [];
  try {
    const store = await openPostgres();
    opened.push(store);
    const server = await startOnPostgres(store.url);
    opened.push(server);
    const { port } = server;
    const token = await foundWorkspace(port, server.bootstrapToken, 'revocations');
    const call = callOf(port, token);
    const { projectId, keyIds, version } = await newProject(call, WARM_UP + REVOCATIONS);
    const nodes = await openWorker<NodesOrder | { told: number }, NodesResult>('policy-nodes.ts');
    opened.push(nodes);
    await nodes.ask({ port, token, projectId, version, count: NODES }, ANSWER_MS);
    const arrivedAt = async (told: number): Promise<number[]> => {
      for (let waited = 0; waited < ANSWER_MS; waited += 20) {
        const { arrivedMs } = await nodes.ask({ told }, ANSWER_MS);
        if (arrivedMs.length === NODES) return arrivedMs;
        await sleep(20);
      }
      throw new Error(`version ${told} did not reach all nodes`);
    };
    const each: number[] = [];
    const last: number[] = [];
    for (const [at, id] of keyIds.entries()) {
      await sleep(PAUSE_MS);
      const sentAt = Number(hrtime.bigint()) / 1e6;
      await call('POST', `/v1/keys/${id}/revoke`, {});
      const took = (await arrivedAt(version + at + 1)).map((ms) => ms - sentAt);
      if (at < WARM_UP) continue;
      each.push(...took);
      last.push(Math.max(...took));
    }
    return findings(each, last);
  } finally {
    await stopAll(opened);
  }
}

const at = (sorted: readonly number[], share: number): string =>
  `${(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1)}`;

function distribution(values: readonly number[]): string {
  const sorted = values.toSorted((one, other) => one - other);
  return `p50 ${at(sorted, 0.5)}, p90 ${at(sorted, 0.9)}, p99 ${at(sorted, 0.99)} ms`;
}

function findings(each: readonly number[], last: readonly number[]): Finding[] {
  const worst = last.toSorted((one, other) => one - other);
  const alone = { peer: '-', ratio: '-' };
  return [
    {
      ...alone,
      name: `policy: revocation to the last of ${NODES} nodes`,
      ours: distribution(last),
      target: `p99 < ${LAST_P99_MS_MAX} ms`,
      met: Number(at(worst, 0.99)) < LAST_P99_MS_MAX,
    },
    {
      ...alone,
      name: 'policy: revocation to each node',
      ours: distribution(each),
      target: 'context',
      met: null,
    },
  ];
}
