// Parsers for setting values. Each throws a SettingFault whose message is meant to follow the
// setting's name.
import { readFileSync } from 'node:fs';
import { addressBlockFlaw } from '@keyrail/protocol/wire/address-block.ts';
import { parseCredential } from '@keyrail/protocol/wire/key-format.ts';
import { UUID_ANY_CASE } from '@keyrail/protocol/wire/uuid.ts';
import type { KeyrailOptions } from '@keyrail/sdk';
import { UNIX } from './trusted-proxies.ts';

/** A host and port, or a Unix socket. */
export type Place = { host: string; port: number } | { path: string };

/** One or more settings are invalid. The message lists them, one per line, without any secrets. */
export class SettingFault extends Error {}

export const oneOf =
  <T extends string>(...choices: readonly T[]) =>
  (text: string): T => {
    const found = choices.find((choice) => choice === text);
    if (found !== undefined) return found;
    throw new SettingFault(`must be ${choices.join(' or ')}`);
  };

/** Parses a list of URLs. The SDK makes all further checks. */
export function urlsIn(text: string): string[] {
  const urls = listIn(text);
  const isUrl = (one: string) => /^https?:\/\//i.test(one) && URL.canParse(one);
  if (urls.length > 0 && urls.every(isUrl)) return urls;
  throw new SettingFault('must be http:// or https:// URLs');
}

export function secretKeyIn(text: string): string {
  if (parseCredential(text)?.kind === 'secret_key') return text;
  throw new SettingFault('must be a complete secret key, krsk_…');
}

export function projectIdIn(text: string): string {
  if (UUID_ANY_CASE.test(text)) return text;
  throw new SettingFault('must be a UUID');
}

/** Parses the file as JSON. The SDK checks the keys in it. */
export function feedKeysIn(text: string): KeyrailOptions['feedKeys'] {
  if (text === 'jwks') return text;
  try {
    return JSON.parse(readFileSync(text, 'utf8'));
  } catch {
    throw new SettingFault('must be jwks or the path to a JSON file');
  }
}

/** Parses a whole number. The SDK checks the range. */
export function wholeIn(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new SettingFault('must be a whole number of milliseconds');
}

const PLACES_MAX = 8;
const PROXIES_MAX = 64;

export function placesIn(text: string): Place[] {
  const places = listIn(text).map(placeIn);
  if (places.length > 0 && places.length <= PLACES_MAX) return places;
  throw new SettingFault(`must list 1 to ${PLACES_MAX} addresses`);
}

function placeIn(text: string): Place {
  if (text.startsWith('unix:/')) return { path: text.slice('unix:'.length) };
  const place = addressIn(text);
  if (place) return place;
  throw new SettingFault('must be host:port or unix:/path');
}

function addressIn(text: string): Place | null {
  const [, host = '', port = ''] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  if (host === '' || Number(port) > 65_535) return null;
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
}

/** The relay has a separate address, so that a proxy in front of it exposes nothing else. */
export function relayPlaceIn(text: string): Place | null {
  if (text === 'off') return null;
  const place = addressIn(text);
  if (place) return place;
  throw new SettingFault('must be off, or the host:port for the relay to listen on');
}

export function proxiesIn(text: string): string[] {
  const proxies = listIn(text);
  const wanted = `must be up to ${PROXIES_MAX} IP addresses, CIDR blocks, or unix`;
  if (proxies.length > PROXIES_MAX) throw new SettingFault(wanted);
  for (const one of proxies) {
    const flaw = one === UNIX ? null : addressBlockFlaw(one);
    if (flaw !== null) throw new SettingFault(`${wanted} ("${one}" ${flaw})`);
  }
  return proxies;
}

export const listIn = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
