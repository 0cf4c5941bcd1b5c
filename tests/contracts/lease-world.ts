// A simulation in which nodes run the SDK's own code to lease and check against a counter store.
// Messages are delayed or lost, nodes crash, and their clocks differ in both time and rate.
import { ratelimitRoutes } from '@keyrail/server/features/ratelimit/routes.ts';
import type { Counters } from '@keyrail/server/volatile/counters.ts';
import { type Chance, oneOf, upTo } from '@keyrail/testing/seeded-chance.ts';
import type { RateLimitRule } from '../../packages/sdk/src/api/context.ts';
import type { Clock } from '../../packages/sdk/src/clock.ts';
import {
  type CounterCalls,
  createCounterCalls,
  type LimitVerdict,
} from '../../packages/sdk/src/limits/counter-calls.ts';
import { createLeases, type Leases } from '../../packages/sdk/src/limits/leases.ts';
import type { Transport } from '../../packages/sdk/src/transport.ts';

const START_MS = 1_800_000_000_000;
const TIMEOUT_MS = 500;
const LOST_SHARE = 0.05;
/**
 * The maximum difference between the rates of clocks synchronised over a network, as a fraction.
 */
const DRIFT_MAX = 0.0005;

export type Subject = { keyId: string; tenantId: string };
/** `atMs`: when the store charged the units or, for leased units, when a node spent them. */
export type Spent = Subject & { atMs: number; units: number; isLeased: boolean };

export type World = {
  chance: Chance;
  nowMs(): number;
  after(ms: number, act: () => void): () => void;
  /** Delivers a request to the store now, and returns its response. */
  serve(path: string, body: unknown): Promise<unknown>;
  spent: Spent[];
  /** How many units were charged by leases, minus the units returned. */
  leased(): number;
  run(): Promise<void>;
};

type Due = { atMs: number; act: (() => void) | null };
type Served = Record<string, unknown>;

export function createWorld(chance: Chance, storeAt: (nowMs: number) => Counters): World {
  let nowMs = chance() * 60_000;
  /** Pending actions sorted by time, with the next one last. */
  const due: Due[] = [];
  let pending = 0;
  let leases = 0;
  let leased = 0;
  const spent: Spent[] = [];

  /** Runs the server's routes, without HTTP and without a database. */
  async function served(path: string, body: Served): Promise<unknown> {
    const route = ratelimitRoutes.find(({ line }) => line === `POST ${path}`);
    if (!route) throw new Error(`no route ${path}`);
    leases += 1;
    // The store's clock counts whole milliseconds.
    const counters = storeAt(Math.floor(START_MS + nowMs));
    const reach = { workspaceId: 'w' };
    const door = { counters, reach, newId: () => `${body.key_id}-${leases}`, body };
    const answer = (await route.run(door)) as Served;
    const subject = { keyId: String(body.key_id), tenantId: String(body.tenant_id) };
    if (answer.allowed === true && Number(body.cost) > 0) {
      spent.push({ ...subject, atMs: nowMs, units: Number(body.cost), isLeased: false });
    }
    leased += Number(answer.granted ?? 0) - Number(answer.returned ?? 0);
    return answer;
  }

  const world: World = {
    chance,
    nowMs: () => nowMs,
    spent,
    leased: () => leased,
    after(ms, act) {
      const one: Due = { atMs: nowMs + ms, act };
      let low = 0;
      for (let high = due.length; low < high; ) {
        const middle = (low + high) >> 1;
        if ((due[middle]?.atMs ?? 0) > one.atMs) low = middle + 1;
        else high = middle;
      }
      due.splice(low, 0, one);
      return () => {
        one.act = null;
      };
    },
    async serve(path, body) {
      pending += 1;
      try {
        return await served(path, body as Served);
      } finally {
        pending -= 1;
      }
    },
    async run() {
      for (let next = due.pop(); next; next = due.pop()) {
        if (!next.act) continue;
        nowMs = next.atMs;
        next.act();
        do await new Promise((resolve) => setImmediate(resolve));
        while (pending > 0);
      }
    },
  };
  return world;
}

