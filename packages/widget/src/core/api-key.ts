// An API key in the list. Its state comes from the server. Only the time left is computed here.
import type { Item } from '@keyrail/client';
import { HOUR_MS } from '@keyrail/protocol/wire/durations.ts';
import type { Words } from '../texts/texts.ts';
import { momentText, relativeTime } from './times.ts';

export type ApiKey = Item<'GET /v1/embed/keys'>;

type Tone = 'good' | 'warn' | 'bad' | 'dim';
export type Shape = 'full' | 'half' | 'ring' | 'pause' | 'cross' | 'triangle' | 'clock';
type Look = { tone: Tone; shape: Shape };

const looks: Readonly<Record<ApiKey['state'], Look>> = {
  revoked: { tone: 'dim', shape: 'cross' },
  quarantined: { tone: 'bad', shape: 'triangle' },
  disabled: { tone: 'dim', shape: 'pause' },
  expired: { tone: 'dim', shape: 'ring' },
  expiring: { tone: 'warn', shape: 'clock' },
  active: { tone: 'good', shape: 'full' },
};

type Moment = { nowMs: number; isRotated: boolean };

export function shownState(key: ApiKey, words: Words, moment: Moment): Look & { text: string } {
  const { state, expires_at } = key;
  const look = looks[state];
  if (state !== 'expiring') return { ...look, text: words[`state.${state}`] };
  const { nowMs, isRotated } = moment;
  // A key is reloaded when it expires. Until the response arrives, it is shown as expiring now.
  const end = new Date(Math.max(Date.parse(expires_at ?? ''), nowMs)).toISOString();
  return isRotated
    ? { ...look, shape: 'half', text: words['state.ending'](momentText(end, words, nowMs)) }
    : { ...look, text: words['state.expiring'](relativeTime(end, words, nowMs)) };
}

/** When the next of these keys expires, or null if none will. Past expiries are ignored. */
export function nextEnd(keys: readonly ApiKey[], nowMs: number): number | null {
  const ends = keys
    .filter(({ state }) => state === 'expiring')
    .map(({ expires_at }) => Date.parse(expires_at ?? ''))
    .filter((endsMs) => endsMs > nowMs);
  return ends.length === 0 ? null : Math.min(...ends);
}

export const nameOf = ({ name }: Pick<ApiKey, 'name'>, words: Words): string =>
  name ?? words['list.unnamed'];

/** Whether the key was used within the last hour. */
export const isInUse = ({ last_used_at }: ApiKey, nowMs: number): boolean =>
  last_used_at !== null && nowMs - Date.parse(last_used_at) < HOUR_MS;
