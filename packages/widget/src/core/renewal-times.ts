// When to renew a token. Only the server's clock is used, because the browser's may be wrong.
import type { Token, TokenReason } from '../types.ts';

type Times = { expires_at: string; expires_in: number };

/** The shortest time between two token requests, even if tokens expire sooner. */
const DELAY_MS_MIN = 10_000;
const DELAY_MS_MAX = 600_000;
const USED_SHARE = 0.8;

export function delayOfRenewal(
  { refresh_after }: Token,
  { expires_at, expires_in }: Times,
): number {
  const serverMs = Date.parse(expires_at) - expires_in * 1000;
  const wantedMs = Date.parse(refresh_after) - serverMs;
  const delayMs = Number.isFinite(wantedMs) ? wantedMs : expires_in * 1000 * USED_SHARE;
  return Math.min(DELAY_MS_MAX, Math.max(DELAY_MS_MIN, delayMs));
}

/**
 * The delays between attempts. There are two, so there are three attempts. When a token is renewed
 * before it expires, there is about a minute for all of them.
 */
export const waitsBetween = (reason: TokenReason): readonly number[] =>
  reason === 'refresh' ? [5_000, 20_000] : [500, 2_000];
