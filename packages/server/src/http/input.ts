// Parses and validates input strictly: nothing is coerced, trimmed or dropped. Text that the
// database can't store exactly (NUL, unpaired surrogates) is rejected.
import { isUtf8 } from 'node:buffer';
import type { Endpoint } from '@keyrail/protocol/endpoint.ts';
import { JSON_DEPTH_MAX, STRANGERS_VALUES_MAX } from '@keyrail/protocol/wire/limits.ts';
import { ApiError, type Detail, invalid } from '../base/errors.ts';

type Part = 'body' | 'query' | 'path';

/** The part of a zod schema used here. Declared so that this file does not import zod. */
type Schema<T> = {
  safeParse(
    value: unknown,
  ): { success: true; data: T } | { success: false; error: { issues: readonly Issue[] } };
};

type Issue = { code: string; message: string; path: PropertyKey[]; keys?: string[] };

const DETAILS_MAX = 100;
const PATH_CHARS_MAX = 200;

const notJson = (cause?: unknown): ApiError =>
  new ApiError('invalid_request', 'The request body is not valid JSON.', { cause });

/** `valuesMax` matters for large bodies, because several checks visit every value. */
export function readJson(bytes: Uint8Array, valuesMax = Number.POSITIVE_INFINITY): unknown {
  const text = readText(bytes);
  refuseDeep(text, valuesMax);
  return parseText(text);
}

/**
 * Bodies sent without a credential are parsed before they are throttled, so they get a low limit.
 */
export const valuesMaxOf = ({ auth, bodyValuesMax }: Endpoint): number | undefined =>
  bodyValuesMax ?? (auth === 'none' ? STRANGERS_VALUES_MAX : undefined);

export function readText(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw notJson();
  const buffer = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString('utf8');
}

export function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw notJson(error);
  }
}

/**
 * Checks the text before it is parsed, because parsing a million nested levels would already do
 * damage.
 */
export function refuseDeep(text: string, valuesMax = Number.POSITIVE_INFINITY): void {
  if (!mayBeTooMuch(text, valuesMax)) return;
  let depth = 0;
  let values = 1;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (inString) {
      if (unit === 0x5c) at += 1;
      else if (unit === 0x22) inString = false;
    } else if (unit === 0x22) inString = true;
    else if (unit === 0x7b || unit === 0x5b) {
      depth += 1;
      if (depth > JSON_DEPTH_MAX) {
        throw invalid('body', [
          { path: '', message: `Nested more than ${JSON_DEPTH_MAX} levels deep.` },
        ]);
      }
    } else if (unit === 0x7d || unit === 0x5d) depth -= 1;
    else if (unit === 0x2c) {
      values += 1;
      if (values > valuesMax) {
        throw invalid('body', [{ path: '', message: `More than ${valuesMax} values.` }]);
      }
    }
  }
}

/**
 * Text with few brackets cannot be deeply nested, so most bodies need no character-by-character
 * scan.
 */
const mayBeTooMuch = (text: string, valuesMax: number): boolean =>
  hasMany(text, '{', JSON_DEPTH_MAX / 2) ||
  hasMany(text, '[', JSON_DEPTH_MAX / 2) ||
  (valuesMax !== Number.POSITIVE_INFINITY && hasMany(text, ',', valuesMax - 1));

function hasMany(text: string, mark: string, most: number): boolean {
  let at = text.indexOf(mark);
  for (let found = 1; at !== -1; found += 1) {
    if (found > most) return true;
    at = text.indexOf(mark, at + 1);
  }
  return false;
}

/**
 * Reports all errors together. If a field can't be stored, that is the only error reported for it.
 */
export function parsePart<T>(part: Part, schema: Schema<T>, value: unknown): T {
  const unstorable = isAllStorable(value) ? [] : findUnstorable(value);
  const parsed = schema.safeParse(value);
  if (parsed.success && unstorable.length === 0) return parsed.data;
  const reported = new Set(unstorable.map(({ path }) => path));
  const faults = parsed.success
    ? []
    : parsed.error.issues.flatMap((issue) => detailsOf(issue, value));
  const others = faults.filter(({ path }) => !reported.has(path));
  throw invalid(part, [...unstorable, ...others].slice(0, DETAILS_MAX));
}

/** For endpoints without a query or body: accepts an empty object only. */
export function refuseFields(part: Part, value: unknown): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(part, [{ path: '', message: 'This endpoint does not accept any fields.' }]);
  }
  const names = Object.keys(value);
  if (names.length > 0) throw invalid(part, unknownFields('', names));
}

function detailsOf(issue: Issue, value: unknown): Detail[] {
  const path = issue.path.map(String).join('.');
  if (issue.code !== 'unrecognized_keys' || !issue.keys) {
    const message = isMissing(issue, value) ? 'Required.' : issue.message;
    return [{ path: printable(path), message }];
  }
  return unknownFields(path, issue.keys);
}

/** Whether a required value is missing. Custom rules have their own messages. */
const isMissing = ({ code, path }: Issue, value: unknown): boolean =>
  code !== 'custom' &&
  path.length > 0 &&
  path.reduce((at, name) => Object(at)[name], value) === undefined;

/** At most DETAILS_MAX names, so that even thousands of unknown fields produce a small response. */
const unknownFields = (path: string, names: readonly string[]): Detail[] =>
  names.slice(0, DETAILS_MAX).map((name) => ({
    path: printable(path === '' ? name : `${path}.${name}`),
    message: 'Unknown field.',
  }));

/**
 * A quick check that builds no paths, because building them for half a million values would be
 * slow.
 */
function isAllStorable(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value);
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isAllStorable);
  for (const key of Object.keys(value)) {
    if (key === '__proto__' || !isStorable(key)) return false;
    if (!isAllStorable(Reflect.get(value, key))) return false;
  }
  return true;
}

/** Finds strings and member names that cannot be stored, with their paths. */
function findUnstorable(value: unknown, path = ''): Detail[] {
  if (typeof value === 'string') {
    return isStorable(value)
      ? []
      : [{ path: printable(path), message: 'Contains characters that are not allowed.' }];
  }
  if (typeof value !== 'object' || value === null) return [];
  const found: Detail[] = [];
  for (const [key, member] of Object.entries(value)) {
    const memberPath = path === '' ? key : `${path}.${key}`;
    if (key === '__proto__' || !isStorable(key)) {
      found.push({ path: printable(memberPath), message: 'This field name is not allowed.' });
    } else found.push(...findUnstorable(member, memberPath));
    if (found.length >= DETAILS_MAX) break;
  }
  return found;
}

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\u0000');

/** Shortens names from the caller, so that an error does not repeat a long name a hundred times. */
const printable = (path: string): string => {
  const shown = path.length > PATH_CHARS_MAX ? `${path.slice(0, PATH_CHARS_MAX)}…` : path;
  return shown.toWellFormed().replaceAll('\u0000', '\ufffd');
};
