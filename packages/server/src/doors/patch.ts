// Computes the fields that a PATCH changes, and the payload of its audit entry. An omitted field
// keeps its value; null and an empty array are values.
import { isDeepStrictEqual } from 'node:util';
import type { JsonValue } from '@keyrail/protocol/wire/audit-chain.ts';
import { columnName } from '../base/sql.ts';
import { wireTime } from '../base/wire-time.ts';
import type { Changed, Difference } from './actions.ts';

export type Patch<Fields> = { [Field in keyof Fields]?: Fields[Field] | undefined };

type Effect<Fields> = {
  values: Partial<Fields>;
  /** The names of the changed fields, as in the API. */
  names: string[];
  /** The audit entry's payload. */
  payload: Changed;
};

/**
 * Fields whose values never appear in the audit log: the vendor's own content, email addresses, and
 * webhook URLs, which may contain one of the receiver's secrets.
 */
const withheld: ReadonlySet<string> = new Set(['meta', 'billing_email', 'url']);

/**
 * Compares a patch with the stored fields. If `names` in the result is empty, the patch changes
 * nothing and nothing needs to be written.
 */
export function effectOf<Fields extends object>(
  current: Fields,
  patch: Patch<Fields>,
): Effect<Fields> {
  const values: Partial<Fields> = {};
  const names: string[] = [];
  const changes: Record<string, Difference> = {};
  for (const field in patch) {
    const value = patch[field];
    if (value === undefined || isDeepStrictEqual(asStored(value), current[field])) continue;
    const name = columnName(field); // in the API, fields are named like their columns
    values[field] = value;
    names.push(name);
    changes[name] = withheld.has(name) ? {} : differenceOf(current[field], value);
  }
  return { values, names, payload: { changed: names, changes } };
}

/**
 * Sets of strings, such as scopes, are compared by their members; all other fields by their value.
 */
function differenceOf(from: unknown, to: unknown): Difference {
  if (!isTexts(from) || !isTexts(to)) return { from: jsonOf(from), to: jsonOf(to) };
  return {
    added: to.filter((text) => !from.includes(text)),
    removed: from.filter((text) => !to.includes(text)),
  };
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

const jsonOf = (value: unknown): JsonValue =>
  value instanceof Date ? wireTime(value) : JSON.parse(JSON.stringify(value));

/** A round trip through JSON drops what JSON cannot store, such as the sign of negative zero. */
const asStored = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !(value instanceof Date)
    ? JSON.parse(JSON.stringify(value))
    : value;
