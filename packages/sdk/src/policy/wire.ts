// Checks responses of the policy feed field by field. A malformed response, or one of another
// project or filter, is refused as a whole. Unknown fields are ignored.
import type { Env, RateLimitRule } from '../api/context.ts';
import { LIMIT_MAX, WINDOW_MS_MAX } from '../rate-limit-bounds.ts';
import type { Change, Entry } from './table/table.ts';

/** The feed that a response must belong to. */
export type Expected = {
  projectId: string;
  /** The environment that the feed must be limited to; null for both. */
  env: Env | null;
  /** The tenants that the feed must be limited to; null for all. */
  tenantIds: ReadonlySet<string> | null;
  /** Null before the first response, which sets it. */
  workspaceId: string | null;
  /** The maximum number of keys or changes that was requested. */
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

/** Why a response is refused; never quotes more than a field's name. */
export class FeedFault extends Error {
  override readonly name = 'FeedFault';
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const DIGEST_CHARS = 64;
const DIGIT_0 = 48;
const DIGIT_9 = 57;
const LETTER_A = 97;
const LETTER_F = 102;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const CURSOR_CHARS_MAX = 512;
/** The bounds of a key that the control plane accepts. */
const SCOPES_MAX = 64;
const RULES_MAX = 8;

/** Throws a FeedFault. */
export function readFeed(body: unknown, expected: Expected): SnapshotPage | Delta {
  const page = record(body, 'the response');
  const head = headOf(page, expected);
  if (page.object === 'policy_snapshot') {
    const keys = bounded(page.keys, 'keys', expected.entriesMax);
    const entries = keys.map((key) => entryOf(record(key, 'keys'), expected));
    return { kind: 'snapshot', ...head, entries, cursor: cursorOf(page.next_cursor) };
  }
  if (page.object === 'policy_delta') {
    const list = bounded(page.changes, 'changes', expected.entriesMax);
    const changes = list.map((change) => changeOf(record(change, 'changes'), expected));
    return { kind: 'delta', ...head, since: whole(page.since, 'since'), changes };
  }
  throw new FeedFault('object is neither policy_snapshot nor policy_delta');
}

function headOf(page: Fields, expected: Expected): Head {
  const workspaceId = matching(page.workspace_id, UUID, 'workspace_id');
  if (page.project_id !== expected.projectId) {
    throw new FeedFault('the response is for another project');
  }
  if (expected.workspaceId !== null && workspaceId !== expected.workspaceId) {
    throw new FeedFault('the response is for another workspace');
  }
  if (page.env !== expected.env) throw new FeedFault('the response is for another environment');
  if (typeof page.project_deleted !== 'boolean') throw new FeedFault('project_deleted is missing');
  return {
    workspaceId,
    version: whole(page.version, 'version'),
    projectDeleted: page.project_deleted,
    generatedAt: instant(page.generated_at, 'generated_at'),
  };
}

function changeOf(change: Fields, expected: Expected): Change {
  if (change.change === 'upsert') return { kind: 'upsert', entry: entryOf(change, expected) };
  // A removal is safe for any key, so its environment and tenant are not checked.
  if (change.change === 'remove') {
    return { kind: 'remove', lookupHash: digestIn(change.lookup_hash) };
  }
  // Not ignored: an unknown kind of change may be a removal.
  throw new FeedFault('a change has an unknown kind');
}

function entryOf(key: Fields, { env, tenantIds }: Expected): Entry {
  const entry = {
    lookupHash: digestIn(key.lookup_hash),
    keyId: matching(key.key_id, UUID, 'key_id'),
    tenantId: tenantIdOf(key.tenant_id),
    env: envOf(key.env),
    scopes: scopesOf(key.scopes),
    expiresAt:
      key.expires_at === null ? Number.POSITIVE_INFINITY : instant(key.expires_at, 'expires_at'),
    limits: rulesOf(key.rate_limits),
  };
  // A key outside the filter must not be admitted, even if the head of the response is right.
  if (env !== null && entry.env !== env) throw new FeedFault('a key has another environment');
  if (tenantIds !== null && !tenantIds.has(entry.tenantId)) {
    throw new FeedFault('a key belongs to a tenant that was not requested');
  }
  return entry;
}

/** Keys of one tenant often follow each other, so the last valid id is not checked again. */
let lastTenantId: unknown = null;

function tenantIdOf(value: unknown): string {
  if (typeof value === 'string' && value === lastTenantId) return value;
  const tenantId = matching(value, UUID, 'tenant_id');
  lastTenantId = tenantId;
  return tenantId;
}

function scopesOf(value: unknown): string[] {
  const scopes = bounded(value, 'scopes', SCOPES_MAX);
  if (areStrings(scopes)) return scopes;
  throw new FeedFault('scopes is not a list of strings');
}

function areStrings(values: unknown[]): values is string[] {
  for (const value of values) if (typeof value !== 'string') return false;
  return true;
}

const rulesOf = (value: unknown): RateLimitRule[] =>
  bounded(value, 'rate_limits', RULES_MAX).map((rule) => ruleOf(record(rule, 'rate_limits')));

function ruleOf({ id, limit, window_ms, algorithm, scope }: Fields): RateLimitRule {
  if (typeof id !== 'string') throw new FeedFault('rate_limits.id is not a string');
  if (algorithm !== 'sliding' && algorithm !== 'fixed') {
    throw new FeedFault('rate_limits.algorithm is not known');
  }
  if (scope !== 'key' && scope !== 'tenant') throw new FeedFault('rate_limits.scope is not known');
  const windowMs = whole(window_ms, 'rate_limits.window_ms', WINDOW_MS_MAX);
  return { id, limit: whole(limit, 'rate_limits.limit', LIMIT_MAX), windowMs, algorithm, scope };
}

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

function record(value: unknown, name: string): Fields {
  if (isFields(value)) return value;
  throw new FeedFault(`${name} is not an object`);
}

function list(value: unknown, name: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw new FeedFault(`${name} is not a list`);
}

function bounded(value: unknown, name: string, most: number): unknown[] {
  const values = list(value, name);
  if (values.length <= most) return values;
  throw new FeedFault(`${name} has more than ${most} items`);
}

function matching(value: unknown, form: RegExp, name: string): string {
  if (typeof value === 'string' && form.test(value)) return value;
  throw new FeedFault(`invalid ${name}`);
}

/** Faster than a regular expression; there may be a million digests. */
function digestIn(value: unknown): string {
  if (typeof value === 'string' && value.length === DIGEST_CHARS && isLowerHex(value)) return value;
  throw new FeedFault('invalid lookup_hash');
}

function isLowerHex(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    const isHex = (unit >= DIGIT_0 && unit <= DIGIT_9) || (unit >= LETTER_A && unit <= LETTER_F);
    if (!isHex) return false;
  }
  return true;
}

function whole(value: unknown, name: string, most = Number.MAX_SAFE_INTEGER): number {
  const isWhole = typeof value === 'number' && Number.isSafeInteger(value);
  if (isWhole && value >= 0 && value <= most) return value;
  throw new FeedFault(`${name} is not a whole number in its range`);
}

function instant(value: unknown, name: string): number {
  const at = Date.parse(matching(value, TIME, name));
  if (Number.isNaN(at)) throw new FeedFault(`${name} is not a valid time`);
  return at;
}

function envOf(value: unknown): Env {
  if (value === 'live' || value === 'test') return value;
  throw new FeedFault('env is neither live nor test');
}

function cursorOf(value: unknown): string | null {
  if (value === null) return null;
  if (typeof value === 'string' && value !== '' && value.length <= CURSOR_CHARS_MAX) return value;
  throw new FeedFault('invalid next_cursor');
}
