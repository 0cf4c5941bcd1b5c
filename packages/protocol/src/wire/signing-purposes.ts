// What signing keys are used for. A key's purpose is stored with it and is part of everything it
// signs, so that a signature made for one purpose is never accepted for another.
import { FEED_PURPOSE } from './feed-signature.ts';

export const signingPurposes = ['embed_token', 'audit_anchor', 'receipt', FEED_PURPOSE] as const;

export type SigningPurpose = (typeof signingPurposes)[number];
