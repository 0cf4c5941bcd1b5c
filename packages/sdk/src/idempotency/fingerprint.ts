// The two hashes that identify an idempotent request: the scope of its `Idempotency-Key`, and its
// fingerprint.
import { createHash } from 'node:crypto';
import { HEADER_CHARS_MAX } from '@keyrail/protocol/wire/header-bounds.ts';
import type { Env } from '../api/context.ts';

const KEY_CHARS_MAX = HEADER_CHARS_MAX['idempotency-key'];

/** Distinguishes identical idempotency keys from different callers or on different routes. */
export type Scope = {
  projectId: string;
  env: Env;
  tenantId: string | null;
  /** The ID of the API key; for an unverified key, its hash. */
  holder: string;
  method: string;
  route: string;
  idempotencyKey: string;
};

/** Describes the problem with an `Idempotency-Key`; null if it is valid. */
export function idempotencyKeyFault(key: string): string | null {
  if (key === '') return 'The Idempotency-Key header is empty.';
  if (key.length > KEY_CHARS_MAX) {
    return `The Idempotency-Key header is longer than ${KEY_CHARS_MAX} characters.`;
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it searches for control characters.
  if (/[\x00-\x1f\x7f]/.test(key)) return 'The Idempotency-Key header contains control characters.';
  return null;
}

/** Hashes a JSON list, so that the parts cannot run into each other. */
export function scopeHashOf(scope: Scope): string {
  const { projectId, env, tenantId, holder, method, route, idempotencyKey } = scope;
  const parts = [1, projectId, env, tenantId, holder, method.toUpperCase(), route, idempotencyKey];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

type Asked = { method: string; path: string; query: string; body: Uint8Array };

/**
 * SHA-256 of the method, path, query and body, separated by newlines. The query's pairs are sorted
 * by name and then by value, so that their order does not matter; the body is hashed byte by byte.
 */
export function fingerprintOf({ method, path, query, body }: Asked): string {
  return createHash('sha256')
    .update(`${method.toUpperCase()}\n${path}\n${sortedQuery(query)}\n`)
    .update(body)
    .digest('hex');
}

/**
 * Normalises the encoding of each pair. It works on bytes, because decoding as text would turn all
 * bytes that are not valid UTF-8, such as `%ff` and `%fe`, into the same character.
 */
function sortedQuery(query: string): string {
  const pairs = query.split('&').filter((pair) => pair !== '');
  const spelt = pairs.map((pair): [string, string] => {
    const at = pair.indexOf('=');
    const [name, value] = at === -1 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
    return [spell(name), spell(value)];
  });
  spelt.sort(([a, x], [b, y]) => compare(a, b) || compare(x, y));
  return spelt.map(([name, value]) => `${name}=${value}`).join('&');
}

/** Form encoding: a plus for a space, and percent escapes for all but a few characters. */
function spell(text: string): string {
  const plain = text.replaceAll('+', ' ');
  const bytes = Buffer.from(plain, 'utf8').toString('latin1');
  const decoded = bytes.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return decoded.replace(/[^A-Za-z0-9*._-]/g, (char) =>
    char === ' ' ? '+' : `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

/** Compares code units, so that the order does not depend on the locale. */
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
