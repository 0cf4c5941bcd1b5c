import type { Answer } from '@keyrail/client';
import { whyNotRotatable } from '@keyrail/protocol/wire/key-states.ts';
import { texts } from './texts.ts';

export type ApiKey = Answer<'GET /v1/keys/{id}'>;

export const nameOf = ({ name, display_prefix }: ApiKey): string => name ?? display_prefix;

/** The reason a key that isn't revoked can't be rotated, or null. */
export const whyNotRotated = (key: ApiKey): string | null =>
  whyNotRotatable(key) === 'disabled' ? texts.actions.disabledFirst : null;
