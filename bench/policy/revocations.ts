// From sending a revocation until the last of 200 connected nodes has received it, in turns with a
// server that only holds requests and answers them.
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
/** A revocation is planned to take this long; ten times as long, and it is ended. */
const PLANNED_MS = 200;
const ENDED_MAX = 5;

/** One change: when each node received it, and whether waiting for the rest was ended. */
type Delivery = { delaysMs: number[]; isEnded: boolean };

export async function measureRevocations({ plan, report }: Run): Promise<void> {
  await withCleanup(async (stopAtEnd) => {
    const store = stopAtEnd(await openPostgres());
    const server = stopAtEnd(await startOnPostgres(store.url));
    const peer = stopAtEnd(await openServer('peers/hold-server.ts'));
    const { token, call } = await createWorkspace(server, 'revocations');
    const project = await createProject(call);
    const warmUp = plan.isBrief ? 1 : WARM_UP;
    const counted = plan.isBrief ? BRIEF_REVOCATIONS : REVOCATIONS;
    const keyIds = await createKeys(call, project, warmUp + counted);
    const version = 1 + keyIds.length;
    const nodes: Nodes = stopAtEnd(await openWorker('policy/polling-nodes.ts'));
    const path = `/v1/policy/delta?project_id=${project.projectId}&wait_ms=30000`;
    const fleet = { token, count: NODES };
    await nodes.run({ ...fleet, port: server.port, path, version }, START_MS);
    await nodes.run({ ...fleet, port: peer.port, path: '/wait?', version: 1 }, START_MS);
    const callPeer = createCaller(peer.port, token);
    const ours: Delivery[] = [];
    const bare: Delivery[] = [];
    for (const [at, id] of keyIds.entries()) {
      const change = { port: server.port, version: version + at + 1 };
      ours.push(await deliver(nodes, change, () => call('POST', `/v1/keys/${id}/revoke`, {})));
      const peerChange = { port: peer.port, version: at + 2 };
      bare.push(await deliver(nodes, peerChange, () => callPeer('POST', '/change', {})));
      if (endedIn(ours) + endedIn(bare) >= ENDED_MAX) break;
    }
    reportFindings(report, counts(ours, warmUp), counts(bare, warmUp));
  });
}

/** Without the warm-up, unless nothing else was measured. */
const counts = (deliveries: Delivery[], warmUp: number): Delivery[] =>
  deliveries.length > warmUp ? deliveries.slice(warmUp) : deliveries;

const endedIn = (deliveries: readonly Delivery[]): number =>
  deliveries.filter(({ isEnded }) => isEnded).length;

/** Sends a change. A node that has not received it at the end counts with the whole time. */
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
      console.log(`  version ${change.version}: ended while ${missing} nodes had not received it`);
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

function reportFindings(
  report: (finding: Finding) => void,
  ours: readonly Delivery[],
  bare: readonly Delivery[],
): void {
  const endedRounds = endedIn(ours) + endedIn(bare);
  const lastOf = (deliveries: readonly Delivery[]) =>
    deliveries.map(({ delaysMs }) => Math.max(...delaysMs));
  const eachOf = (deliveries: readonly Delivery[]) =>
    deliveries.flatMap(({ delaysMs }) => delaysMs);
  const finding = (of: typeof lastOf, name: string, { values, goal }: Judged): Finding =>
    createFinding({
      name: `policy: revocation to ${name}`,
      values,
      show: (ms) => `${ms.toFixed(1)} ms`,
      goal,
      ours: distribution(of(ours)),
      peer: `bare hold server ${distribution(of(bare))}`,
      ratio: showRatio(median(of(ours)) / median(of(bare))),
      endedRounds,
    });
  const last = lastOf(ours);
  const p99 = { values: [percentile(last, 0.99)], goal: atMost(LAST_P99_MS_MAX) };
  report(finding(lastOf, `the last of ${NODES} nodes, p99`, p99));
  report(finding(lastOf, 'the last node, median', { values: last, goal: lowerIsBetter }));
  // Nodes that wait for the same revocation are no independent values.
  const medians = ours.map(({ delaysMs }) => median(delaysMs));
  report(finding(eachOf, 'each node', { values: medians, goal: lowerIsBetter }));
}

type Judged = { values: readonly number[]; goal: Goal };
