import type { Answer } from '@keyrail/client';
import { nowMs } from '../../clock.ts';
import { texts } from './texts.ts';

export type ApiKey = Answer<'GET /v1/keys/{id}'>;

export const nameOf = ({ name, display_prefix }: ApiKey): string => name ?? display_prefix;

/** Why a key cannot be rotated now, or null. */
export function whyNotRotated({ disabled_at, expires_at }: ApiKey): string | null {
  if (disabled_at !== null) return texts.actions.disabledFirst;
  const isExpired = expires_at !== null && Date.parse(expires_at) <= nowMs();
  return isExpired ? texts.actions.expired : null;
}
