// The text for a key's state. The state comes from the server. Only the time left is computed here.
import type { Answer } from '@keyrail/client';
import { DAY_MS, SECOND_MS } from '@keyrail/protocol/wire/durations.ts';
import type { KeyState } from '@keyrail/protocol/wire/key-states.ts';
import { UNUSED_DAYS_COUNTED } from '@keyrail/protocol/wire/limits.ts';
import { en } from '../../texts/en.ts';
import { dayText, longestUnit, timeOfDay } from './spans.ts';

/** An API key or a secret key. */
export type StatedKey = { state: KeyState } & Pick<
  Answer<'GET /v1/keys/{id}'>,
  'expires_at' | 'created_at' | 'last_used_at'
>;

export function keyStateText(
  { state, expires_at }: Pick<StatedKey, 'state' | 'expires_at'>,
  nowMs: number,
  isRotated = false,
): string {
  const { keyStates } = en;
  const endsMs = expires_at === null ? nowMs : Date.parse(expires_at);
  const leftMs = endsMs - nowMs;
  if (state === 'quarantined')
    return keyStates.quarantined(leftMs > 0 ? longestUnit(leftMs) : null);
  if (state !== 'expiring') return keyStates[state];
  if (isRotated) return keyStates.ending(endText(endsMs, nowMs));
  // The key is reloaded when it expires. Until the response arrives, the text says that one second
  // is left.
  return keyStates.expiring(longestUnit(Math.max(leftMs, SECOND_MS)));
}

const endText = (atMs: number, nowMs: number): string =>
  atMs - nowMs < DAY_MS ? timeOfDay(new Date(atMs)) : dayText(new Date(atMs));

/** Shown next to the state if the key hasn't been used for 90 days. */
export const isUnused = (
  { last_used_at, created_at }: Pick<StatedKey, 'last_used_at' | 'created_at'>,
  nowMs: number,
): boolean => nowMs - Date.parse(last_used_at ?? created_at) > UNUSED_DAYS_COUNTED * DAY_MS;
