// I4 to I9: what readers of the policy feed saw. Each reader folds snapshots and deltas into a
// state. Two states with the same filter and version must be equal, regardless of the responses
// they came from.
import {
  type Check,
  Findings,
  type History,
  isOk,
  type Op,
  opsOf,
  textOf,
  within,
} from '../history.ts';

const isFeed = ({ kind }: Op) => kind === 'feed.snapshot' || kind === 'feed.delta';

/** The feed's responses that contain a version, in the order of their requests. */
const readsOf = ({ ops }: History): Op[] =>
  ops.filter((op) => isFeed(op) && isOk(op)).toSorted((a, b) => a.t0 - b.t0);

const versionOf = ({ body, args }: Op): number => Number(within(body, 'version') ?? args.since);

export const I4: Check = (history) => {
  const found = new Findings();
  for (const project of projectsOf(history)) {
    const reads = readsOf(history).filter(({ args }) => args.project === project && !args.cursor);
    const ended = reads.toSorted((a, b) => a.t1 - b.t1);
    let next = 0;
    let seen = 0;
    for (const read of reads) {
      for (; (ended[next]?.t1 ?? Number.POSITIVE_INFINITY) < read.t0; next += 1) {
        seen = Math.max(seen, versionOf(ended[next] as Op));
      }
      found.expect(
        versionOf(read) >= seen,
        () => `version ${versionOf(read)} was served after version ${seen} had been served`,
      );
    }
  }
  return found;
};

const projectsOf = (history: History) => new Set(readsOf(history).map(({ args }) => args.project));

/**
 * `isOpen`: the snapshot was read in several pages. Later pages may already include later changes,
 * so the state only matches its version once the changes since the first page have been applied.
 */
type Fold = { entries: Map<string, string>; version: number; isPaged: boolean; isOpen: boolean };

/** A reader's state as a string, for comparison. */
const digestOf = ({ entries }: Fold): string =>
  [...entries]
    .map(([id, sum]) => `${id}=${sum}`)
    .sort()
    .join(' ');

/** Replays each reader's responses, and calls `seen` with each complete state. */
function replay(history: History, seen: (read: Op, fold: Fold, isDelta: boolean) => void): void {
  const folds = new Map<string, Fold>();
  for (const read of readsOf(history)) {
    const reader = String(read.args.reader);
    const entries = Object.entries(Object(within(read.body, 'entries')));
    const pairs = entries.map(([id, sum]): [string, string] => [id, String(sum)]);
    const version = versionOf(read);
    const isSnapshot = within(read.body, 'object') === 'policy_snapshot';
    const held = folds.get(reader);
    if (read.status === 304) {
      if (held) held.isOpen = false;
    } else if (isSnapshot) {
      const isFirst = !read.args.cursor;
      if (!isFirst && !held) continue;
      const all = isFirst ? new Map(pairs) : new Map([...(held?.entries ?? []), ...pairs]);
      folds.set(reader, { entries: all, version, isPaged: !isFirst, isOpen: !isFirst });
    } else if (held) {
      const removed = within(read.body, 'removed');
      for (const id of Array.isArray(removed) ? removed : []) held.entries.delete(String(id));
      for (const [id, sum] of pairs) held.entries.set(id, sum);
      held.version = version;
      held.isOpen = false;
    }
    const fold = folds.get(reader);
    const isWhole = !within(read.body, 'next');
    if (fold && isWhole && !fold.isOpen) seen(read, fold, !isSnapshot);
  }
}

/** All complete states with the same filter and version must be equal. */
function foldsAgree(history: History, counts: (fold: Fold, isDelta: boolean) => boolean): Findings {
  const found = new Findings();
  const first = new Map<string, { digest: string; reader: unknown }>();
  replay(history, (read, fold, isDelta) => {
    const name = `${read.args.project} ${read.args.filter} ${fold.version}`;
    const digest = digestOf(fold);
    const known = first.get(name);
    if (!known) first.set(name, { digest, reader: read.args.reader });
    else if (counts(fold, isDelta)) {
      found.expect(
        known.digest === digest,
        () =>
          `${read.args.reader} and ${known.reader} hold different keys at version ${fold.version}`,
      );
    }
  });
  return found;
}

export const I5: Check = (history) => foldsAgree(history, () => true);
/**
 * Like I5, but only for states that began with a snapshot in several pages, with changes made
 * between the pages.
 */
export const I6: Check = (history) => foldsAgree(history, ({ isPaged }) => isPaged);

export const I7: Check = (history) => {
  const found = new Findings();
  const reads = readsOf(history);
  const ended = reads.toSorted((a, b) => a.t1 - b.t1);
  const seen = new Map<unknown, number>();
  let next = 0;
  for (const read of reads) {
    for (; (ended[next]?.t1 ?? Number.POSITIVE_INFINITY) < read.t0; next += 1) {
      const earlier = ended[next] as Op;
      const { project } = earlier.args;
      seen.set(project, Math.max(seen.get(project) ?? 0, versionOf(earlier)));
    }
    if (read.kind !== 'feed.delta') continue;
    const since = Number(read.args.since);
    if (read.status === 304) {
      const known = seen.get(read.args.project) ?? 0;
      found.expect(
        known <= since,
        () => `304 since ${since}, but version ${known} had been served`,
      );
    } else if (within(read.body, 'object') === 'policy_delta') {
      const entries = Object.keys(Object(within(read.body, 'entries')));
      const removed: unknown = within(read.body, 'removed');
      const names = [...entries, ...(Array.isArray(removed) ? removed : [])];
      const isUnique = new Set(names).size === names.length;
      found.expect(
        versionOf(read) > since && isUnique && textOf(read.body, 'since') === String(since),
        () => `the delta since ${since} goes to ${versionOf(read)}, or lists a key twice`,
      );
    }
  }
  return found;
};

export const I8: Check = (history) => {
  const found = new Findings();
  const reads = readsOf(history);
  // The response to a change of limits contains the policy's latest version, which a later change
  // may already have raised. The limits' own version is only known to be higher than every version
  // served before the change began.
  const floors = opsOf(history, 'project.limits')
    .filter(isOk)
    .map(({ t0, t1, args: { id } }) => {
      const before = reads.filter((read) => read.args.project === id && read.t1 < t0);
      return { id, t1, least: Math.max(0, ...before.map(versionOf)) };
    });
  for (const read of reads) {
    if (read.kind !== 'feed.delta') continue;
    const since = Number(read.args.since);
    const isAhead = read.args.isAhead === true;
    const isBelow = floors.some(
      ({ id, t1, least }) => id === read.args.project && t1 < read.t0 && since <= least,
    );
    if (!isAhead && !isBelow) continue;
    found.expect(
      within(read.body, 'object') === 'policy_snapshot',
      () => `a read since ${since} returned ${textOf(read.body, 'object') || read.status}`,
    );
  }
  return found;
};

export const I9: Check = (history) => {
  const found = new Findings();
  const revoked = new Map(
    opsOf(history, 'key.revoke')
      .filter(isOk)
      .map(({ args, t1 }) => [String(args.id), t1]),
  );
  for (const read of readsOf(history)) {
    const names = Object.keys(Object(within(read.body, 'entries')));
    if (read.status === 304 || read.args.cursor) continue;
    const gone = names.find((id) => (revoked.get(id) ?? Number.POSITIVE_INFINITY) < read.t0);
    const unresolved = within(read.body, 'unresolved') === true;
    found.expect(!gone, () => `the revoked key ${gone} is still served`);
    found.expect(!unresolved, () => 'a feed entry has no resolved rate limits');
  }
  return found;
};
