// One soak: prepares a bed, runs clients and faults according to the plan, stops the faults, waits
// for recovery, reads everything, and checks the history.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bed, Fault } from './bed/bed.ts';
import { openNodes } from './bed/nodes.ts';
import { checkAll, type Verdict } from './checks/all.ts';
import { prepare } from './ground.ts';
import { emptyHistory, type History } from './history.ts';
import { nodeTrials, type Tried, tryInTurn } from './in-turn.ts';
import { type Plan, planOf } from './plan.ts';
import { readEverything } from './read-everything.ts';
import { awaitRecovery } from './recovery.ts';
import { steps } from './steps/all.ts';
import { filtersOf, startReader } from './steps/feed.ts';
import { createFor } from './steps/keys.ts';
import { send, type World } from './world.ts';

/**
 * `part`: if faults run one after another, run only those in parts whose names contain this text.
 */
export type Order = { seed: number; seconds: number; clients: number; part?: string };

export type FaultRun = { kind: string; ms: number };

export type Account = {
  order: Order;
  bed: string;
  skipped: string[];
  operations: Record<string, Record<'ok' | 'fail' | 'unknown', number>>;
  /** The number of responses with each status of 500 or above. */
  serverErrors: Record<string, number>;
  faults: FaultRun[];
  /** The results of faults that ran one after another; empty for a test bed without such faults. */
  tried: Tried[];
  recoveries: History['recoveries'];
  residentMiB: { before: Record<string, number>; after: Record<string, number> };
  verdicts: Verdict[];
};

const MEASURE_MS = 250;
const FIRST_KEYS = 24;
/**
 * The pause before the final reads. It is longer than the server holds a poll, so that each reader
 * of the feed has received the latest version.
 */
const QUIET_MS = 2_500;

export async function soak(open: () => Promise<Bed>, order: Order): Promise<Account> {
  const bed = await open();
  const scratch = await mkdtemp(join(tmpdir(), 'kr-soak-nodes-'));
  const world = newWorld(bed);
  const closers: (() => Promise<void>)[] = [bed.close];
  try {
    await prepare(world);
    const nodes = await openNodes(world, scratch);
    closers.unshift(nodes.close);
    return await soaked(bed, world, { order, nodeFaults: nodes.faults });
  } finally {
    for (const close of closers) await close();
  }
}

type Soaked = { order: Order; nodeFaults: Record<string, Fault> };

async function soaked(bed: Bed, world: World, { order, nodeFaults }: Soaked): Promise<Account> {
  const faults = { ...bed.faults, ...nodeFaults };
  const { seed, seconds, clients } = order;
  const plan = planOf(seed, { clients, seconds, faultKinds: Object.keys(faults) });
  const history = await begin(world);
  await plant(world);
  const before = bed.residentMiB();
  const readers = filtersOf(world).map((filter, at) => startReader(world, filter, at));
  const time = { until: performance.now() + seconds * 1_000 };
  const working = Promise.all(
    plan.clients.map((list, n) => work(world, { name: `client-${n}`, list, time })),
  );
  const ran = bed.trials ? [] : await disturb(plan, faults, time.until);
  const tried = await inTurn(world, { bed, order, nodeFaults, until: time.until });
  time.until = performance.now();
  const healedAt = performance.now();
  await working;
  const recoveries = await awaitRecovery(world, healedAt);
  await sleep(QUIET_MS);
  for (const reader of readers) await reader.stop();
  const { losses } = bed;
  const read = await readEverything(world);
  const whole: History = { ...history, ...read, ops: world.ops, losses, recoveries };
  return {
    order,
    bed: bed.name,
    skipped: bed.skipped,
    operations: countsOf(world),
    serverErrors: serverErrorsOf(world),
    faults: ran,
    tried,
    recoveries,
    residentMiB: { before, after: bed.residentMiB() },
    verdicts: checkAll(whole),
  };
}

let worlds = 0;

function newWorld(bed: Bed): World {
  let texts = 0;
  worlds += 1;
  const stamp = `${process.pid.toString(36)}-${worlds}`;
  const nobody = { email: '', userId: '', token: '' };
  return {
    urls: bed.urls,
    mailDir: bed.mailDir,
    ops: [],
    secretKey: '',
    testKey: '',
    testKeyId: '',
    workspaceId: '',
    projectId: '',
    tenants: [],
    keys: [],
    owners: [],
    forgetful: nobody,
    nodes: new Map(),
    spender: { secretKey: '', projectId: '', tenantId: '', keyId: '' },
    budget: 0,
    foreign: { canary: '', paths: [] },
    fresh: () => {
      texts += 1;
      return `${stamp}-${texts}`;
    },
    version: 0,
  };
}

/**
 * Begins the history. Every audit row written from now on must result from a recorded operation.
 */
async function begin(world: World): Promise<History> {
  const op = await send(world, 'setup', { kind: 'setup', path: '/v1/audit_logs/chain' });
  return {
    ...emptyHistory(),
    workspaceId: world.workspaceId,
    testKeyId: world.testKeyId,
    auditBefore: Number(op.body.head_seq),
  };
}

/** Creates a few keys, so that the first steps have something to work on. */
async function plant(world: World): Promise<void> {
  for (let n = 0; n < FIRST_KEYS; n += 1) {
    const tenantId = world.tenants[n % world.tenants.length] ?? '';
    await createFor(world, 'setup', { tenantId, dice: [n, n, n] });
  }
}

type InTurn = Soaked & { bed: Bed; until: number };

async function inTurn(world: World, turn: InTurn): Promise<Tried[]> {
  const { bed, order, nodeFaults, until } = turn;
  const { trials, isWhole = async () => true } = bed;
  if (!trials) return [];
  const all = [...trials, ...nodeTrials(nodeFaults)].filter(({ part }) =>
    part.includes(order.part ?? ''),
  );
  const tried = await tryInTurn(world, { trials: all, isWhole, until, say: console.error });
  const left = all.slice(tried.length);
  bed.skipped.push(
    ...left.map(({ part, fault }) => `${part} ${fault}: the soak ended before it started`),
  );
  return tried;
}

type Worker = { name: string; list: Plan['clients'][number]; time: { until: number } };

async function work(world: World, { name, list, time }: Worker): Promise<void> {
  for (const step of list) {
    if (performance.now() > time.until) return;
    await steps[step.kind](world, name, step);
    await sleep(step.pauseMs);
  }
}

/** Runs faults one after another until the time is up. Resolves once the last one is repaired. */
async function disturb(
  { faults }: Plan,
  can: Record<string, Fault>,
  until: number,
): Promise<FaultRun[]> {
  const ran: FaultRun[] = [];
  for (const { kind, pauseMs, forMs, dice } of faults) {
    if (performance.now() + pauseMs + forMs > until) break;
    await sleep(pauseMs);
    const began = performance.now();
    await can[kind]?.(forMs, dice);
    ran.push({ kind, ms: performance.now() - began });
  }
  while (performance.now() < until) await sleep(MEASURE_MS);
  return ran;
}

function serverErrorsOf({ ops }: World): Account['serverErrors'] {
  const counts: Account['serverErrors'] = {};
  for (const { status } of ops) if (status >= 500) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function countsOf({ ops }: World): Account['operations'] {
  const counts: Account['operations'] = {};
  for (const { kind, outcome } of ops) {
    counts[kind] ??= { ok: 0, fail: 0, unknown: 0 };
    counts[kind][outcome] += 1;
  }
  return counts;
}
