// Measures the time from sending a revocation until the last of 10,000 nodes behind one relay has
// received it, alternating with two peers that have the same number of nodes: a server that only
// holds requests and responds to them, and one that writes the same bytes to raw sockets. The
// control plane only ever holds two polls: one for all nodes, and Edge's own.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { hrtime } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@keyrail/testing/ports.ts';
import { openServer, openWorker, startProgram, type Worker } from '../load/programs.ts';
import { type StopAtEnd, withCleanup } from '../measure/cleanup.ts';
import { createFinding, showRatio } from '../measure/finding.ts';
import { atMost, lowerIsBetter } from '../measure/goal.ts';
import type { Run } from '../measure/plan.ts';
import { median, percentile } from '../measure/statistics.ts';
import { type Keyrail, openPostgres, startOnPostgres } from '../setup/keyrail.ts';
import { createKeys, createProject } from '../setup/projects.ts';
import { createCaller, createWorkspace } from '../setup/workspaces.ts';
import type { Arrivals, FindArrivals, StartNodes } from './polling-nodes.ts';

type Nodes = Worker<StartNodes | FindArrivals, Arrivals>;
type Change = FindArrivals & { send(): Promise<unknown> };

const edge = join(import.meta.dirname, '../../packages/edge/src/main.ts');
const NODES = 10_000;
/**
 * The maximum number of node names. With more names, no revocation would be reported as complete.
 */
const NAMES_MAX = 9_999;
const BRIEF_NODES = 200;
const WARM_UP = 3;
const REVOCATIONS = 20;
const BRIEF_REVOCATIONS = 2;
const WAITED = 3;
const LAST_P99_MS_MAX = 250;
const HELD_UPSTREAM_MAX = 2;
const START_MS = 10_000;
const PLANNED_MS = 1_000;
const ARRIVED_MS_MAX = 20_000;
const HELD_MS_MAX = 60_000;
const HELD_SHARE = 0.97;
const PAUSE_MS = 200;

type Measured = { ours: number[]; bare: number[]; raw: number[]; held: number[] };

export async function measureRelay({ plan, report }: Run): Promise<void> {
  const count = plan.isBrief ? BRIEF_NODES : NODES;
  const warmUp = plan.isBrief ? 1 : WARM_UP;
  const rounds = warmUp + (plan.isBrief ? BRIEF_REVOCATIONS : REVOCATIONS);
  await withCleanup(async (stopAtEnd) => {
    const ground = await open(stopAtEnd, count, rounds);
    const { ours, bare, raw, held } = await measureArrivals(ground, rounds);
    const counted = [ours, bare, raw].map((all) => all.slice(warmUp)) as Counted;
    reportArrivals(report, count, counted);
    report(
      createFinding({
        name: 'relay: polls that the control plane holds',
        values: [Math.max(...held)],
        show: String,
        goal: atMost(HELD_UPSTREAM_MAX),
      }),
    );
    const acked = await measureCompletion(ground, rounds);
    const name = `relay: revocation until ${count} nodes have acknowledged it`;
    report(createFinding({ name, values: acked, show: showWhole, goal: lowerIsBetter }));
  });
}

/**
 * Starts all programs. Returns the revocations to send, and a way to wait until all nodes are
 * polling.
 */
async function open(stopAtEnd: StopAtEnd, count: number, rounds: number) {
  const store = stopAtEnd(await openPostgres());
  const metricsToken = randomBytes(32).toString('base64url');
  const settings = { KEYRAIL_METRICS_TOKEN: metricsToken, KEYRAIL_REVOKE_WAIT_MS: '60000' };
  const server = stopAtEnd(await startOnPostgres(store.url, settings));
  const { token, call } = await createWorkspace(server, 'relay');
  const project = await createProject(call);
  const keyIds = await createKeys(call, project, rounds + WAITED);
  const version = 1 + keyIds.length;
  const relay = await startRelay(stopAtEnd, server, { token, projectId: project.projectId });
  // Each set of nodes runs in a separate process, because the number of files a process can open is
  // limited.
  const start = async (fleet: Omit<StartNodes, 'token' | 'count'>): Promise<Nodes> => {
    const nodes: Nodes = stopAtEnd(await openWorker('policy/polling-nodes.ts'));
    await nodes.run({ ...fleet, token, count, names: Math.min(count, NAMES_MAX) }, START_MS);
    return nodes;
  };
  const path = `/v1/policy/delta?project_id=${project.projectId}&wait_ms=30000`;
  const nodes = await start({ port: relay.port, path, version });
  const openPeer = async (file: string): Promise<Peer> => {
    const { port } = stopAtEnd(await openServer(file));
    const peerNodes = await start({ port, path: '/wait?', version: 1 });
    return { port, nodes: peerNodes, call: createCaller(port, token) };
  };
  const bare = await openPeer('peers/hold-server.ts');
  const raw = await openPeer('peers/raw-hold-server.ts');
  const held = () => heldPolls(server, metricsToken);
  return { count, call, keyIds, version, relay, nodes, bare, raw, held };
}

/** A server that only holds requests, and the nodes polling it. */
type Peer = { port: number; nodes: Nodes; call: ReturnType<typeof createCaller> };

type Ground = Awaited<ReturnType<typeof open>>;

