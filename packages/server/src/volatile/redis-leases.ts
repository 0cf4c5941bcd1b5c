// Leases on counters in Redis.
import type { boundedBy } from './breaker.ts';
import {
  grantedBy,
  LEASES_MAX,
  type Lease,
  leaseIdOf,
  type Owner,
  overQuota,
  type Rest,
  type Rule,
  SLOT_PARTS,
  type Tally,
  verdictOf,
} from './counters.ts';
import {
  countOf,
  isMoving,
  readScript,
  runScript,
  type ScriptCall,
  type Scripts,
  shapeOf,
} from './redis-script.ts';

const LEASE = readScript('lease');
const RETURN = readScript('return');

/** The script returns this, followed by the time to wait, if the owner has too many counters. */
const OVER_QUOTA = -1;

/** If `now` is empty, the server's clock is used. */
type Subject = { owner: Owner; rules: readonly Rule[]; now: number | '' };

type Parts = {
  isCluster: boolean;
  within: ReturnType<typeof boundedBy>;
  worked(server: string): void;
  /** Called when a script call has failed. Returns the error to throw to the callers. */
  failed(server: string, fault: unknown): Error;
};

type Leases = {
  lease(server: string, asked: Subject & { want: number; id: string }): Promise<Lease>;
  giveBack(server: string, rest: Subject & Rest): Promise<number>;
};

export function createLeases(link: Scripts, parts: Parts): Leases {
  const { within, worked, failed } = parts;
  const leasesMax = parts.isCluster ? Math.floor(LEASES_MAX / SLOT_PARTS) : LEASES_MAX;

  /** When a server is nearly full, an owner is also allowed fewer leases. */
  const leasesMaxOf = ({ namesMax }: Owner): number => Math.min(leasesMax, namesMax);

  async function sent<T>(server: string, work: () => Promise<T>): Promise<T> {
    try {
      const answer = await within(work());
      worked(server);
      return answer;
    } catch (fault) {
      throw failed(server, fault);
    }
  }

  return {
    lease: async (server, asked) => {
      const run = (isCounted: boolean) =>
        runScript(
          link,
          LEASE,
          leaseCall(asked, { isCounted, leasesMax: leasesMaxOf(asked.owner) }),
        );
      const answer = await sent(server, () =>
        // Until the slot has moved, new counters do not count towards the owner's maximum, and the
        // lease is not recorded.
        run(true).catch((fault) => (isMoving(fault) ? run(false) : Promise.reject(fault))),
      );
      return leaseIn(answer, asked);
    },
    giveBack: async (server, rest) => {
      if (rest.unused > grantedBy(rest.leaseId)) return 0;
      const answer = await sent(server, () =>
        runScript(link, RETURN, returnCall(rest)).catch((fault) =>
          isMoving(fault) ? 0 : Promise.reject(fault),
        ),
      );
      return answer === 1 ? rest.unused : 0;
    },
  };
}

const leasesOf = ({ name }: Owner): string => `kr:leases:${name}`;

type Bounds = { isCounted: boolean; leasesMax: number };

function leaseCall(
  { owner, rules, want, id, now }: Subject & { want: number; id: string },
  { isCounted, leasesMax }: Bounds,
): ScriptCall {
  const names = rules.map(({ name }) => name);
  const keys = isCounted ? [countOf(owner), leasesOf(owner), ...names] : names;
  const most = isCounted ? owner.namesMax : '';
  const args = [...keys, rules.length, want, now, most, id, leasesMax, ...rules.flatMap(shapeOf)];
  return { keys: keys.length, args };
}

function returnCall({ owner, rules, leaseId, unused, now }: Subject & Rest): ScriptCall {
  const keys = [leasesOf(owner), ...rules.map(({ name }) => name)];
  const args = [...keys, rules.length, unused, now, leaseId, ...rules.flatMap(shapeOf)];
  return { keys: keys.length, args };
}

function leaseIn(answer: unknown, { rules, id }: Subject & { id: string }): Lease {
  const numbers: unknown[] = Array.isArray(answer) ? answer : [];
  if (numbers[0] === OVER_QUOTA) throw overQuota(Number(numbers[1]));
  const granted = Number(numbers[0]);
  const tallies: Tally[] = rules.map((_, rule) => ({
    used: Number(numbers[2 + 3 * rule]),
    resetMs: Number(numbers[3 + 3 * rule]),
    waitMs: Number(numbers[4 + 3 * rule]),
  }));
  const leaseId = leaseIdOf(id, granted);
  return {
    ...verdictOf(granted > 0, tallies),
    leaseId,
    granted,
    expiresInMs: Number(numbers[1]),
  };
}
