// Checks that each purpose has a current signing key that can be decrypted with the master key and
// isn't overdue for rotation.
import { createPublicKey } from 'node:crypto';
import { type SigningPurpose, signingPurposes } from '@keyrail/protocol/wire/signing-purposes.ts';
import { DAY_MS } from '../base/duration.ts';
import { reasonOf } from '../base/errors.ts';
import type { Sealing } from '../base/sealing.ts';
import { openedBy } from '../signing/keys.ts';
import { signerAt } from '../signing/rotation-schedule.ts';
import { fault, fine, type Outcome, skipped, warning } from './finding.ts';
import type { Inspection } from './inspection.ts';

type SigningCheckParts = {
  /** Null if there is no master key yet. */
  unseal: Sealing['unseal'] | null;
  rotateEveryMs: number;
};

type Key = {
  id: string;
  purpose: SigningPurpose;
  publicKey: string;
  sealedPrivate: Buffer | null;
  signsFrom: Date;
  endsAt: Date | null;
  now: Date;
};

/** The worker checks every minute, so if a key is this long overdue, no worker is running. */
const LATE_MS = DAY_MS;

export async function checkSigningKeys(
  inspection: Inspection,
  parts: SigningCheckParts,
): Promise<Outcome[]> {
  const keys = await inspection.queryAs<Key>('kr_worker', KEYS);
  return signingPurposes.flatMap((purpose) =>
    outcomesOf(
      purpose,
      keys.filter((key) => key.purpose === purpose),
      parts,
    ),
  );
}

const KEYS = `
  select id, purpose, public_key as "publicKey", sealed_private as "sealedPrivate",
    signs_from as "signsFrom", ends_at as "endsAt", app_now() as now
  from signing_keys order by generation`;

/** What the keys for each purpose sign, worded for messages. */
const signed: Record<SigningPurpose, string> = {
  embed_token: 'embed tokens',
  audit_anchor: 'audit anchors',
  receipt: 'receipts',
  policy_feed: 'the policy feed',
};

function outcomesOf(
  purpose: SigningPurpose,
  keys: readonly Key[],
  { unseal, rotateEveryMs }: SigningCheckParts,
): Outcome[] {
  const what = signed[purpose];
  const [{ now } = { now: null }] = keys;
  const key = now && signerAt(keys, now);
  if (!key)
    return [fine(`No signing key for ${what} yet. The server creates one when it's needed.`)];
  if (!unseal)
    return [skipped(`The key for ${what} was not checked, because there is no master key.`)];
  const problem = openFault(key, unseal);
  if (problem) return [problem];
  const signsForMs = key.now.getTime() - key.signsFrom.getTime();
  if (signsForMs > rotateEveryMs + LATE_MS) {
    const days = Math.floor(signsForMs / DAY_MS);
    return [
      warning(
        `The signing key for ${what} has been in use for ${days} days and wasn't rotated on time.`,
        'Run a worker: keyrail-server worker, or keyrail-server start.',
      ),
    ];
  }
  return [fine(`Key ${key.id} signs ${what}.`)];
}

function openFault(key: Key, unseal: Sealing['unseal']): Outcome | null {
  const { id, purpose, publicKey } = key;
  const option = purpose === 'embed_token' ? '' : ` --purpose ${purpose}`;
  const remedy =
    "Set KEYRAIL_MASTER_KEY to the key this database was encrypted with. If it's lost, run: " +
    `keyrail-server signing-keys rotate --now${option}.`;
  try {
    const { x } = createPublicKey(openedBy(unseal, key)).export({ format: 'jwk' });
    if (x === publicKey) return null;
    return fault(`The two halves of signing key ${id} do not match.`, remedy);
  } catch (error) {
    const [reason] = reasonOf(error).split(';');
    return fault(`Cannot sign: ${reason}.`, remedy);
  }
}
