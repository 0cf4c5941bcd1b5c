// Parsers that several settings share.
import { isIP } from 'node:net';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../base/duration.ts';
import { Secret } from '../base/secret.ts';
import { redisAddresses } from '../volatile/redis-addresses.ts';
import { Fault } from './setting.ts';

export function plainText(text: string): string {
  return text;
}

export function onOrOff(text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on';
  throw new Fault('must be on or off');
}

export function secretIf(isValid: boolean, text: string, message: string): Secret {
  if (isValid) return new Secret(text);
  throw new Fault(message);
}

export function wholeNumber(text: string, min: number, max: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) throw new Fault(`must be a whole number, ${min} to ${max}`);
  return value;
}

const UNITS_MS: Record<string, number> = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

/** Parses a duration such as `45s`, `10m`, `24h` or `30d`. */
export function durationMs(text: string, minMs: number, maxMs: number): number {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS_MS[unit] ?? Number.NaN);
  if (ms >= minMs && ms <= maxMs) return ms;
  const range = `${durationText(minMs)} to ${durationText(maxMs)}`;
  throw new Fault(`must be a duration such as 10m, 24h or 30d, ${range}`);
}

/** Formats a duration in the largest unit that divides it evenly. */
function durationText(ms: number): string {
  const [unit, unitMs] = Object.entries(UNITS_MS).findLast(([, each]) => ms % each === 0) ?? [];
  return `${ms / (unitMs ?? 1)}${unit ?? 'ms'}`;
}

const UNIT_BYTES: Record<string, number> = {
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  TiB: 1024 ** 4,
};

/** Parses a size such as `512KiB`, `256MiB`, `20GiB` or `1TiB`. */
export function sizeInBytes(text: string, minBytes: number): number {
  const [, count, unit = ''] = /^(\d{1,6})([KMGT]iB)$/.exec(text) ?? [];
  const bytes = Number(count) * (UNIT_BYTES[unit] ?? Number.NaN);
  if (bytes >= minBytes) return bytes;
  throw new Fault('must be a size such as 512KiB, 256MiB or 20GiB');
}

/** Parses a host name or an IP address, without a scheme or port. */
export function hostText(text: string): string {
  const isHost = isIP(text) === 6 || (/^[\w.-]+$/.test(text) && URL.canParse(`http://${text}`));
  if (!isHost) throw new Fault('must be an IP address or a host name');
  return text;
}

/**
 * Like the PostgreSQL driver, accepts a URL without a host, because a socket path can be set in its
 * query.
 */
export const isPostgres = (text: string): boolean =>
  /^postgres(ql)?:\/\//.test(text) && URL.canParse(text.replace('@/', '@socket/'));

export const isSmtp = (text: string): boolean =>
  /^smtps?:\/\/[^\s/?]+\/?(\?\S*)?$/.test(text) && URL.canParse(text);

/** Accepts `keyrail@example.com` or `Keyrail <keyrail@example.com>`. */
export const isSender = (text: string): boolean =>
  /^(?:[^<>\r\n]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/.test(text);

export const isRedis = (text: string): boolean =>
  /^unix:\S+$/.test(text) ||
  redisAddresses(text).every((url) => /^rediss?:\/\/[^\s/]/.test(url) && URL.canParse(url));
