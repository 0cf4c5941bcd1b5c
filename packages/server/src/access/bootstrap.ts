// The deployment's bootstrap token, which can only create workspaces.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../base/secret.ts';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Compares digests of equal length, so that timing reveals nothing about the token. */
export function bootstrapCheck(token: Secret | null): (presented: string) => boolean {
  if (!token) return () => false;
  const expected = digest(token.reveal());
  return (presented) => timingSafeEqual(digest(presented), expected);
}
