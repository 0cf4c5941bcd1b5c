// The state of a key, from the object alone: the first that fits.
import type { Item } from '@keyrail/client';
import type { Words } from '../texts/texts.ts';
import { DAY_MS, HOUR_MS, momentText, relativeTime } from './times.ts';

export type ApiKey = Item<'GET /v1/embed/keys'>;

type Tone = 'good' | 'warn' | 'bad' | 'dim';
export type Shape = 'full' | 'half' | 'ring' | 'pause' | 'cross' | 'triangle' | 'clock';
type KeyState = { tone: Tone; shape: Shape; text: string; works: boolean };

const SOON_MS = 14 * DAY_MS;
/** A rotated key expires after this overlap at the latest. */
const OVERLAP_MS_MAX = 7 * DAY_MS;

type Moment = { nowMs: number; isRotated: boolean };

export function keyState(key: ApiKey, words: Words, { nowMs, isRotated }: Moment): KeyState {
  const ends = (tone: Tone, shape: Shape, text: string): KeyState => ({
    tone,
    shape,
    text,
    works: false,
  });
  if (key.revoked_at !== null) return ends('dim', 'cross', words['state.revoked']);
  if (key.quarantined_at !== null) return ends('bad', 'triangle', words['state.quarantined']);
  if (key.disabled_at !== null) return ends('dim', 'pause', words['state.disabled']);
  const leftMs = key.expires_at === null ? null : Date.parse(key.expires_at) - nowMs;
  if (leftMs !== null && leftMs <= 0) return ends('dim', 'ring', words['state.expired']);
  if (key.expires_at !== null && leftMs !== null && isRotated && leftMs <= OVERLAP_MS_MAX) {
    const text = words['state.ending'](momentText(key.expires_at, words, nowMs));
    return { tone: 'warn', shape: 'half', text, works: true };
  }
  if (key.expires_at !== null && leftMs !== null && leftMs <= SOON_MS) {
    const text = words['state.expiring'](relativeTime(key.expires_at, words, nowMs));
    return { tone: 'warn', shape: 'clock', text, works: true };
  }
  return { tone: 'good', shape: 'full', text: words['state.active'], works: true };
}

export const nameOf = ({ name }: Pick<ApiKey, 'name'>, words: Words): string =>
  name ?? words['list.unnamed'];

/** The last request was within the hour. */
export const isInUse = ({ last_used_at }: ApiKey, nowMs: number): boolean =>
  last_used_at !== null && nowMs - Date.parse(last_used_at) < HOUR_MS;
