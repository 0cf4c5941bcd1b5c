// The plan of a soak: the faults, and each client's steps. It depends only on the seed.
import { type Chance, chanceFrom } from '@keyrail/testing/seeded-scheduler.ts';

/** The kinds of steps, and how often each one occurs. */
const WEIGHTS = {
  createKey: 14,
  patchKey: 6,
  rotateKey: 4,
  revokeKey: 8,
  revokeAndWait: 4,
  readKey: 6,
  raceTenants: 2,
  deleteTenant: 2,
  changeLimits: 1,
  pollAhead: 2,
  readPages: 4,
  verifyOnNodes: 4,
  duelOwners: 1,
  raceReset: 1,
  claimScope: 10,
  checkLimit: 12,
  useEmbedToken: 4,
  useSecretKey: 4,
  sendTelemetry: 4,
  overspend: 2,
  signUp: 1,
  resendMail: 1,
  readForeign: 3,
  overreach: 3,
} as const;

export type StepKind = keyof typeof WEIGHTS;

/**
 * A planned step. Its `dice` are random numbers that select among the objects existing when it
 * runs.
 */
export type Step = { kind: StepKind; pauseMs: number; dice: readonly [number, number, number] };

export type PlannedFault = { kind: string; pauseMs: number; forMs: number; dice: number };

export type Plan = { seed: number; clients: Step[][]; faults: PlannedFault[] };

export type Shape = { clients: number; seconds: number; faultKinds: readonly string[] };

/** A plan has more steps than a client can carry out, because a soak ends when its time is up. */
const STEPS_PER_SECOND = 40;
const DICE = 1_000_000;
const PAUSE_MS_MAX = 60;
const FAULT_PAUSE_MS = { min: 500, max: 3_000 };
const FAULT_MS = { min: 200, max: 3_000 };

export function planOf(seed: number, { clients, seconds, faultKinds }: Shape): Plan {
  const kinds = Object.entries(WEIGHTS).flatMap(([kind, weight]) =>
    Array.from({ length: weight }, () => kind as StepKind),
  );
  const steps = (client: number): Step[] => {
    const chance = chanceFrom(seed * 1_000 + client);
    return Array.from({ length: seconds * STEPS_PER_SECOND }, () => ({
      kind: chance.pick(kinds),
      pauseMs: chance.below(PAUSE_MS_MAX),
      dice: [chance.below(DICE), chance.below(DICE), chance.below(DICE)] as const,
    }));
  };
  return {
    seed,
    clients: Array.from({ length: clients }, (_, client) => steps(client)),
    faults: faultsOf(chanceFrom(seed * 1_000 + 999), seconds, faultKinds),
  };
}

/**
 * Plans each kind of fault once in random order, then all of them again in a different order, so
 * that even a short soak includes many kinds.
 */
function faultsOf(chance: Chance, seconds: number, kinds: readonly string[]): PlannedFault[] {
  const planned: PlannedFault[] = [];
  const between = ({ min, max }: { min: number; max: number }) => min + chance.below(max - min);
  let leftMs = seconds * 1_000;
  while (leftMs > 0 && kinds.length > 0) {
    const left = [...kinds];
    while (left.length > 0) {
      const [kind = ''] = left.splice(chance.below(left.length), 1);
      const pauseMs = between(FAULT_PAUSE_MS);
      const forMs = between(FAULT_MS);
      leftMs -= pauseMs + forMs;
      planned.push({ kind, pauseMs, forMs, dice: chance.below(DICE) });
    }
  }
  return planned;
}
