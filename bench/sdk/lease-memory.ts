// Measures the memory a node needs for leases: a million keys get requests, and some of them are
// always busy. In place of the control plane, a stub responds immediately and grants everything.
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { systemClock } from '../../packages/sdk/src/clock.ts';
import type { CounterCalls } from '../../packages/sdk/src/limits/counter-calls.ts';
import { createLeases } from '../../packages/sdk/src/limits/leases.ts';
import { runCommands } from '../load/worker-loop.ts';

export type LeaseMemoryCommand = { keys: number; busy: number };
export type LeaseMemory = { bytes: number; local: number };

const RULES = Object.freeze([
  { id: 'hourly', limit: 1e9, windowMs: 3_600_000, algorithm: 'sliding', scope: 'key' } as const,
]);
const STATES = [
  { id: 'hourly', limit: 1e9, windowMs: 3_600_000, remaining: 9e8, resetMs: 3_600_000 },
];
/** Requests per busy key; all other keys get one request. */
const ROUNDS = 100;

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

async function bytesInUse(): Promise<number> {
  for (let n = 0; n < 3; n += 1) {
    collect();
    await sleep(20);
  }
  return process.memoryUsage().heapUsed;
}

const calls: CounterCalls = {
  check: async () => ({ kind: 'counted', allowed: true, states: STATES, retryAfterSeconds: null }),
  lease: async (_, __, want) => ({
    id: `${want}-${performance.now()}`,
    units: want,
    expiresInMs: 225_000,
    states: STATES,
  }),
  giveBack: async () => {},
  canLease: () => true,
};

const subjectOf = (number: number) => ({
  projectId: 'p',
  env: 'live' as const,
  keyId: `0189${number.toString(16).padStart(4, '0')}-0000-7000-8000-${number.toString().padStart(12, '0')}`,
  tenantId: 't',
});

async function measure({ keys, busy }: LeaseMemoryCommand): Promise<LeaseMemory> {
  const before = await bytesInUse();
  const leases = createLeases({ calls, clock: systemClock });
  let local = 0;
  const request = async (number: number): Promise<void> => {
    const verdict = leases.charge(subjectOf(number), RULES, 1);
    if ('kind' in verdict) local += 1;
    else await verdict;
  };
  const others = Math.floor((keys - busy) / ROUNDS);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let number = 0; number < busy; number += 1) await request(number);
    for (let number = 0; number < others; number += 1) {
      await request(busy + round * others + number);
    }
  }
  const bytes = (await bytesInUse()) - before;
  await leases.close(1000);
  return { bytes, local: local / (ROUNDS * busy) };
}

runCommands(measure);
