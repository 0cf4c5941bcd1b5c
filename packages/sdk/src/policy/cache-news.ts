// What changed since the whole policy was last written down, for a small file beside the large one:
// a revocation must outlive the program, and a million keys take too long to write for each.
import type { Belonging, Kept } from './cache-form.ts';
import type { Policy } from './standing.ts';
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
  projectDeleted: boolean;
  savedAt: number;
};

/** Some twenty thousand revocations; beyond it the whole has to be written. */
const CHARS_MAX = 2 ** 21;
const TEXTS_PER_PIECE = 1_000;

export class NewsLog {
  #batches: Batch[] = [];
  #chars = 0;

  add(since: number, version: number, changes: readonly Change[]): void {
    const last = this.#batches.at(-1);
    if (last && last.version !== since) this.clear();
    const texts = changes.map((change) => JSON.stringify(change));
    const chars = texts.reduce((sum, text) => sum + text.length, 0);
    this.#batches.push({ since, version, texts, chars });
    this.#chars += chars;
    if (this.#chars > CHARS_MAX) this.clear();
  }

  clear(): void {
    this.#batches = [];
    this.#chars = 0;
  }

  /** Whether this, put upon the whole of a version, gives the newest. */
  follows(version: number): boolean {
    const [first] = this.#batches;
    return first !== undefined && first.since <= version;
  }

  /** Forgets what the whole of a version holds as well. */
  forget(version: number): void {
    this.#batches = this.#batches.filter((batch) => batch.version > version);
    this.#chars = this.#batches.reduce((sum, { chars }) => sum + chars, 0);
  }

  /** All of it, with the policy that it led to. */
  pieces(policy: Policy, belonging: Belonging, savedAt: number): Uint8Array[] {
    const { version, projectDeleted } = policy;
    const since = this.#batches[0]?.since ?? version;
    const head: Head = { belonging, since, version, projectDeleted, savedAt };
    const texts = this.#batches.flatMap((batch) => batch.texts);
    const pieces = [Buffer.from(`{"head":${JSON.stringify(head)},"changes":[`)];
    for (let at = 0; at < texts.length; at += TEXTS_PER_PIECE) {
      const some = texts.slice(at, at + TEXTS_PER_PIECE).join();
      pieces.push(Buffer.from(at === 0 ? some : `,${some}`));
    }
    return [...pieces, Buffer.from(']}')];
  }
}

/**
 * Brings a policy up to what was sealed beside it. Every change says how its key stands after it,
 * so that it does no harm to make some of them once more. Says what has to be kept for as long as
 * the whole is not written again; null when there was nothing that follows upon it.
 */
export function applyNews(
  kept: Kept,
  plain: Buffer,
  belonging: Belonging,
): { kept: Kept; since: number; changes: readonly Change[] } | null {
  const { head, changes } = JSON.parse(plain.toString('utf8'), endless) as {
    head: Head;
    changes: Change[];
  };
  if (JSON.stringify(head.belonging) !== JSON.stringify(belonging)) {
    throw new Error('its news are of another project or filter');
  }
  const { policy } = kept;
  const { since, version, projectDeleted, savedAt } = head;
  if (since > policy.version || version <= policy.version) return null;
  policy.table.apply(changes);
  policy.version = version;
  policy.projectDeleted = projectDeleted;
  return { kept: { policy, savedAt }, since, changes };
}

/** JSON has no word for "never". */
const endless = (name: string, value: unknown): unknown =>
  name === 'expiresAt' && value === null ? Number.POSITIVE_INFINITY : value;
