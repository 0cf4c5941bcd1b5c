// Runs faults one after another. Each fault begins while every part is running, and lasts until
// requests succeed again. Then the fault is repaired, and every part has to recover before the next
// fault begins. All the while, probes send requests from outside the deployment.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault, Trial } from './bed/bed.ts';
import { violationsUntilNow } from './checks/all.ts';
import { emptyHistory, isOk } from './history.ts';
import { type Probe, type Probes, startProbes } from './probes.ts';
import { send, type World } from './world.ts';

export type Tried = {
  part: string;
  fault: string;
  /** For each kind of probe, the time from the start of the fault until a probe first succeeded. */
  firstMs: Record<Probe['kind'], number | null>;
  /**
   * The time from the start of the fault until the end of the last failed probe; 0 if none failed.
   */
  steadyMs: number;
  failed: number;
  probes: number;
  /** The time from the start of the fault until its repair began. */
  repairedMs: number;
  /** The time from the repair until every part was running again; null if that took too long. */
  wholeMs: number | null;
  /** When probes failed, and when the part was repaired, in seconds since the fault began. */
  story: string;
  violations: string[];
};

/** The minimum duration of a fault, so that health checks notice a part that doesn't respond. */
const LASTS_MS_MIN = 8_000;
const LASTS_MS_MAX = 60_000;
/** Service counts as restored once no probe has failed for this long. */
const STEADY_MS = 3_000;
const WHOLE_MS_MAX = 120_000;
const STEP_MS = 100;
const PAUSE_MS = 2_000;

export type Turns = {
  trials: readonly Trial[];
  isWhole(): Promise<boolean>;
  /** No fault begins after this time. */
  until: number;
  say(line: string): void;
};

/**
 * Runs the faults, and returns the measurements for each. Stops early if a part doesn't recover.
 */
export async function tryInTurn(world: World, turns: Turns): Promise<Tried[]> {
  const probes = startProbes(world);
  const tried: Tried[] = [];
  const isWhole = async () => (await turns.isWhole()) && (await nodesAreCurrent(world));
  try {
    await within(WHOLE_MS_MAX, isWhole);
    for (const trial of turns.trials) {
      if (performance.now() > turns.until) break;
      const result = await tryOne(world, { trial, probes, isWhole });
      tried.push(result);
      turns.say(`${trial.part} ${trial.fault}: ${result.story}`);
      if (result.wholeMs === null) break;
    }
  } finally {
    await probes.stop();
  }
  return tried;
}

type One = { trial: Trial; probes: Probes; isWhole(): Promise<boolean> };

async function tryOne(world: World, { trial, probes, isWhole }: One): Promise<Tried> {
  await within(LASTS_MS_MAX, () => probes.quietMs() > STEADY_MS);
  const end = await trial.begin();
  const began = performance.now();
  await sleep(LASTS_MS_MIN);
  await within(LASTS_MS_MAX, () => probes.isServedSince(began) && probes.quietMs() > STEADY_MS);
  const repairedAt = performance.now();
  await end();
  const isBack = await within(WHOLE_MS_MAX, isWhole);
  const wholeMs = isBack ? performance.now() - repairedAt : null;
  await within(LASTS_MS_MAX, () => probes.quietMs() > STEADY_MS);
  const all = probes.since(began);
  const failed = all.filter(({ isServed }) => !isServed);
  const firstMs = (kind: Probe['kind']) => {
    const served = all.filter((probe) => probe.kind === kind && probe.isServed);
    return served.length > 0 ? Math.min(...served.map(({ t1 }) => t1)) - began : null;
  };
  return {
    part: trial.part,
    fault: trial.fault,
    firstMs: { write: firstMs('write'), read: firstMs('read'), check: firstMs('check') },
    steadyMs: Math.max(0, ...failed.map(({ t1 }) => t1 - began)),
    failed: failed.length,
    probes: all.length,
    repairedMs: repairedAt - began,
    wholeMs,
    story: storyOf(failed, { began, repairedAt }),
    violations: violationsUntilNow({ ...emptyHistory(), ops: world.ops }),
  };
}

/** Describes when probes failed, combining failures of the same kind that are close together. */
function storyOf(failed: readonly Probe[], at: { began: number; repairedAt: number }): string {
  const spans: { kind: string; t0: number; t1: number }[] = [];
  for (const { kind, t0, t1 } of failed.toSorted((a, b) => a.t0 - b.t0)) {
    const open = spans.findLast((span) => span.kind === kind && t0 - span.t1 < PAUSE_MS);
    if (open) open.t1 = Math.max(open.t1, t1);
    else spans.push({ kind, t0, t1 });
  }
  const told = (moment: number) => ((moment - at.began) / 1_000).toFixed(1);
  const outages = spans.map(({ kind, t0, t1 }) => `${kind} ${told(t0)} to ${told(t1)} s`);
  return [`repaired at ${told(at.repairedAt)} s`, ...outages].join('; ');
}

/** Faults in nodes last for a fixed time, because requests don't depend on nodes. */
export const nodeTrials = (faults: Record<string, Fault>): Trial[] =>
  Object.entries(faults).map(([name, fault]) => ({
    part: 'SDK node',
    fault: name.endsWith('killed') ? 'killed' : name.endsWith('frozen') ? 'frozen' : 'cut off',
    begin: async () => {
      const done = fault(LASTS_MS_MIN, 0);
      return () => done;
    },
  }));

/**
 * Whether every node follows the feed and has at least the latest version served before this call.
 */
async function nodesAreCurrent(world: World): Promise<boolean> {
  const path = `/v1/projects/${world.projectId}`;
  const project = await send(world, 'recovery', { kind: 'project.read', path });
  if (!isOk(project)) return false;
  const states = await Promise.all([...world.nodes.values()].map((node) => node.state()));
  const served = Number(project.body.policy_version);
  return states.every(({ version, source }) => source === 'feed' && Number(version) >= served);
}

/** Waits until a condition holds; false if it does not hold in time. */
async function within(ms: number, holds: () => boolean | Promise<boolean>): Promise<boolean> {
  const until = performance.now() + ms;
  while (!(await holds())) {
    if (performance.now() > until) return false;
    await sleep(STEP_MS);
  }
  return true;
}
