import type { Answer } from '@keyrail/client';
import { texts } from './texts.ts';

export type ApiKey = Answer<'GET /v1/keys/{id}'>;

export const nameOf = ({ name, display_prefix }: ApiKey): string => name ?? display_prefix;

/** The reason a key can't be rotated, or null. */
export function whyNotRotated({ state, disabled_at }: ApiKey): string | null {
  if (disabled_at !== null) return texts.actions.disabledFirst;
  return state === 'expired' ? texts.actions.expired : null;
}
