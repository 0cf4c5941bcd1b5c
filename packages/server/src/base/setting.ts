// What a setting is, and the parsers that several of them share.
import { isIP } from 'node:net';
import { Secret } from './secret.ts';

export type Setting<T> = {
  name: string;
  meaning: string;
  /** As printed in the manual; null when the setting has none. */
  fallback: string | null;
  isSecret?: true;
  parse(text: string): T;
};

/** What a parser throws: the words after the setting's name. */
export class Fault extends Error {}

export function plainText(text: string): string {
  return text;
}

export function onOrOff(text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on';
  throw new Fault('must be on or off');
}

export function secretIf(isFine: boolean, text: string, words: string): Secret {
  if (isFine) return new Secret(text);
  throw new Fault(words);
}

export const isRedis = (text: string): boolean =>
  /^unix:\S+$/.test(text) || (/^rediss?:\/\/[^\s/]/.test(text) && URL.canParse(text));

export function wholeNumber(text: string, min: number, max: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) throw new Fault(`must be a whole number, ${min} to ${max}`);
  return value;
}

/** `10.0.0.1`, `::1`, or a range such as `10.0.0.0/8`. */
export function isAddress(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const bitsMax = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  if (bitsMax < 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax);
}
