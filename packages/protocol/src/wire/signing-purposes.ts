// What a signing key is for. The purpose is in the key's record and in everything that it signs, so
// that no signature verifies as one of another kind.

export const signingPurposes = ['embed_token', 'audit_anchor'] as const;

export type SigningPurpose = (typeof signingPurposes)[number];
