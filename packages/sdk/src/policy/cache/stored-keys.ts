// Reads keys and their terms (scopes and rate limits) from a cache file; throws InvalidContent. The
// files are encrypted and authenticated, but another version of the SDK may have written them.
import { DISPLAY_PREFIX } from '@keyrail/protocol/wire/imported-key.ts';
import {
  RATE_LIMIT_MAX,
  RATE_LIMIT_RULES_MAX,
  RATE_LIMIT_WINDOW_MS_MAX,
  SCOPES_MAX,
} from '@keyrail/protocol/wire/limits.ts';
import { SHA256_HEX } from '@keyrail/protocol/wire/sha256-hex.ts';
import { UUID } from '@keyrail/protocol/wire/uuid.ts';
import type { Env, RateLimitRule } from '../../api/context.ts';
import {
  InvalidContent,
  readInteger,
  readList,
  readRecord,
  readStrings,
  readText,
} from '../../json.ts';
import type { Change, Entry, Extra, TermsSource } from '../table/table.ts';

const ID = /^.{1,200}$/s;
const EXTERNAL_ID = /^.{1,400}$/s;
/** This check is enough, because JSON.stringify wrote the text and the file is authenticated. */
const JSON_OBJECT = /^\{.*\}$/s;

export function readChange(value: unknown): Change {
  const { kind, entry, lookupHash } = readRecord(value, 'a change');
  if (kind === 'upsert') return { kind, entry: readEntry(entry) };
  if (kind === 'remove')
    return { kind, lookupHash: readText(lookupHash, 'lookupHash', SHA256_HEX) };
  throw new InvalidContent('a change has an unknown kind');
}

function readEntry(value: unknown): Entry {
  const { lookupHash, keyId, tenantId, env, expiresAt, importedPrefix, extra, ...terms } =
    readRecord(value, 'a key');
  const read = readExtra(extra);
  return {
    lookupHash: readText(lookupHash, 'lookupHash', SHA256_HEX),
    keyId: readText(keyId, 'keyId', UUID),
    tenantId: readText(tenantId, 'tenantId', UUID),
    env: readEnv(env),
    ...(importedPrefix !== undefined && {
      importedPrefix: readText(importedPrefix, 'importedPrefix', DISPLAY_PREFIX),
    }),
    // JSON.stringify wrote Infinity ("never") as null.
    expiresAt: expiresAt === null ? Number.POSITIVE_INFINITY : readInteger(expiresAt, 'expiresAt'),
    ...readTerms(terms),
    ...(read && { extra: read }),
  };
}

/** Reads a key's extras; undefined if it has none. */
export function readExtra(value: unknown): Extra | undefined {
  if (value === undefined) return undefined;
  const { meta, tenantExternalId } = readRecord(value, 'an extra');
  return {
    ...(meta !== undefined && { meta: readText(meta, 'meta', JSON_OBJECT) }),
    ...(tenantExternalId !== undefined && {
      tenantExternalId: readText(tenantExternalId, 'tenantExternalId', EXTERNAL_ID),
    }),
  };
}

export function readTerms(value: unknown): TermsSource {
  const { scopes, limits } = readRecord(value, 'terms');
  return {
    scopes: readStrings(scopes, 'scopes', SCOPES_MAX),
    limits: readList(limits, 'limits', RATE_LIMIT_RULES_MAX).map(readRule),
  };
}

function readRule(value: unknown): RateLimitRule {
  const { id, limit, windowMs, algorithm, scope } = readRecord(value, 'limits');
  if (algorithm !== 'sliding' && algorithm !== 'fixed')
    throw new InvalidContent('invalid algorithm');
  if (scope !== 'key' && scope !== 'tenant') throw new InvalidContent('invalid scope');
  return {
    id: readText(id, 'id', ID),
    limit: readInteger(limit, 'limit', RATE_LIMIT_MAX),
    windowMs: readInteger(windowMs, 'windowMs', RATE_LIMIT_WINDOW_MS_MAX),
    algorithm,
    scope,
  };
}

function readEnv(value: unknown): Env {
  if (value === 'live' || value === 'test') return value;
  throw new InvalidContent('invalid env');
}
