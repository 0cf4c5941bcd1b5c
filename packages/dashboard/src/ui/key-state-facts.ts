// A key's state, from the object alone: the first that applies.
import type { Answer } from '@keyrail/client';
import { en } from '../texts/en.ts';
import { DAY_MS, dayText, longestUnit, timeOfDay } from './content/spans.ts';
import type { Shape, Tone } from './content/state.tsx';

export type ApiKey = Answer<'GET /v1/keys/{id}'>;

/** Secret keys have the same states, except that they can't be disabled. */
export type StatedKey = Pick<
  ApiKey,
  ('expires_at' | 'revoked_at' | 'quarantined_at' | 'disabled_at') | ('created_at' | 'last_used_at')
>;

type StateFacts = { tone: Tone; shape: Shape; text: string };

const SOON_MS = 14 * DAY_MS;
const UNUSED_MS = 90 * DAY_MS;
/** How long a quarantined key still works. */
const QUARANTINE_MS = 3_600_000;
/** The longest overlap of a rotation. */
const OVERLAP_MS_MAX = 7 * DAY_MS;

export function keyState(key: StatedKey, nowMs: number, isRotated = false): StateFacts {
  const { keyStates } = en;
  const endsMs = key.expires_at === null ? null : Date.parse(key.expires_at);
  if (key.revoked_at !== null) return { tone: 'bad', shape: 'cross', text: keyStates.revoked };
  if (key.quarantined_at !== null) {
    const leftMs = Date.parse(key.quarantined_at) + QUARANTINE_MS - nowMs;
    const left = leftMs > 0 ? longestUnit(leftMs) : null;
    return { tone: 'bad', shape: 'triangle', text: keyStates.quarantined(left) };
  }
  if (key.disabled_at !== null) return { tone: 'dim', shape: 'pause', text: keyStates.disabled };
  if (endsMs !== null && endsMs <= nowMs) {
    return { tone: 'dim', shape: 'ring', text: keyStates.expired };
  }
  if (endsMs !== null && isRotated && endsMs - nowMs <= OVERLAP_MS_MAX) {
    return { tone: 'warn', shape: 'half', text: keyStates.ending(endText(endsMs, nowMs)) };
  }
  if (endsMs !== null && endsMs - nowMs <= SOON_MS) {
    return { tone: 'warn', shape: 'clock', text: keyStates.expiring(longestUnit(endsMs - nowMs)) };
  }
  return { tone: 'good', shape: 'full', text: keyStates.active };
}

const endText = (atMs: number, nowMs: number): string =>
  atMs - nowMs < DAY_MS ? timeOfDay(new Date(atMs)) : dayText(new Date(atMs));

/** Shown beside the state: the key hasn't been used for 90 days. */
export const isUnused = (key: StatedKey, nowMs: number): boolean =>
  nowMs - Date.parse(key.last_used_at ?? key.created_at) > UNUSED_MS;
