// The journal of the policy cache: the changes since the policy file was written. A revocation must
// survive a restart, and rewriting a million keys for each one would take too long.
import { readBoolean, readInteger, readRecord, readText } from '../../json.ts';
import type { Proof } from '../proof/proof.ts';
import type { Change } from '../table/table.ts';
import type { Belonging, Kept } from './format.ts';
import { readChange } from './stored-keys.ts';

/** One delta of the feed, as the journal records it. */
export type JournalDelta = {
  since: number;
  changes: readonly Change[];
  /** Whether the delta contains only new keys. */
  isOnlyMore: boolean;
  /** The signed response, which a cache of signed responses stores instead of the changes. */
  proof?: Proof | null;
};

type Batch = { since: number; version: number; texts: readonly string[]; chars: number };

type Head = {
  belonging: Belonging;
  /** The journal contains every change made after this version. */
  since: number;
  version: number;
  /** The table's fingerprint after all changes. */
  fingerprint: string;
  projectDeleted: boolean;
  savedAt: number;
  confirmedAt: number;
};

/**
 * The maximum size of a journal, enough for about twenty thousand revocations. Beyond that, the
 * policy file has to be rewritten.
 */
const CHARS_MAX = 2 ** 21;
const TEXTS_PER_PIECE = 1_000;
/** How many changes are applied without a pause, which takes a few milliseconds. */
const TEXTS_AT_ONCE = 500;
const FINGERPRINT = /^[\d,-]{1,100}$/;

export class Journal {
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
      // Changes outside this node's filter only advance the version.
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

  /**
   * Whether the journal covers every change since a policy file with this version was written; null
   * means that there is no file.
   */
  follows(version: number | null): boolean {
    const [first] = this.#batches;
    return first !== undefined && version !== null && first.since <= version;
  }

  /** Drops the changes already contained in a policy file of this version. */
  forget(version: number): void {
    this.#batches = this.#batches.filter((batch) => batch.version > version);
    this.#chars = this.#batches.reduce((sum, { chars }) => sum + chars, 0);
  }

  /**
   * Returns the file contents: a head that describes the resulting policy, then one change per
   * line.
   */
  pieces({ policy, savedAt, confirmedAt }: Kept, belonging: Belonging): Uint8Array[] {
    const { version, projectDeleted, table } = policy;
    const { fingerprint } = table;
    const since = this.#batches[0]?.since ?? version;
    const head: Head = {
      belonging,
      since,
      version,
      fingerprint,
      projectDeleted,
      savedAt,
      confirmedAt,
    };
    const texts = this.#batches.flatMap((batch) => batch.texts);
    const pieces = [Buffer.from(JSON.stringify(head))];
    for (let at = 0; at < texts.length; at += TEXTS_PER_PIECE) {
      pieces.push(Buffer.from(`\n${texts.slice(at, at + TEXTS_PER_PIECE).join('\n')}`));
    }
    return pieces;
  }
}

/** The journal's changes, which must be kept until the policy file is written again. */
export type Applied = { kept: Kept; since: number; texts: readonly string[] };

/**
 * Applies the journal to a policy. Every change contains the final state of its key, so applying
 * one twice is harmless. Throws if the journal belongs to a different policy. Returns 'nothing new'
 * if the policy is at least as new as the journal, and 'a gap' if changes between them are missing.
 */
export async function applyJournal(
  kept: Kept,
  plain: Buffer,
  { belonging, breathe }: { belonging: Belonging; breathe(): Promise<void> },
): Promise<Applied | 'nothing new' | 'a gap'> {
  const [first = '', ...texts] = plain.toString('utf8').split('\n');
  const head = journalHeadIn(JSON.parse(first), belonging);
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
  // After a server rollback, the same version number may mean a different policy.
  if (policy.table.fingerprint !== head.fingerprint)
    throw new Error('its journal does not match the policy file');
  policy.version = version;
  policy.projectDeleted = projectDeleted;
  return { kept: { policy, savedAt, confirmedAt }, since, texts };
}

const changeIn = (text: string): Change => readChange(JSON.parse(text));

/** Throws if the journal belongs to a different project or filter. */
export function journalHeadIn(value: unknown, belonging: Belonging): Head {
  const head = readRecord(value, 'its journal header');
  if (JSON.stringify(head.belonging) !== JSON.stringify(belonging)) {
    throw new Error('its journal belongs to another project or filter');
  }
  return {
    belonging,
    since: readInteger(head.since, 'since'),
    version: readInteger(head.version, 'version'),
    fingerprint: readText(head.fingerprint, 'fingerprint', FINGERPRINT),
    projectDeleted: readBoolean(head.projectDeleted, 'projectDeleted'),
    savedAt: readInteger(head.savedAt, 'savedAt'),
    confirmedAt: readInteger(head.confirmedAt, 'confirmedAt'),
  };
}
