// What an operation is handed, and what it must hand back. A write that does not say what it
// changed cannot commit, and only a Change can be committed.
import type { NewId } from '../base/ids.ts';
import type { RandomBytes } from '../base/random.ts';
import type { Seal } from '../base/sealing.ts';
import type { Runner } from '../db/sql.ts';
import type { Entry } from './actions.ts';
import type { Reach } from './reach.ts';

/** Reads under a reach. Each statement sees the newest committed state. */
export type Read = Runner & { readonly reach: Reach };

/** One transaction that may change audited tables. */
export type Write = Read & {
  readonly kind: 'write';
  /** The one instant of this transaction, by the database's clock. */
  readonly now: Date;
  readonly newId: NewId;
  readonly randomBytes: RandomBytes;
  /** Encrypts a one-time token that a queued mail has to carry. */
  readonly seal: Seal;
};

/** Unaudited facts (telemetry, acknowledgements): not a Write, so no operation on keys takes it. */
export type Recording = Read & { readonly kind: 'recording'; readonly now: Date };

/** A project whose policy moved, with the version that the tail gave it. */
export type PolicyVersion = { projectId: string; version: number };

export type Change<T> =
  | {
      kind: 'changed';
      entries: readonly [Entry, ...Entry[]];
      /** Projects whose keys or defaults this change touched: each gets its next version. */
      policy: readonly string[];
      /** Of those, whose nodes must start over from a snapshot: what all keys inherit changed. */
      floors: readonly string[];
      result: (versions: PolicyVersion[]) => T;
    }
  | {
      kind: 'unchanged';
      result: T;
      /** Secret keys whose end this result tells of: it is told when everyone knows of it. */
      endedKeys: readonly string[];
    };

type Policy = { policy?: readonly string[]; floors?: readonly string[] };

export const changed = <T>(
  result: T,
  entry: Entry | readonly [Entry, ...Entry[]],
  policy: Policy = {},
): Change<T> => versioned(() => result, entry, policy);

/** The same, for a result that tells which versions the tail gave. */
export function versioned<T>(
  result: (versions: PolicyVersion[]) => T,
  entry: Entry | readonly [Entry, ...Entry[]],
  { policy = [], floors = [] }: Policy,
): Change<T> {
  const entries: readonly [Entry, ...Entry[]] = 'action' in entry ? [entry] : entry;
  return { kind: 'changed', entries, policy, floors, result };
}

/** Nothing to write: the transaction is rolled back, no row is appended, no version moves. */
export const unchanged = <T>(result: T, endedKeys: readonly string[] = []): Change<T> => ({
  kind: 'unchanged',
  result,
  endedKeys,
});
