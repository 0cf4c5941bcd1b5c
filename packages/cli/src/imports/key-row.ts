// Turns a row of an import file into a key for the API. A plain key is hashed here, and is neither
// kept nor quoted in any message.
import type { Input } from '@keyrail/client';
import { DISPLAY_PREFIX, isImportable, looksOwn } from '@keyrail/protocol/wire/imported-key.ts';
import { lookupHash } from '@keyrail/protocol/wire/key-format.ts';
import {
  EXTERNAL_ID_CHARS_MAX,
  NAME_CHARS_MAX,
  RATE_LIMIT_MAX,
  RATE_LIMIT_MIN,
  RATE_LIMIT_RULES_MAX,
  RATE_LIMIT_WINDOW_MS_MAX,
  RATE_LIMIT_WINDOW_MS_MIN,
  SCOPE_CHARS_MAX,
  SCOPES_MAX,
} from '@keyrail/protocol/wire/limits.ts';
import { RATE_LIMIT_ID } from '@keyrail/protocol/wire/rate-limit-id.ts';
import { SHA256_HEX } from '@keyrail/protocol/wire/sha256-hex.ts';
import { isUuid } from '../input/given.ts';
import type { RateLimit } from '../input/rate-limits.ts';

export type ImportedKey = Input<'POST /v1/keys/import'>['body']['keys'][number];

/** The row isn't a valid key. The message never quotes a value, because it might be a key. */
export class InvalidRow extends Error {}

type Fields = Readonly<Record<string, unknown>>;

const OTHER_FIELDS = [
  'tenant_id',
  'tenant_external_id',
  'display_prefix',
  'name',
  'scopes',
  'meta',
  'rate_limits',
  'expires_at',
];

/** Returns the names of the fields that a row may have. */
export const fieldNames = (isPlain: boolean): readonly string[] => [
  isPlain ? 'key' : 'lookup_hash',
  ...OTHER_FIELDS,
];

/** Fields whose CSV cells contain JSON. */
const JSON_FIELDS: ReadonlySet<string> = new Set(['meta', 'rate_limits']);

/** Turns a CSV row into fields. Empty cells are left out. */
export function fieldsOfCells(names: readonly string[], cells: readonly string[]): Fields {
  if (cells.length !== names.length) {
    throw new InvalidRow(`has ${cells.length} cells, but the header has ${names.length}`);
  }
  const fields: Record<string, unknown> = {};
  for (const [at, name] of names.entries()) {
    const cell = cells[at] ?? '';
    if (cell !== '') fields[name] = valueIn(name, cell);
  }
  return fields;
}

function valueIn(name: string, cell: string): unknown {
  if (name === 'scopes' && !cell.startsWith('[')) return cell.trim().split(/\s+/);
  return JSON_FIELDS.has(name) || name === 'scopes' ? jsonIn(cell, name) : cell;
}

export function jsonIn(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidRow(`${what} isn't valid JSON`);
  }
}

/** Turns a row's fields into a key. Throws InvalidRow. */
export function keyOf(fields: unknown, isPlain: boolean): ImportedKey {
  if (!isObject(fields)) throw new InvalidRow('must be a JSON object');
  refuseUnknown(fields, isPlain);
  const { name, scopes, meta, rate_limits: rules, expires_at: end } = fields;
  const { hash, prefix } = isPlain ? hashed(fields) : given(fields);
  expect(name === undefined || isText(name, NAME_CHARS_MAX), FAULTS.name);
  expect(scopes === undefined || isScopes(scopes), FAULTS.scopes);
  expect(meta === undefined || isObject(meta), FAULTS.meta);
  expect(rules === undefined || isRules(rules), FAULTS.rules);
  expect(end === undefined || isTime(end), FAULTS.end);
  return {
    ...tenantOf(fields),
    lookup_hash: hash,
    display_prefix: prefix,
    ...(name !== undefined && { name }),
    ...(scopes !== undefined && { scopes }),
    ...(meta !== undefined && { meta }),
    ...(rules !== undefined && { rate_limits: rules }),
    ...(end !== undefined && { expires_at: end }),
  };
}

