// Validates an origin as the user types, by the same rule as on the server.
import { isUnencrypted } from '@keyrail/protocol/wire/base-url.ts';
import { EMBED_ORIGIN } from '@keyrail/protocol/wire/embed-origin.ts';
import { EMBED_ORIGIN_CHARS_MAX } from '@keyrail/protocol/wire/limits.ts';
import { texts } from './texts.ts';

/** Says what is wrong with the origin; null if it is valid or still incomplete. */
export function originFault(origin: string, others: readonly string[]): string | null {
  const { faults } = texts;
  if (origin === '') return null;
  if (!/^https?:\/\//.test(origin)) return isBeginning(origin) ? null : faults.scheme;
  const rest = origin.replace(/^https?:\/\//, '');
  if (/[/?#]/.test(rest)) return faults.path;
  const [, host = '', port] = /^([^:]*)(?::(.*))?$/.exec(rest) ?? [];
  if (!/^[A-Za-z0-9.-]{0,253}$/.test(host)) return faults.host;
  if (port !== undefined && !/^\d{0,5}$/.test(port)) return faults.port;
  if (origin.length > EMBED_ORIGIN_CHARS_MAX) return faults.long;
  return others.includes(origin) ? faults.twice : null;
}

/** The beginning of a scheme, such as "htt", doesn't count as an error yet. */
const isBeginning = (text: string): boolean =>
  'https://'.startsWith(text) || 'http://'.startsWith(text);

export const isOrigin = (text: string): boolean =>
  EMBED_ORIGIN.test(text) && text.length <= EMBED_ORIGIN_CHARS_MAX;

export const isPlainHttp = (origin: string): boolean =>
  URL.canParse(origin) && isUnencrypted(origin);
