// Password hashing with argon2id, which is deliberately slow. To keep a burst of logins from
// exhausting the machine, at most two hashes are computed at a time, up to 64 more wait, and the
// rest are rejected with a 429. Client networks take turns. Clients that have signed in to the
// account before have a separate queue.
import { hash, verify } from '@node-rs/argon2';
import { ApiError } from '../base/errors.ts';
import { networksOf } from './client-networks.ts';
import { createFairLine } from './fair-line.ts';

/** The library's enum value for argon2id. The enum itself exists only at compile time. */
const ARGON2ID = 2;

/** OWASP's minimum for argon2id: 19 MiB, two passes. */
const OWASP_COST = { memoryKiB: 19_456, passes: 2 };

/** 16 and 32 bytes of zeros in base64: as long as a real hash's salt and digest. */
const ZERO_SALT = 'A'.repeat(22);
const ZERO_DIGEST = 'A'.repeat(43);

const AT_ONCE_MAX = 2;
const WAITING_MAX = 64;
const KNOWN_WAITING_MAX = 16;

/**
 * The client whose request needs the hash. A known client has signed in to this account before.
 */
type HashCause = { clientAddress: string; isKnownClient: boolean };

export type PasswordHasher = {
  hash(password: string, cause: HashCause): Promise<string>;
  /** If no hash is stored, does the same work and returns false. */
  verify(stored: string | null, password: string, cause: HashCause): Promise<boolean>;
  /** The hash to verify when none is stored. Tests check that it costs the same as a real hash. */
  unusedHash: string;
  /**
   * How many times argon2 has run. Tests compare these counts, because equal work takes equal time.
   */
  runs(): number;
};

/** Only tests set a different cost. */
export function createPasswordHasher({ memoryKiB, passes } = OWASP_COST): PasswordHasher {
  const cost = { algorithm: ARGON2ID, memoryCost: memoryKiB, timeCost: passes, parallelism: 1 };
  const unusedHash = `$argon2id$v=19$m=${memoryKiB},t=${passes},p=1$${ZERO_SALT}$${ZERO_DIGEST}`;
  let runs = 0;
  const inTurn = createFairLine({
    atOnceMax: AT_ONCE_MAX,
    waitingMax: WAITING_MAX,
    knownMax: KNOWN_WAITING_MAX,
    refuse: () => new ApiError('rate_limited', undefined, { headers: { 'retry-after': '2' } }),
  });
  const counted = <T>(cause: HashCause, work: () => Promise<T>): Promise<T> => {
    const { neighbours } = networksOf(cause.clientAddress);
    return inTurn({ network: neighbours, isKnown: cause.isKnownClient }, () => {
      runs += 1;
      return work();
    });
  };

  return {
    hash: (password, cause) => counted(cause, () => hash(password, cost)),
    verify: async (stored, password, cause) => {
      const matches = await counted(cause, () => verify(stored ?? unusedHash, password));
      return stored !== null && matches;
    },
    unusedHash,
    runs: () => runs,
  };
}
