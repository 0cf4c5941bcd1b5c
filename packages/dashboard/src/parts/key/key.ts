import type { Answer } from '@keyrail/client';
import { whyNotRotatable } from '@keyrail/protocol/wire/key-states.ts';
import { texts } from './texts.ts';

export type ApiKey = Answer<'GET /v1/keys/{id}'>;

export const nameOf = ({ name, display_prefix }: ApiKey): string => name ?? display_prefix;

/** Why a key that isn't revoked cannot be rotated now, or null. */
export const whyNotRotated = (key: ApiKey): string | null =>
  whyNotRotatable(key) === 'disabled' ? texts.actions.disabledFirst : null;
