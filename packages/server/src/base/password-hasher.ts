// Password hashing with argon2id. It is slow on purpose, so a flood of logins must not use up the
// machine: two hashes at a time, a bounded queue, then 429.
import { hash, verify } from '@node-rs/argon2';
import { limited } from './coalesce.ts';
import { ApiError } from './errors.ts';

/** The library's number for argon2id; its enum exists only at compile time. */
const ARGON2ID = 2;

/** OWASP's minimum for argon2id: 19 MiB, two passes. */
const cost = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const AT_ONCE_MAX = 2;
const WAITING_MAX = 64;

export type PasswordHasher = {
  hash(password: string): Promise<string>;
  /** Without a stored hash it does the same work and returns false. */
  verify(stored: string | null, password: string): Promise<boolean>;
  /** How many times argon2 has run. Tests compare it: equal work takes equal time. */
  runs(): number;
};

export async function openPasswordHasher(): Promise<PasswordHasher> {
  const unusedHash = await hash('no account has this password', cost);
  let runs = 0;
  const metered = limited({
    atOnceMax: AT_ONCE_MAX,
    waitingMax: WAITING_MAX,
    refuse: () => new ApiError('rate_limited', undefined, { headers: { 'retry-after': '2' } }),
  });
  const counted = <T>(work: () => Promise<T>): Promise<T> =>
    metered(() => {
      runs += 1;
      return work();
    });

  return {
    hash: (password) => counted(() => hash(password, cost)),
    verify: async (stored, password) => {
      const matches = await counted(() => verify(stored ?? unusedHash, password));
      return stored !== null && matches;
    },
    runs: () => runs,
  };
}
