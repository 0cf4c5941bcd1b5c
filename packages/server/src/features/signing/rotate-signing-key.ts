import { newSigningPair } from '../../access/signing-pair.ts';
import type { RandomBytes } from '../../base/random.ts';
import type { Seal } from '../../base/sealing.ts';
import type { Work } from '../../doors/work.ts';
import {
  isNeeded,
  type RotationCause,
  type SigningSchedule,
  timesOf,
} from './rotation-schedule.ts';
import { insertSigningKey, lockNewest, type SigningKeyRow, updateEnds } from './rows.ts';

export type SigningParts = SigningSchedule & { seal: Seal; randomBytes: RandomBytes };

type Rotation = { newest: SigningKeyRow; isNew: boolean };

/**
 * Creates the next signing key if the cause requires one. If several processes rotate at the
 * same time, one creates the key and all of them get that key.
 */
export async function rotateSigningKey(
  tx: Work,
  parts: SigningParts,
  cause: RotationCause,
): Promise<Rotation> {
  const { rotateEveryMs, publishWaitMs, seal, randomBytes } = parts;
  const { now } = tx;
  const newest = await lockNewest(tx);
  if (newest && !isNeeded(cause, newest, { now, rotateEveryMs })) {
    return { newest, isNew: false };
  }
  const isFirst = newest === null;
  const { signsFrom, othersEndAt } = timesOf(cause, { now, isFirst, publishWaitMs });
  const { publicKey, seed } = newSigningPair(randomBytes);
  const made: SigningKeyRow = {
    id: tx.newId(),
    generation: (newest?.generation ?? 0) + 1,
    publicKey,
    sealedPrivate: seal(seed),
    createdAt: now,
    signsFrom,
    endsAt: null,
  };
  if (await insertSigningKey(tx, made)) {
    await updateEnds(tx, made.id, othersEndAt);
    return { newest: made, isNew: true };
  }
  const theirs = await lockNewest(tx);
  if (theirs === null) throw new Error('the signing key of another process is gone');
  return { newest: theirs, isNew: false };
}
