import type { Answer } from '@keyrail/client';
import { whyNotRotatable } from '@keyrail/protocol/wire/key-states.ts';
import { texts } from './texts.ts';

export type ApiKey = Answer<'GET /v1/keys/{id}'>;

export const nameOf = ({ name, display_prefix }: ApiKey): string => name ?? display_prefix;

/**
 * Why a key can't be rotated, or null. Null for a revoked key too, because its page doesn't offer
 * rotation.
 */
export const whyNotRotated = (key: ApiKey): string | null =>
  whyNotRotatable(key) === 'disabled' ? texts.actions.disabledFirst : null;
