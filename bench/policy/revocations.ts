// Measures the time from sending a revocation until the last of 200 connected nodes has received
// it, alternating with two peers: a server that only holds requests and responds to them, and one
// that also stores the change first.
import { hrtime } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { openServer, openWorker, type Worker } from '../load/programs.ts';
import { withCleanup } from '../measure/cleanup.ts';
import { createFinding, type Finding, showRatio } from '../measure/finding.ts';
import { atMost, type Goal, lowerIsBetter } from '../measure/goal.ts';
import { OVERRUN_MAX } from '../measure/overrun.ts';
import type { Run } from '../measure/plan.ts';
import { median, percentile } from '../measure/statistics.ts';
import { openPostgres, startOnPostgres } from '../setup/keyrail.ts';
import { createKeys, createProject } from '../setup/projects.ts';
import { createCaller, createWorkspace } from '../setup/workspaces.ts';
import type { Arrivals, FindArrivals, StartNodes } from './polling-nodes.ts';

type Nodes = Worker<StartNodes | FindArrivals, Arrivals>;

const NODES = 200;
const WARM_UP = 20;
const REVOCATIONS = 60;
const BRIEF_REVOCATIONS = 5;
const PAUSE_MS = 100;
const LAST_P99_MS_MAX = 50;
const START_MS = 2000;
/** How long a revocation should take; it is cut off after ten times as long. */
const PLANNED_MS = 200;
const ENDED_MAX = 5;

/**
 * One change: when each node received it, and whether waiting for the remaining nodes was cut off.
 */
type Delivery = { delaysMs: number[]; isEnded: boolean };

export async function measureRevocations({ plan, report }: Run): Promise<void> {
  await withCleanup(async (stopAtEnd) => {
    const store = stopAtEnd(await openPostgres());
    const server = stopAtEnd(await startOnPostgres(store.url));
    const holding = stopAtEnd(await openServer('peers/hold-server.ts'));
    const storing = stopAtEnd(await openServer('peers/hold-server.ts', { BENCH_URL: store.url }));
    const { token, call } = await createWorkspace(server, 'revocations');
    const project = await createProject(call);
    const warmUp = plan.isBrief ? 1 : WARM_UP;
    const revocations = plan.isBrief ? BRIEF_REVOCATIONS : REVOCATIONS;
    const keyIds = await createKeys(call, project, warmUp + revocations);
    const version = 1 + keyIds.length;
    const nodes: Nodes = stopAtEnd(await openWorker('policy/polling-nodes.ts'));
    const path = `/v1/policy/delta?project_id=${project.projectId}&wait_ms=30000`;
    const fleet = { token, count: NODES };
    await nodes.run({ ...fleet, port: server.port, path, version }, START_MS);
    const deliveries: Deliveries = { ours: [], holding: [], storing: [] };
    for (const { port } of [holding, storing]) {
      await nodes.run({ ...fleet, port, path: '/wait?', version: 1 }, START_MS);
    }
    const peers = [
      { name: 'holding', port: holding.port, call: createCaller(holding.port, token) },
      { name: 'storing', port: storing.port, call: createCaller(storing.port, token) },
    ] as const;
    for (const [at, id] of keyIds.entries()) {
      const change = { port: server.port, version: version + at + 1 };
      const revoke = () => call('POST', `/v1/keys/${id}/revoke`, {});
      deliveries.ours.push(await deliver(nodes, change, revoke));
      for (const { name, port, call: callPeer } of peers) {
        const changePeer = () => callPeer('POST', '/change', {});
        deliveries[name].push(await deliver(nodes, { port, version: at + 2 }, changePeer));
      }
      if (endedIn(deliveries) >= ENDED_MAX) break;
    }
    reportFindings(report, counted(deliveries, warmUp));
  });
}

/**
 * The changes delivered by Keyrail, by a server that only holds requests, and by a server that also
 * stores the change.
 */
type Deliveries = Record<'ours' | 'holding' | 'storing', Delivery[]>;

/** Leaves out the warm-up deliveries, unless there are no others. */
function counted({ ours, holding, storing }: Deliveries, warmUp: number): Deliveries {
  const from = ours.length > warmUp ? warmUp : 0;
  return { ours: ours.slice(from), holding: holding.slice(from), storing: storing.slice(from) };
}

const endedIn = (deliveries: Deliveries): number =>
  Object.values(deliveries)
    .flat()
    .filter(({ isEnded }) => isEnded).length;

/** Sends a change. For nodes that don't receive it, the full waiting time is counted. */
async function deliver(
  nodes: Nodes,
  change: FindArrivals,
  send: () => Promise<unknown>,
): Promise<Delivery> {
  await sleep(PAUSE_MS);
  const sentMs = Number(hrtime.bigint()) / 1e6;
  await send();
  const elapsedMs = () => Number(hrtime.bigint()) / 1e6 - sentMs;
  for (;;) {
    const { arrivedMs } = await nodes.run(change, PLANNED_MS);
    const delaysMs = arrivedMs.map((ms) => ms - sentMs);
    if (delaysMs.length === NODES) return { delaysMs, isEnded: false };
    if (elapsedMs() > PLANNED_MS * OVERRUN_MAX) {
      const missing = NODES - delaysMs.length;
      console.log(`  version ${change.version}: cut off; ${missing} nodes had not received it`);
      const rest = Array.from({ length: missing }, elapsedMs);
      return { delaysMs: [...delaysMs, ...rest], isEnded: true };
    }
    await sleep(PAUSE_MS);
  }
}

function distribution(values: readonly number[]): string {
  const shares = [0.5, 0.9, 0.99].map(
    (share) => `p${share * 100} ${percentile(values, share).toFixed(1)}`,
  );
  return `${shares.join(', ')} ms`;
}

/** How long the last node took to receive each change. */
const lastOf = (deliveries: readonly Delivery[]): number[] =>
  deliveries.map(({ delaysMs }) => Math.max(...delaysMs));

/** How long each node took to receive each change. */
const eachOf = (deliveries: readonly Delivery[]): number[] =>
  deliveries.flatMap(({ delaysMs }) => delaysMs);

function reportFindings(report: (finding: Finding) => void, deliveries: Deliveries): void {
  const { ours } = deliveries;
  const endedRounds = endedIn(deliveries);
  const finding = (name: string, { values, goal, of, peer = 'holding' }: Judged): Finding =>
    createFinding({
      name: `policy: revocation to ${name}`,
      values,
      show: (ms) => `${ms.toFixed(1)} ms`,
      goal,
      ours: distribution(of(ours)),
      peer: `${PEERS[peer]} ${distribution(of(deliveries[peer]))}`,
      ratio: showRatio(median(of(ours)) / median(of(deliveries[peer]))),
      endedRounds,
    });
  const last = lastOf(ours);
  const p99 = { of: lastOf, values: [percentile(last, 0.99)], goal: atMost(LAST_P99_MS_MAX) };
  report(finding(`the last of ${NODES} nodes, p99`, p99));
  const context = { of: lastOf, values: last, goal: lowerIsBetter };
  report(finding('the last node, median', context));
  report(finding('the last node, stored by both', { ...context, peer: 'storing' }));
  // The delays of nodes waiting for the same revocation aren't independent values.
  const medians = ours.map(({ delaysMs }) => median(delaysMs));
  report(finding('each node', { of: eachOf, values: medians, goal: lowerIsBetter }));
}

const PEERS = { holding: 'bare hold server', storing: 'bare server that stores' };

type Judged = {
  of: typeof lastOf;
  values: readonly number[];
  goal: Goal;
  peer?: keyof typeof PEERS;
};
