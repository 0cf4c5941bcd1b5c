// The types that an operation receives and returns. Only a Change can be committed, so a write
// without an audit entry cannot commit.
import type { NewId } from '../base/ids.ts';
import type { RandomBytes } from '../base/random.ts';
import type { Seal } from '../base/sealing.ts';
import type { Runner } from '../db/sql.ts';
import type { Entry } from './actions.ts';
import type { Reach } from './reach.ts';

/**
 * Runs reads within a reach (the rows a caller can access). Each statement sees everything
 * committed before it started.
 */
export type Read = Runner & { readonly reach: Reach };

/** One transaction that may change audited tables. */
export type Write = Read & {
  readonly kind: 'write';
  /** This transaction's time, according to the database's clock. */
  readonly now: Date;
  readonly isDryRun: false;
  readonly newId: NewId;
  readonly randomBytes: RandomBytes;
  /** Encrypts a one-time token for a queued email. */
  readonly seal: Seal;
};

/**
 * Writes unaudited rows (telemetry, acknowledgements). It isn't a Write, so operations on keys
 * don't accept it.
 */
export type Recording = Read & { readonly kind: 'recording'; readonly now: Date };

/** A project whose policy changed, with the version that close_change() assigned. */
export type PolicyVersion = { projectId: string; version: number };

type Changed<T> = {
  kind: 'changed';
  entries: readonly [Entry, ...Entry[]];
  /** Projects whose keys or defaults changed. Each one gets a new policy version. */
  policy: readonly string[];
  /** Projects whose nodes must fetch a snapshot, because a default for all keys changed. */
  floors: readonly string[];
  endsSecretKeys: readonly string[];
  result: T;
};

export type Change<T> =
  | Changed<T>
  | { kind: 'unchanged'; result: T; endsSecretKeys: readonly string[] };

type Ends = {
  /**
   * Secret keys whose access this change ends or reduces, or whose expiry it brings forward. The
   * response waits until no process has their old state cached. Includes keys that a concurrent
   * request has just revoked.
   */
  endsSecretKeys?: readonly string[];
};

type Effects = Ends & { policy?: readonly string[]; floors?: readonly string[] };

export const changed = <T>(
  result: T,
  entry: Entry | readonly [Entry, ...Entry[]],
  { policy = [], floors = [], endsSecretKeys = [] }: Effects = {},
): Change<T> => ({
  kind: 'changed',
  entries: 'action' in entry ? [entry] : entry,
  policy,
  floors,
  endsSecretKeys,
  result,
});

/** Nothing to write: the transaction is rolled back, without an audit entry or a new version. */
export const unchanged = <T>(result: T, { endsSecretKeys = [] }: Ends = {}): Change<T> => ({
  kind: 'unchanged',
  result,
  endsSecretKeys,
});
