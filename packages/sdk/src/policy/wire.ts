// Checks responses of the policy feed field by field; throws InvalidContent. A malformed response,
// or one for a different project or filter, is rejected as a whole. Unknown fields are ignored.
import { DISPLAY_PREFIX } from '@keyrail/protocol/wire/imported-key.ts';
import {
  CURSOR_CHARS_MAX,
  EXTERNAL_ID_CHARS_MAX,
  RATE_LIMIT_MAX,
  RATE_LIMIT_RULES_MAX,
  RATE_LIMIT_WINDOW_MS_MAX,
  SCOPES_MAX,
} from '@keyrail/protocol/wire/limits.ts';
import { UUID } from '@keyrail/protocol/wire/uuid.ts';
import type { Env, RateLimitRule } from '../api/context.ts';
import type { Include } from '../api/options.ts';
import {
  type Fields,
  InvalidContent,
  readBoolean,
  readInteger,
  readList,
  readRecord,
  readStrings,
  readText,
} from '../json.ts';
import type { Change, Entry, Extra } from './table/table.ts';

/** The feed that a response must belong to. */
type Expected = {
  projectId: string;
  /**
   * The environment that the feed must be limited to; null if it must contain live and test keys.
   */
  env: Env | null;
  /** The tenants that the feed must be limited to; null for all. */
  tenantIds: ReadonlySet<string> | null;
  /** The workspace; null before the first response, which sets it. */
  workspaceId: string | null;
  /** The additional fields that were requested. */
  include: readonly Include[];
  /** The maximum number of keys or changes that the node requested. */
  entriesMax: number;
};

type Head = {
  workspaceId: string;
  version: number;
  projectDeleted: boolean;
  /** Milliseconds since the epoch, by the server's clock. */
  generatedAt: number;
};

export type SnapshotPage = Head & { kind: 'snapshot'; entries: Entry[]; cursor: string | null };
export type Delta = Head & { kind: 'delta'; since: number; changes: Change[] };

const DIGEST_CHARS = 64;
const DIGIT_0 = 48;
const DIGIT_9 = 57;
const LETTER_A = 97;
const LETTER_F = 102;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export function readFeed(body: unknown, expected: Expected): SnapshotPage | Delta {
  const page = readRecord(body, 'the response');
  const head = headOf(page, expected);
  if (page.object === 'policy_snapshot') {
    const keys = readList(page.keys, 'keys', expected.entriesMax);
    const entries = keys.map((key) => entryOf(readRecord(key, 'keys'), expected));
    return { kind: 'snapshot', ...head, entries, cursor: cursorOf(page.next_cursor) };
  }
  if (page.object === 'policy_delta') {
    const list = readList(page.changes, 'changes', expected.entriesMax);
    const changes = list.map((change) => changeOf(readRecord(change, 'changes'), expected));
    return { kind: 'delta', ...head, since: readInteger(page.since, 'since'), changes };
  }
  throw new InvalidContent('object is neither policy_snapshot nor policy_delta');
}

function headOf(page: Fields, expected: Expected): Head {
  const workspaceId = readText(page.workspace_id, 'workspace_id', UUID);
  if (page.project_id !== expected.projectId) {
    throw new InvalidContent('the response is for another project');
  }
  if (expected.workspaceId !== null && workspaceId !== expected.workspaceId) {
    throw new InvalidContent('the response is for another workspace');
  }
  if (page.env !== expected.env)
    throw new InvalidContent('the response is for another environment');
  return {
    workspaceId,
    version: readInteger(page.version, 'version'),
    projectDeleted: readBoolean(page.project_deleted, 'project_deleted'),
    generatedAt: instant(page.generated_at, 'generated_at'),
  };
}

function changeOf(change: Fields, expected: Expected): Change {
  if (change.change === 'upsert') return { kind: 'upsert', entry: entryOf(change, expected) };
  // A removal is safe for any key, so its environment and tenant are not checked.
  if (change.change === 'remove') {
    return { kind: 'remove', lookupHash: digestIn(change.lookup_hash) };
  }
  // Not ignored, because an unknown kind of change may be a removal.
  throw new InvalidContent('a change has an unknown kind');
}

