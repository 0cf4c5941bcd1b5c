// Measures a decision, compared with looking up the same key in a `Map` by its SHA-256, and with
// better-auth's API-key plugin.
import type { Span } from '../load/contestants.ts';
import type { Worker } from '../load/programs.ts';
import {
  createFinding,
  type Finding,
  showMedian,
  showRate,
  showRatio,
} from '../measure/finding.ts';
import { atLeast, atMost, type Goal, higherIsBetter } from '../measure/goal.ts';
import { type Counted, perSecond } from '../measure/overrun.ts';
import { type Run, roundsOf } from '../measure/plan.ts';
import {
  type Contestant,
  endedRoundsOf,
  rates,
  runRounds,
  type Samples,
} from '../measure/rounds.ts';
import { ratios } from '../measure/statistics.ts';
import type { Loaded } from './loading.ts';
import type { NodeCommand, Timed } from './node.ts';

const MAP_RATIO_MAX = 1.25;
const BETTER_AUTH_RATIO_MIN = 1000;
const ROUNDS = { warmUpMs: 1000, roundMs: 150, rounds: 41 };

export type SdkNode = Worker<NodeCommand, Loaded | Timed>;
export type BetterAuth = Record<'onPostgres' | 'inMemory', Worker<Span, Counted>>;

type Peer = 'better-auth on PostgreSQL' | 'better-auth in memory';
type Name = 'decision' | 'Map' | Peer;

type Parts = { node: SdkNode; betterAuth: BetterAuth };

export async function measureDecisions(
  { plan, report }: Run,
  keys: number,
  { node, betterAuth }: Parts,
): Promise<void> {
  const samples = await runRounds<Name>(roundsOf(plan, ROUNDS), [
    inNode(node, 'Map', 'find'),
    inNode(node, 'decision', 'decide'),
    verifying(betterAuth.onPostgres, 'better-auth on PostgreSQL'),
    verifying(betterAuth.inMemory, 'better-auth in memory'),
  ]);
  const among = `a decision among ${keys} keys`;
  report(costOf(samples, `sdk: ${among}, SHA-256 and a Map`));
  const peers: [Peer, Goal][] = [
    ['better-auth on PostgreSQL', atLeast(BETTER_AUTH_RATIO_MIN)],
    ['better-auth in memory', higherIsBetter],
  ];
  for (const [peer, goal] of peers) {
    report(gainOver(samples, peer, { name: `sdk: ${among}, ${peer}`, goal }));
  }
}

const inNode = (node: SdkNode, name: Name, kind: Timed['kind']): Contestant<Name> => ({
  name,
  run: async (ms) => {
    const timed = await node.run({ kind, ms }, ms);
    if (!('perCpuSecond' in timed)) throw new Error('the node sent an unexpected result');
    const { perSecond, perCpuSecond } = timed;
    return { perSecond, perCpuSecond, isEnded: false, remark: '' };
  },
});

const verifying = (worker: Worker<Span, Counted>, name: Peer): Contestant<Name> => ({
  name,
  run: async (ms) => {
    const counted = await worker.run({ ms, concurrency: 1 }, ms);
    return { perSecond: perSecond(counted), isEnded: counted.isEnded, remark: '' };
  },
});

/**
 * How many `Map` lookups take as much CPU time as one decision. CPU times can be compared, because
 * neither side waits.
 */
function costOf(samples: Samples<Name>, name: string): Finding {
  const cpuRates = (which: Name) =>
    samples(which).map(({ perCpuSecond }) => perCpuSecond ?? Number.NaN);
  const costs = ratios(cpuRates('Map'), cpuRates('decision'));
  return createFinding({
    name,
    values: costs,
    show: showRatio,
    goal: atMost(MAP_RATIO_MAX),
    ours: showMedian(cpuRates('decision'), showRate),
    peer: showMedian(cpuRates('Map'), showRate),
    ratio: `${showMedian(costs, showRatio)} of its cost`,
  });
}

type Described = { name: string; goal: Goal };

/** How many decisions Keyrail makes in the time the peer takes to verify one key. */
function gainOver(samples: Samples<Name>, peer: Peer, { name, goal }: Described): Finding {
  const ours = rates(samples('decision'));
  const peers = rates(samples(peer));
  const gains = ratios(ours, peers);
  const show = (gain: number) => gain.toFixed(0);
  return createFinding({
    name,
    values: gains,
    show,
    goal,
    ours: showMedian(ours, showRate),
    peer: showMedian(peers, showRate),
    ratio: showMedian(gains, show),
    endedRounds: endedRoundsOf(samples(peer)),
  });
}
