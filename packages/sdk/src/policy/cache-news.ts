// What changed since the whole policy was last written down, for a small file beside the large one:
// a revocation must outlive the program, and a million keys take too long to write for each.
import type { Belonging, Kept } from './cache-form.ts';
import type { Change } from './table.ts';

/** One delta, as the feed told it. */
export type News = {
  since: number;
  changes: readonly Change[];
  /** It tells of nothing but new keys. */
  isOnlyMore: boolean;
};

type Batch = { since: number; version: number; texts: readonly string[]; chars: number };

type Head = {
  belonging: Belonging;
  /** Of the version from which on this tells everything. */
  since: number;
  version: number;
  /** Which keys there are after it. */
  fingerprint: string;
  projectDeleted: boolean;
  savedAt: number;
  confirmedAt: number;
};

/** Some twenty thousand revocations; beyond it the whole has to be written. */
const CHARS_MAX = 2 ** 21;
const TEXTS_PER_PIECE = 1_000;
/** Some milliseconds' work. */
const TEXTS_AT_ONCE = 500;

export class NewsLog {
  #batches: Batch[] = [];
  #chars = 0;

  add(since: number, version: number, changes: readonly Change[]): void {
    this.addTexts(
      since,
      version,
      changes.map((change) => JSON.stringify(change)),
    );
  }

  addTexts(since: number, version: number, texts: readonly string[]): void {
    const last = this.#batches.at(-1);
    if (last && last.version !== since) this.clear();
    else if (last && texts.length === 0) {
      // Of many keys that are not told to this node, nothing is told but versions.
      last.version = version;
      return;
    }
    const chars = texts.reduce((sum, text) => sum + text.length, 0);
    this.#batches.push({ since, version, texts, chars });
    this.#chars += chars;
    if (this.#chars > CHARS_MAX) this.clear();
  }

  clear(): void {
    this.#batches = [];
    this.#chars = 0;
  }

  /** Whether this, put upon the whole of a version, gives the newest. Null for no whole. */
  follows(version: number | null): boolean {
    const [first] = this.#batches;
    return first !== undefined && version !== null && first.since <= version;
  }

  /** Forgets what the whole of a version holds as well. */
  forget(version: number): void {
    this.#batches = this.#batches.filter((batch) => batch.version > version);
    this.#chars = this.#batches.reduce((sum, { chars }) => sum + chars, 0);
  }

  /** All of it, a change a line, with the policy that it led to. */
  pieces({ policy, savedAt, confirmedAt }: Kept, belonging: Belonging): Uint8Array[] {
    const { version, projectDeleted, table } = policy;
    const { fingerprint } = table;
    const since = this.#batches[0]?.since ?? version;
    const head: Head = {
      ...{ belonging, since, version, fingerprint, projectDeleted, savedAt, confirmedAt },
    };
    const texts = this.#batches.flatMap((batch) => batch.texts);
    const pieces = [Buffer.from(JSON.stringify(head))];
    for (let at = 0; at < texts.length; at += TEXTS_PER_PIECE) {
      pieces.push(Buffer.from(`\n${texts.slice(at, at + TEXTS_PER_PIECE).join('\n')}`));
    }
    return pieces;
  }
}

/** What has to be kept for as long as the whole is not written again. */
export type Applied = { kept: Kept; since: number; texts: readonly string[] };

/**
 * Brings a policy up to what was sealed beside it. Every change says how its key stands after it,
 * so that it does no harm to make some of them once more. Throws when they are of another policy;
 * says when they tell nothing beyond it, or when there is something missing in between.
 */
export async function applyNews(
  kept: Kept,
  plain: Buffer,
  { belonging, breathe }: { belonging: Belonging; breathe(): Promise<void> },
): Promise<Applied | 'nothing new' | 'a gap'> {
  const [first = '', ...texts] = plain.toString('utf8').split('\n');
  const head: Head = JSON.parse(first);
  if (JSON.stringify(head.belonging) !== JSON.stringify(belonging)) {
    throw new Error('its news are of another project or filter');
  }
  const { policy } = kept;
  const { since, version, projectDeleted, savedAt, confirmedAt } = head;
  if (version === policy.version && policy.table.fingerprint === head.fingerprint) {
    kept.confirmedAt = Math.max(kept.confirmedAt, confirmedAt);
  }
  if (version <= policy.version) return 'nothing new';
  if (since > policy.version) return 'a gap';
  for (let at = 0; at < texts.length; at += TEXTS_AT_ONCE) {
    policy.table.apply(texts.slice(at, at + TEXTS_AT_ONCE).map(changeIn));
    await breathe();
  }
  // Versions can be taken back, and given again to something else.
  if (policy.table.fingerprint !== head.fingerprint)
    throw new Error('its news are of another past');
  policy.version = version;
  policy.projectDeleted = projectDeleted;
  return { kept: { policy, savedAt, confirmedAt }, since, texts };
}

function changeIn(text: string): Change {
  const change: Change = JSON.parse(text);
  // JSON has no word for "never".
  if (change.kind === 'upsert') change.entry.expiresAt ??= Number.POSITIVE_INFINITY;
  return change;
}