async function measureArrivals(ground: Ground, rounds: number): Promise<Measured> {
  const { count, call, keyIds, version, relay, nodes, bare, raw } = ground;
  const measured: Measured = { ours: [], bare: [], raw: [], held: [] };
  for (const [at, id] of keyIds.slice(0, rounds).entries()) {
    await relay.holds(count);
    measured.held.push(await ground.held());
    const revoke = () => call('POST', `/v1/keys/${id}/revoke`, {});
    const change = { port: relay.port, version: version + at + 1, send: revoke };
    measured.ours.push(await lastArrival(nodes, count, change));
    measured.bare.push(await lastAtPeer(bare, count, at + 2));
    measured.raw.push(await lastAtPeer(raw, count, at + 2));
  }
  return measured;
}

async function lastAtPeer(peer: Peer, count: number, version: number): Promise<number> {
  await untilHeld(count, async () => Number(Object(await peer.call('GET', '/held')).held));
  const send = () => peer.call('POST', '/change', {});
  return lastArrival(peer.nodes, count, { port: peer.port, version, send });
}

async function measureCompletion({ count, call, keyIds, relay }: Ground, rounds: number) {
  const measured: number[] = [];
  for (const id of keyIds.slice(rounds)) {
    await relay.holds(count);
    measured.push(await completion(() => call('POST', `/v1/keys/${id}/revoke?wait=true`, {})));
  }
  return measured;
}

type Counted = [ours: number[], bare: number[], raw: number[]];

function reportArrivals(report: Run['report'], count: number, [ours, bare, raw]: Counted): void {
  const show = showWhole;
  const distribution = (values: readonly number[]) =>
    `p50 ${show(median(values))}, p99 ${show(percentile(values, 0.99))}`;
  const described = {
    show,
    ours: distribution(ours),
    peer: `bare hold server ${distribution(bare)}; raw sockets ${distribution(raw)}`,
    ratio: showRatio(median(ours) / median(bare)),
  };
  const name = `relay: revocation to the last of ${count} nodes`;
  const p99 = { values: [percentile(ours, 0.99)], goal: atMost(LAST_P99_MS_MAX) };
  report(createFinding({ name: `${name}, p99`, ...described, ...p99 }));
  const middle = { values: ours, goal: lowerIsBetter };
  report(createFinding({ name: `${name}, median`, ...described, ...middle }));
}

type Relay = { port: number; holds(count: number): Promise<void> };

async function startRelay(
  stopAtEnd: StopAtEnd,
  { port: upstream }: Keyrail,
  { token, projectId }: { token: string; projectId: string },
): Promise<Relay> {
  const own = await freePort();
  const port = await freePort();
  stopAtEnd(
    startProgram(['--conditions=keyrail-source', edge], {
      KEYRAIL_URL: `http://127.0.0.1:${upstream}`,
      KEYRAIL_SECRET_KEY: token,
      KEYRAIL_PROJECT_ID: projectId,
      // Edge itself counts as a node of the live environment only. The nodes behind it follow both
      // environments, so Edge doesn't count towards their limit.
      KEYRAIL_ENV: 'live',
      KEYRAIL_EDGE_LISTEN: `127.0.0.1:${own}`,
      KEYRAIL_EDGE_RELAY: `127.0.0.1:${port}`,
    }),
  );
  const held = async (): Promise<number> => {
    const response = await fetch(`http://127.0.0.1:${own}/metrics`).catch(() => null);
    const [, value] =
      /^keyrail_edge_relay_held_polls (\d+)$/m.exec((await response?.text()) ?? '') ?? [];
    return Number(value ?? -1);
  };
  // At any time, some nodes are between two polls. They receive a change with their next poll.
  const holds = (count: number) => untilHeld(count * HELD_SHARE, held);
  await holds(0);
  return { port, holds };
}

/** Waits until the nodes have polled again and are waiting for the next change. */
async function untilHeld(count: number, held: () => Promise<number>): Promise<void> {
  const deadline = performance.now() + HELD_MS_MAX;
  while ((await held()) < count) {
    if (performance.now() > deadline) throw new Error(`fewer than ${count} polls are held`);
    await sleep(PAUSE_MS);
  }
}

const showWhole = (ms: number): string => `${ms.toFixed(0)} ms`;

const nowMs = (): number => Number(hrtime.bigint()) / 1e6;

async function lastArrival(
  nodes: Nodes,
  count: number,
  { send, ...change }: Change,
): Promise<number> {
  const sentMs = nowMs();
  await send();
  while (nowMs() - sentMs < ARRIVED_MS_MAX) {
    await sleep(PAUSE_MS);
    const { arrivedMs } = await nodes.run(change, PLANNED_MS);
    if (arrivedMs.length === count) return arrivedMs.reduce((a, b) => Math.max(a, b)) - sentMs;
  }
  throw new Error(`version ${change.version} did not reach all nodes`);
}

async function completion(revoke: () => Promise<unknown>): Promise<number> {
  const sentMs = nowMs();
  const { propagation } = Object(await revoke());
  const { complete, acked_nodes: acked, total_nodes: total } = Object(propagation);
  if (complete !== true) throw new Error(`${acked} of ${total} nodes have acknowledged`);
  return nowMs() - sentMs;
}

async function heldPolls({ port }: Keyrail, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`, { headers })).text();
  return Number(/^keyrail_feed_held_polls (\d+)$/m.exec(text)?.[1]);
}
