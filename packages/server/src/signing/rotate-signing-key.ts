import { type SigningPurpose, signingPurposes } from '@keyrail/protocol/wire/signing-purposes.ts';
import type { RandomBytes } from '../base/random.ts';
import type { Seal } from '../base/sealing.ts';
import type { OpenWork, Work } from '../doors/work.ts';
import { newSigningPair } from './pair.ts';
import {
  isNeeded,
  type RotationCause,
  type SigningSchedule,
  signerAt,
  timesOf,
} from './rotation-schedule.ts';
import {
  insertSigningKey,
  lockSigningKeys,
  removeEnded,
  type SigningKeyRow,
  updateEnds,
} from './rows.ts';

export type SigningParts = SigningSchedule & { seal: Seal; randomBytes: RandomBytes };

type Wanted = { purpose: SigningPurpose; cause: RotationCause };

/** `current` is the key that signs now. `newest` is the same key, or the next one to sign. */
type Rotation = { newest: SigningKeyRow; current: SigningKeyRow; isNew: boolean };

/**
 * Creates the next signing key for a purpose, unless the cause doesn't require one. If several
 * processes rotate at the same time, only one creates a key, and all of them get that key.
 */
export async function rotateSigningKey(
  tx: Work,
  parts: SigningParts,
  { purpose, cause }: Wanted,
): Promise<Rotation> {
  const { rotateEveryMs, publishWaitMs, seal, randomBytes } = parts;
  const { now } = tx;
  const keys = await lockSigningKeys(tx, purpose);
  const newest = keys.at(-1);
  if (newest && !isNeeded(cause, newest, { now, rotateEveryMs })) {
    return { newest, current: signerAt(keys, now) ?? newest, isNew: false };
  }
  const isFirst = newest === undefined;
  const { signsFrom, othersEndAt } = timesOf(cause, { now, isFirst, publishWaitMs, purpose });
  const { publicKey, seed } = newSigningPair(randomBytes);
  const made: SigningKeyRow = {
    id: tx.newId(),
    purpose,
    generation: (newest?.generation ?? 0) + 1,
    publicKey,
    sealedPrivate: seal(seed),
    createdAt: now,
    signsFrom,
    endsAt: null,
  };
  if (await insertSigningKey(tx, made)) {
    await updateEnds(tx, made, othersEndAt);
    // Deletes the old keys. If they were only retired, they would become valid again when the clock
    // is set back.
    if (cause === 'immediately') await removeEnded(tx);
    const current = signsFrom <= now ? made : (signerAt(keys, now) ?? made);
    return { newest: made, current, isNew: true };
  }
  const theirs = await lockSigningKeys(tx, purpose);
  const next = theirs.at(-1);
  if (next === undefined) throw new Error("another process's signing key no longer exists");
  return { newest: next, current: signerAt(theirs, now) ?? next, isNew: false };
}

/**
 * The worker's job: replaces the signing key for each purpose when it is due, and deletes keys that
 * are no longer needed to verify any signature. Safe to run twice: the second run finds nothing
 * due.
 */
export async function rotateSigningKeys(work: OpenWork, signing: SigningParts): Promise<void> {
  for (const purpose of signingPurposes) {
    await work((tx) => rotateSigningKey(tx, signing, { purpose, cause: 'due' }));
  }
  await work(removeEnded);
}
