// From sending a revocation until the last of 200 connected nodes has received it, in turns with a
// server that only holds requests and answers them.
import { hrtime } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { openPeerServer, openWorker, type Worker } from './children.ts';
import { openPostgres, startOnPostgres } from './keyrail.ts';
import { callOf, newProject } from './policy-ground.ts';
import { foundWorkspace } from './requests.ts';
import { median } from './rounds.ts';
import { whileOpen } from './stop.ts';
import type { Finding } from './table.ts';

export type NodesOrder = {
  port: number;
  path: string;
  token: string;
  version: number;
  count: number;
};
export type Announced = { port: number; version: number };
export type NodesResult = { arrivedMs: number[] };

type Nodes = Worker<NodesOrder | Announced, NodesResult>;

const NODES = 200;
const WARM_UP = 20;
const REVOCATIONS = 60;
const PAUSE_MS = 100;
const LAST_P99_MS_MAX = 50;
const ANSWER_MS = 10_000;

export async function measureRevocations(): Promise<Finding[]> {
  return whileOpen(async (keep) => {
    const store = keep(await openPostgres());
    const { port, bootstrapToken } = keep(await startOnPostgres(store.url));
    const peer = keep(await openPeerServer('policy-hold-server.ts'));
    const token = await foundWorkspace(port, bootstrapToken, 'revocations');
    const call = callOf(port, token);
    const { projectId, keyIds, version } = await newProject(call, WARM_UP + REVOCATIONS);
    const nodes: Nodes = keep(await openWorker('policy-nodes.ts'));
    const path = `/v1/policy/delta?project_id=${projectId}&wait_ms=30000`;
    const fleet = { token, count: NODES };
    await nodes.ask({ ...fleet, port, path, version }, ANSWER_MS);
    await nodes.ask({ ...fleet, port: peer.port, path: '/wait?', version: 1 }, ANSWER_MS);
    const callPeer = callOf(peer.port, token);
    const ours: number[][] = [];
    const bare: number[][] = [];
    for (const [at, id] of keyIds.entries()) {
      const change = { port, version: version + at + 1 };
      ours.push(await timed(nodes, change, () => call('POST', `/v1/keys/${id}/revoke`, {})));
      const peerChange = { port: peer.port, version: at + 2 };
      bare.push(await timed(nodes, peerChange, () => callPeer('POST', '/change', {})));
    }
    return findings(ours.slice(WARM_UP), bare.slice(WARM_UP));
  });
}

/** The delay between sending and arrival, for each node. */
async function timed(
  nodes: Nodes,
  change: Announced,
  send: () => Promise<unknown>,
): Promise<number[]> {
  await sleep(PAUSE_MS);
  const sentMs = Number(hrtime.bigint()) / 1e6;
  await send();
  for (let waited = 0; waited < ANSWER_MS; waited += PAUSE_MS) {
    const { arrivedMs } = await nodes.ask(change, ANSWER_MS);
    if (arrivedMs.length === NODES) return arrivedMs.map((ms) => ms - sentMs);
    await sleep(PAUSE_MS);
  }
  throw new Error(`version ${change.version} did not reach all nodes`);
}

function at(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

const distribution = (values: readonly number[]): string =>
  [0.5, 0.9, 0.99].map((share) => `p${share * 100} ${at(values, share).toFixed(1)}`).join(', ');

function findings(ours: number[][], bare: number[][]): Finding[] {
  const lastOf = (laps: number[][]) => laps.map((lap) => Math.max(...lap));
  const compare = (name: string, [mine, theirs]: [number[], number[]]): Finding => ({
    name: `policy: revocation to ${name}, ms`,
    ours: distribution(mine),
    peer: `bare hold server ${distribution(theirs)}`,
    ratio: (median(mine) / median(theirs)).toFixed(2),
    target: 'context',
    met: null,
  });
  const last = lastOf(ours);
  return [
    {
      ...compare(`the last of ${NODES} nodes`, [last, lastOf(bare)]),
      target: `p99 < ${LAST_P99_MS_MAX} ms`,
      met: at(last, 0.99) < LAST_P99_MS_MAX,
    },
    compare('each node', [ours.flat(), bare.flat()]),
  ];
}
