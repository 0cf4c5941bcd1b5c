// Everything that signs, in one process: embed tokens and audit anchors.
import type { AnchorKey } from './access/audit-anchor.ts';
import { createSigningKeys, openedBy } from './access/signing-keys.ts';
import type { Gate } from './doors/gate.ts';
import type { OpenWork } from './doors/work.ts';
import { rotateSigningKey } from './features/signing/rotate-signing-key.ts';
import { type OpenSigning, signingPartsOf } from './features/signing/signing-parts.ts';

type SignerParts = Parameters<typeof signingPartsOf>[0];

export function signerOf(parts: SignerParts, { gate, work }: { gate: Gate; work: OpenWork }) {
  const signing = signingPartsOf(parts);
  const makeFirstSigningKey = () =>
    work((tx) => rotateSigningKey(tx, signing, { purpose: 'embed_token', cause: 'first' }));
  return {
    signing,
    signingKeys: createSigningKeys({ gate, unseal: signing.unseal }),
    makeFirstSigningKey,
    /** Writes only if necessary, so that the server also starts on a read-only store. */
    async prepare(): Promise<void> {
      const keys = await gate.findSigningKeys();
      if (!keys.some(({ purpose }) => purpose === 'embed_token')) await makeFirstSigningKey();
    },
    anchorKey: () => openAnchorKey(work, signing),
  };
}

/** The key that signs anchors now; created if there is none. */
export async function openAnchorKey(work: OpenWork, signing: OpenSigning): Promise<AnchorKey> {
  const wanted = { purpose: 'audit_anchor', cause: 'first' } as const;
  const { current } = await work((tx) => rotateSigningKey(tx, signing, wanted));
  return { kid: current.id, key: openedBy(signing.unseal, current) };
}
