// What a signing key is for. The purpose is in the key's record and in everything it signs, so that
// a signature for one purpose is never accepted for another.
import { FEED_PURPOSE } from './feed-signature.ts';

export const signingPurposes = ['embed_token', 'audit_anchor', 'receipt', FEED_PURPOSE] as const;

export type SigningPurpose = (typeof signingPurposes)[number];
