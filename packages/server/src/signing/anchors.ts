// Anchors: signed heads (newest entries) of audit chains. A head's hash covers all entries before
// it, so an anchor kept outside the database can later prove that none of them has been removed or
// rewritten.
//
// The signed bytes are the canonical JSON (RFC 8785) of the anchor without its signature. Its
// `object` field says that it is an anchor. Tokens, by contrast, are signed over base64url text,
// which never begins with "{", so no signature of one kind is valid for the other.
import { type KeyObject, sign, verify } from 'node:crypto';
import type { AuditAnchor as WireAnchor } from '@keyrail/protocol/objects/audit.ts';
import { canonicalJson } from '@keyrail/protocol/wire/audit-chain.ts';
import { wireTime } from '../base/wire-time.ts';

/** The newest entry of a chain. */
export type AuditHead = { workspaceId: string; seq: number; hash: string; occurredAt: Date };

export type AuditAnchor = AuditHead & {
  /** The number of entries in the chain up to this one. */
  count: number;
  anchoredAt: Date;
  kid: string;
  signature: string;
};

/** A key for the purpose `audit_anchor`. */
export type AnchorKey = { kid: string; key: KeyObject };

/** Signs chain heads, for anchors and for a backup's manifest. */
export const signHeads = (
  heads: readonly AuditHead[],
  { kid, key }: AnchorKey,
  anchoredAt: Date,
): AuditAnchor[] =>
  heads.map(({ workspaceId, seq, hash, occurredAt }) => {
    // A chain begins with entry 1 and has no gaps, so `seq` is also the count.
    const unsigned = { workspaceId, seq, hash, occurredAt, count: seq, anchoredAt, kid };
    const signature = sign(null, signedBytes(unsignedObject(unsigned)), key);
    return { ...unsigned, signature: signature.toString('base64url') };
  });

type Unsigned<Anchor> = Omit<Anchor, 'signature'>;

const unsignedObject = (anchor: Unsigned<AuditAnchor>): Unsigned<WireAnchor> => ({
  object: 'audit_anchor',
  workspace_id: anchor.workspaceId,
  seq: anchor.seq,
  hash: anchor.hash,
  occurred_at: wireTime(anchor.occurredAt),
  count: anchor.count,
  anchored_at: wireTime(anchor.anchoredAt),
  kid: anchor.kid,
});

const signedBytes = (anchor: Unsigned<WireAnchor>): Buffer => Buffer.from(canonicalJson(anchor));

/** The anchor in the form used by the API and in anchor files. */
export const wireAnchor = (anchor: AuditAnchor): WireAnchor => ({
  ...unsignedObject(anchor),
  signature: anchor.signature,
});

/** Whether the key signed exactly this anchor. */
export const isSignedBy = ({ signature, ...anchor }: WireAnchor, key: KeyObject): boolean =>
  verify(null, signedBytes(anchor), key, Buffer.from(signature, 'base64url'));
