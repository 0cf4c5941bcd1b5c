// Answers of the policy feed, checked field by field: what does not have the feed's form, or is
// the feed of somebody else, is refused as a whole. Fields that are not known are ignored.
import type { Env, RateLimitRule } from '../context.ts';
import type { Change, Entry } from './table.ts';

/** Whose feed it must be. */
export type Expected = {
  projectId: string;
  /** The environment the feed must be narrowed to; null for both. */
  env: Env | null;
  /** Null before the first answer, which fixes it. */
  workspaceId: string | null;
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

/** Why an answer is refused; never quotes more than a field's name. */
export class FeedFault extends Error {
  override readonly name = 'FeedFault';
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const DIGEST_CHARS = 64;
const [DIGIT_0, DIGIT_9, LETTER_A, LETTER_F] = [48, 57, 97, 102] as const;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const CURSOR_CHARS_MAX = 512;

/** Throws a FeedFault. */
export function readFeed(body: unknown, expected: Expected): SnapshotPage | Delta {
  const page = record(body, 'the answer');
  const head = headOf(page, expected);
  if (page.object === 'policy_snapshot') {
    const entries = list(page.keys, 'keys').map((key) => entryOf(record(key, 'keys')));
    return { kind: 'snapshot', ...head, entries, cursor: cursorOf(page.next_cursor) };
  }
  if (page.object === 'policy_delta') {
    const changes = list(page.changes, 'changes').map((one) => changeOf(record(one, 'changes')));
    return { kind: 'delta', ...head, since: whole(page.since, 'since'), changes };
  }
  throw new FeedFault('object is neither policy_snapshot nor policy_delta');
}

function headOf(page: Fields, expected: Expected): Head {
  const workspaceId = matching(page.workspace_id, UUID, 'workspace_id');
  if (page.project_id !== expected.projectId) throw new FeedFault('it is of another project');
  if (expected.workspaceId !== null && workspaceId !== expected.workspaceId) {
    throw new FeedFault('it is of another workspace');
  }
  if (page.env !== expected.env) throw new FeedFault('it is of another environment');
  if (typeof page.project_deleted !== 'boolean') throw new FeedFault('project_deleted is missing');
  return {
    workspaceId,
    version: whole(page.version, 'version'),
    projectDeleted: page.project_deleted,
    generatedAt: instant(page.generated_at, 'generated_at'),
  };
}

function changeOf(change: Fields): Change {
  if (change.change === 'upsert') return { kind: 'upsert', entry: entryOf(change) };
  if (change.change === 'remove') {
    return { kind: 'remove', lookupHash: digestIn(change.lookup_hash) };
  }
  // To leave it out would be to guess that it does not matter.
  throw new FeedFault('a change is of an unknown kind');
}

function entryOf(key: Fields): Entry {
  return {
    lookupHash: digestIn(key.lookup_hash),
    keyId: matching(key.key_id, UUID, 'key_id'),
    tenantId: tenantIdOf(key.tenant_id),
    env: envOf(key.env),
    scopes: scopesOf(key.scopes),
    expiresAt:
      key.expires_at === null ? Number.POSITIVE_INFINITY : instant(key.expires_at, 'expires_at'),
    limits: list(key.rate_limits, 'rate_limits').map((rule) => ruleOf(record(rule, 'rate_limits'))),
  };
}

/** Keys of one tenant often follow each other: what was found right is not looked at again. */
let lastTenantId: unknown = null;

function tenantIdOf(value: unknown): string {
  if (typeof value === 'string' && value === lastTenantId) return value;
  const tenantId = matching(value, UUID, 'tenant_id');
  lastTenantId = tenantId;
  return tenantId;
}

function scopesOf(value: unknown): string[] {
  const scopes = list(value, 'scopes');
  if (areStrings(scopes)) return scopes;
  throw new FeedFault('scopes is not a list of strings');
}

function areStrings(values: unknown[]): values is string[] {
  for (const value of values) if (typeof value !== 'string') return false;
  return true;
}

function ruleOf({ id, limit, window_ms, algorithm, scope }: Fields): RateLimitRule {
  if (typeof id !== 'string') throw new FeedFault('rate_limits.id is not a string');
  if (algorithm !== 'sliding' && algorithm !== 'fixed') {
    throw new FeedFault('rate_limits.algorithm is not known');
  }
  if (scope !== 'key' && scope !== 'tenant') throw new FeedFault('rate_limits.scope is not known');
  const windowMs = whole(window_ms, 'rate_limits.window_ms');
  return { id, limit: whole(limit, 'rate_limits.limit'), windowMs, algorithm, scope };
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

function matching(value: unknown, form: RegExp, name: string): string {
  if (typeof value === 'string' && form.test(value)) return value;
  throw new FeedFault(`${name} does not have its form`);
}

/** As a pattern would, in a fraction of its time: there may be a million of them. */
function digestIn(value: unknown): string {
  if (typeof value === 'string' && value.length === DIGEST_CHARS && isLowerHex(value)) return value;
  throw new FeedFault('lookup_hash does not have its form');
}

function isLowerHex(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    const isHex = (unit >= DIGIT_0 && unit <= DIGIT_9) || (unit >= LETTER_A && unit <= LETTER_F);
    if (!isHex) return false;
  }
  return true;
}

function whole(value: unknown, name: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new FeedFault(`${name} is not a whole number`);
}

function instant(value: unknown, name: string): number {
  const at = Date.parse(matching(value, TIME, name));
  if (Number.isNaN(at)) throw new FeedFault(`${name} is no time`);
  return at;
}

function envOf(value: unknown): Env {
  if (value === 'live' || value === 'test') return value;
  throw new FeedFault('env is neither live nor test');
}

function cursorOf(value: unknown): string | null {
  if (value === null) return null;
  if (typeof value === 'string' && value !== '' && value.length <= CURSOR_CHARS_MAX) return value;
  throw new FeedFault('next_cursor does not have its form');
}