/** Delays and loses messages. A call whose response is lost may still have been charged. */
function transportIn(world: World, isAlive: () => boolean): Transport {
  const { chance } = world;
  const delayMs = () => oneOf(chance, [0.3, 1, 5, 20, chance() * 100, chance() * 700]);
  return {
    send: ({ path, body }) =>
      new Promise((resolve) => {
        const unreachable = { kind: 'unreachable', hard: false, reason: 'timeout' } as const;
        const cancel = world.after(TIMEOUT_MS, () => resolve(unreachable));
        if (chance() < LOST_SHARE) return;
        const arrive = async (): Promise<void> => {
          const answer = await world.serve(path, body);
          if (chance() < LOST_SHARE) return;
          world.after(delayMs(), () => {
            const headers = new Headers();
            const fields = { status: 200, headers, body: answer, bytes: 0 };
            cancel();
            if (isAlive()) resolve({ kind: 'answer', ...fields });
          });
        };
        world.after(delayMs(), () => void arrive());
      }),
  };
}

export type Node = {
  request(subject: Subject, rules: readonly RateLimitRule[], units: number): void;
  /** Crashes the node: it stops working and loses its leases. */
  crash(): void;
  close(): void;
};

export function startNode(world: World): Node {
  const { chance } = world;
  const rate = 1 + (chance() * 2 - 1) * DRIFT_MAX;
  const offset = chance() * 1e9;
  let wallOffset = (chance() - 0.5) * 1e7;
  let isAlive = true;
  const clock: Clock = {
    now: () => Math.floor(START_MS + world.nowMs() * rate + wallOffset),
    monotonicMs: () => offset + world.nowMs() * rate,
    after: (ms, act) => world.after(ms / rate, () => isAlive && act()),
  };
  const transport = transportIn(world, () => isAlive);
  const settings = { rateLimitTimeoutMs: TIMEOUT_MS };
  const calls = createCounterCalls({ settings, transport, clock, log: () => {} });
  const checked = new WeakSet<LimitVerdict>();
  const leases: Leases = createLeases({ calls: noting(calls, checked), clock });
  return {
    request(subject, rules, units) {
      if (!isAlive) return;
      if (chance() < 0.02) wallOffset += (chance() - 0.5) * 1e5;
      const whole = { ...subject, projectId: 'p', env: 'live' as const };
      const decided = (verdict: LimitVerdict) => {
        if (!isAlive || verdict.kind !== 'counted' || !verdict.allowed) return;
        if (checked.has(verdict)) return;
        world.spent.push({ ...subject, atMs: world.nowMs(), units, isLeased: true });
      };
      const verdict = leases.charge(whole, rules, units);
      if ('kind' in verdict) decided(verdict);
      else void verdict.then(decided);
    },
    crash: () => {
      isAlive = false;
    },
    close: () => void leases.close(5_000),
  };
}

/**
 * Records which verdicts came from the store instead of a lease. The store has already counted
 * their units.
 */
const noting = (calls: CounterCalls, checked: WeakSet<LimitVerdict>): CounterCalls => ({
  ...calls,
  check: async (...asked) => {
    const verdict = await calls.check(...asked);
    checked.add(verdict);
    return verdict;
  },
});

/** Random rules that make nodes lease: windows of seconds, and limits from tiny to large. */
export const rulesIn = (chance: Chance): RateLimitRule[] =>
  Array.from({ length: 1 + upTo(chance, 1) }, (_, at) => ({
    id: `r${at}`,
    limit: oneOf(chance, [3, 60, 200, 500, 2000]),
    windowMs: oneOf(chance, [1000, 4000, 8000, 16_000, 60_000]),
    algorithm: oneOf(chance, ['fixed', 'sliding'] as const),
    scope: oneOf(chance, ['key', 'tenant'] as const),
  }));
