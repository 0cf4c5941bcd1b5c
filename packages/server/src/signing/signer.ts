// Signs everything that a process needs to sign: embed tokens, audit anchors, receipts and the
// policy feed.
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Gate } from '../doors/gate.ts';
import type { OpenWork } from '../doors/work.ts';
import type { AnchorKey } from './anchors.ts';
import { createFeedSigner } from './feed.ts';
import { findFeedSigner, findSigningKeys } from './gate.rows.ts';
import { createSigningKeys, openedBy } from './keys.ts';
import { type OpenSigning, signingPartsOf } from './parts.ts';
import { createReceiptSigner } from './receipts.ts';
import { rotateSigningKey } from './rotate-signing-key.ts';

/**
 * The purposes of the keys that requests need. Anchor keys are created and used by the worker
 * instead.
 */
const PREPARED = ['embed_token', 'receipt', 'policy_feed'] as const;

type SignerParts = Parameters<typeof signingPartsOf>[0] & {
  publicUrl: string;
  clock: Clock;
  log: Log;
};

export function signerOf(parts: SignerParts, { gate, work }: { gate: Gate; work: OpenWork }) {
  const signing = signingPartsOf(parts);
  const makeFirstSigningKey = () =>
    work((tx) => rotateSigningKey(tx, signing, { purpose: 'embed_token', cause: 'first' }));
  const readKeys = () => findSigningKeys(gate);
  const signingKeys = createSigningKeys({ findSigningKeys: readKeys, unseal: signing.unseal });
  const { publicUrl: issuer, clock, log } = parts;
  const signReceipt = createReceiptSigner({ signingKeys, issuer, log });
  const signFeed = createFeedSigner({
    findFeedSigner: () => findFeedSigner(gate),
    signingKeys,
    clock,
    log,
  });
  return {
    signing,
    forRoutes: { signingKeys, makeFirstSigningKey, signReceipt, signFeed },
    /** Writes only if necessary, so that the server can start on a read-only store. */
    async prepare(): Promise<void> {
      const keys = await readKeys();
      for (const purpose of PREPARED) {
        if (keys.some((key) => key.purpose === purpose)) continue;
        await work((tx) => rotateSigningKey(tx, signing, { purpose, cause: 'first' }));
      }
    },
    anchorKey: () => openAnchorKey(work, signing),
  };
}

/** Returns the current anchor signing key, creating one if necessary. */
export async function openAnchorKey(work: OpenWork, signing: OpenSigning): Promise<AnchorKey> {
  const wanted = { purpose: 'audit_anchor', cause: 'first' } as const;
  const { current } = await work((tx) => rotateSigningKey(tx, signing, wanted));
  return { kid: current.id, key: openedBy(signing.unseal, current) };
}