const FAULTS = {
  name: `name must have 1 to ${NAME_CHARS_MAX} characters`,
  scopes: `scopes must be a list of up to ${SCOPES_MAX} strings of 1 to ${SCOPE_CHARS_MAX} characters`,
  meta: 'meta must be a JSON object',
  rules: `rate_limits must be an array of up to ${RATE_LIMIT_RULES_MAX} rules, as in the API`,
  end: 'expires_at must be a time such as 2027-01-31T12:00:00Z',
};

function refuseUnknown(fields: Fields, isPlain: boolean): void {
  const known = fieldNames(isPlain);
  const unknown = Object.keys(fields).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new InvalidRow(unknownText(unknown, isPlain));
}

/** Returns the error message for a row with fields that aren't allowed. */
export function unknownText(names: readonly string[], isPlain: boolean): string {
  if (!isPlain && names.includes('key'))
    return 'contains a full key: use --plain to hash it locally';
  if (isPlain && names.includes('lookup_hash')) return 'contains a hash: remove --plain';
  return 'contains an unknown field';
}

function hashed({ key, display_prefix: prefix }: Fields): { hash: string; prefix: string } {
  expect(
    typeof key === 'string' && isImportable(key),
    'key must be 8 to 512 printable ASCII characters and must not start with kr_, krsk_ or krses_',
  );
  return { hash: lookupHash(key), prefix: prefix === undefined ? shownOf(key) : prefixOf(prefix) };
}

const SHOWN_CHARS_MAX = 14;

/**
 * Returns an imported key's display prefix: its first quarter, but never more characters than the
 * prefix of a key created by Keyrail.
 */
const shownOf = (key: string): string =>
  key.slice(0, Math.min(SHOWN_CHARS_MAX, Math.floor(key.length / 4)));

function given({ lookup_hash: hash, display_prefix: prefix }: Fields) {
  expect(
    typeof hash === 'string' && SHA256_HEX.test(hash.toLowerCase()),
    'lookup_hash must be a SHA-256 hash in hex',
  );
  return { hash: hash.toLowerCase(), prefix: prefixOf(prefix) };
}

function prefixOf(prefix: unknown): string {
  expect(
    typeof prefix === 'string' && DISPLAY_PREFIX.test(prefix) && !looksOwn(prefix),
    'display_prefix must have 1 to 24 printable ASCII characters and not look like a Keyrail key',
  );
  return prefix;
}

function tenantOf({ tenant_id: id, tenant_external_id: externalId }: Fields) {
  expect(
    (id === undefined) !== (externalId === undefined),
    'must have either tenant_id or tenant_external_id',
  );
  if (id === undefined) {
    expect(
      isText(externalId, EXTERNAL_ID_CHARS_MAX),
      `tenant_external_id must have 1 to ${EXTERNAL_ID_CHARS_MAX} characters`,
    );
    return { tenant_external_id: externalId };
  }
  expect(typeof id === 'string' && isUuid(id), 'tenant_id must be an ID');
  return { tenant_id: id };
}

function expect(isRight: boolean, message: string): asserts isRight {
  if (!isRight) throw new InvalidRow(message);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isText = (value: unknown, charsMax: number): value is string =>
  typeof value === 'string' && value !== '' && [...value].length <= charsMax;

const isScopes = (value: unknown): value is string[] =>
  Array.isArray(value) &&
  value.length <= SCOPES_MAX &&
  value.every((scope) => isText(scope, SCOPE_CHARS_MAX));

const isRules = (value: unknown): value is RateLimit[] =>
  Array.isArray(value) &&
  value.length <= RATE_LIMIT_RULES_MAX &&
  value.every(isRule) &&
  new Set(value.map(({ id }) => id)).size === value.length;

const RULE_FIELDS = 5;

const isRule = (value: unknown): value is RateLimit =>
  isObject(value) &&
  Object.keys(value).length === RULE_FIELDS &&
  typeof value.id === 'string' &&
  RATE_LIMIT_ID.test(value.id) &&
  isWithin(value.limit, RATE_LIMIT_MIN, RATE_LIMIT_MAX) &&
  isWithin(value.window_ms, RATE_LIMIT_WINDOW_MS_MIN, RATE_LIMIT_WINDOW_MS_MAX) &&
  (value.algorithm === 'sliding' || value.algorithm === 'fixed') &&
  (value.scope === 'key' || value.scope === 'tenant');

const isWithin = (value: unknown, min: number, max: number): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

const isTime = (value: unknown): value is string =>
  typeof value === 'string' && TIME.test(value) && !Number.isNaN(Date.parse(value));