function entryOf(key: Fields, { env, tenantIds, include }: Expected): Entry {
  const entry: Entry = {
    lookupHash: digestIn(key.lookup_hash),
    keyId: readText(key.key_id, 'key_id', UUID),
    tenantId: tenantIdOf(key.tenant_id),
    env: envOf(key.env),
    scopes: readStrings(key.scopes, 'scopes', SCOPES_MAX),
    expiresAt:
      key.expires_at === null ? Number.POSITIVE_INFINITY : instant(key.expires_at, 'expires_at'),
    limits: rulesOf(key.rate_limits),
  };
  if (key.imported !== undefined && readBoolean(key.imported, 'imported')) {
    entry.importedPrefix = readText(key.display_prefix, 'display_prefix', DISPLAY_PREFIX);
  }
  // A key outside the filter must not be accepted, even if the response's head is correct.
  if (env !== null && entry.env !== env) {
    throw new InvalidContent('a key belongs to an environment that was not requested');
  }
  if (tenantIds !== null && !tenantIds.has(entry.tenantId)) {
    throw new InvalidContent('a key belongs to a tenant that was not requested');
  }
  if (include.length > 0) entry.extra = extraOf(key, include);
  return entry;
}

/** A missing field makes the response invalid, because handlers rely on the requested fields. */
function extraOf({ meta, tenant_external_id: id }: Fields, include: readonly Include[]): Extra {
  return {
    ...(include.includes('meta') && { meta: metaText(meta) }),
    ...(include.includes('externalId') && { tenantExternalId: externalIdIn(id) }),
  };
}

function metaText(meta: unknown): string {
  if (Array.isArray(meta)) throw new InvalidContent('meta is not an object');
  return JSON.stringify(readRecord(meta, 'meta'));
}

function externalIdIn(id: unknown): string {
  const isValid = typeof id === 'string' && id !== '' && id.length <= 2 * EXTERNAL_ID_CHARS_MAX;
  if (isValid) return id;
  throw new InvalidContent('invalid tenant_external_id');
}

/** Consecutive keys often belong to the same tenant, so the last valid ID is not checked again. */
let lastTenantId: unknown = null;

function tenantIdOf(value: unknown): string {
  if (typeof value === 'string' && value === lastTenantId) return value;
  const tenantId = readText(value, 'tenant_id', UUID);
  lastTenantId = tenantId;
  return tenantId;
}

const rulesOf = (value: unknown): RateLimitRule[] =>
  readList(value, 'rate_limits', RATE_LIMIT_RULES_MAX).map((rule) =>
    ruleOf(readRecord(rule, 'rate_limits')),
  );

function ruleOf({ id, limit, window_ms, algorithm, scope }: Fields): RateLimitRule {
  if (typeof id !== 'string') throw new InvalidContent('rate_limits.id is not a string');
  if (algorithm !== 'sliding' && algorithm !== 'fixed') {
    throw new InvalidContent('unknown rate_limits.algorithm');
  }
  if (scope !== 'key' && scope !== 'tenant') throw new InvalidContent('unknown rate_limits.scope');
  const windowMs = readInteger(window_ms, 'rate_limits.window_ms', RATE_LIMIT_WINDOW_MS_MAX);
  return {
    id,
    limit: readInteger(limit, 'rate_limits.limit', RATE_LIMIT_MAX),
    windowMs,
    algorithm,
    scope,
  };
}

/**
 * Checked without a regular expression, which would be slower, because there may be a million
 * digests.
 */
function digestIn(value: unknown): string {
  if (typeof value === 'string' && value.length === DIGEST_CHARS && isLowerHex(value)) return value;
  throw new InvalidContent('invalid lookup_hash');
}

function isLowerHex(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    const isHex = (unit >= DIGIT_0 && unit <= DIGIT_9) || (unit >= LETTER_A && unit <= LETTER_F);
    if (!isHex) return false;
  }
  return true;
}

function instant(value: unknown, name: string): number {
  const at = Date.parse(readText(value, name, TIME));
  if (Number.isNaN(at)) throw new InvalidContent(`${name} is not a valid time`);
  return at;
}

function envOf(value: unknown): Env {
  if (value === 'live' || value === 'test') return value;
  throw new InvalidContent('env is neither live nor test');
}

function cursorOf(value: unknown): string | null {
  if (value === null) return null;
  if (typeof value === 'string' && value !== '' && value.length <= CURSOR_CHARS_MAX) return value;
  throw new InvalidContent('invalid next_cursor');
}
