// Password hashing, argon2id, metered: it is made to be slow, so a flood of logins must not take
// the machine with it. Two at a time, a bounded queue, then "too many requests".
import { hash, verify } from '@node-rs/argon2';
import { ApiError } from './errors.ts';

/** The library's number for argon2id; its enum exists only at compile time. */
const ARGON2ID = 2;

/** OWASP's minimum for argon2id: 19 MiB, two passes. */
const cost = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const AT_ONCE_MAX = 2;
const WAITING_MAX = 64;

export type PasswordHasher = {
  hash(password: string): Promise<string>;
  /** Does the same work when there is no hash to compare with, and then says no. */
  verify(stored: string | null, password: string): Promise<boolean>;
  /** How many times argon2 has run: what an observer with a stopwatch would learn. */
  runs(): number;
};

export async function openPasswordHasher(): Promise<PasswordHasher> {
  const nobodys = await hash('no account has this password', cost);
  let running = 0;
  let runs = 0;
  const waiting: (() => void)[] = [];

  async function metered<T>(work: () => Promise<T>): Promise<T> {
    if (running >= AT_ONCE_MAX) {
      if (waiting.length >= WAITING_MAX) {
        throw new ApiError('rate_limited', undefined, { headers: { 'retry-after': '2' } });
      }
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running += 1;
    runs += 1;
    try {
      return await work();
    } finally {
      // The place is handed over, so that nobody slips in between.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  }

  return {
    hash: (password) => metered(() => hash(password, cost)),
    verify: async (stored, password) => {
      const matches = await metered(() => verify(stored ?? nobodys, password));
      return stored !== null && matches;
    },
    runs: () => runs,
  };
}
