// A key may have 64 long scopes, so feed responses are limited by size as well as by number of
// keys.
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { readDelta } from './feed-delta.ts';
import { readSnapshot } from './feed-snapshot.ts';
import type { ChangeRow, FeedSource } from './rows.ts';

const KEYS = 3000;
const KEYS_MAX = 10_000;
const ANSWER_CHARS_MAX = 8_388_608;
/**
 * A response may exceed its limit by one statement's rows: 1,000 keys of 12,800 characters each.
 */
const SLACK_CHARS = 13_000_000;

const scopes = Array.from({ length: 64 }, (_, n) => `${n}`.padEnd(200, 's'));
const createdAt = new Date(0);

const rows: ChangeRow[] = Array.from({ length: KEYS }, (_, n) => ({
  id: randomUUID(),
  tenantId: randomUUID(),
  env: 'live',
  lookupHash: '',
  displayPrefix: '',
  scopes,
  expiresAt: null,
  rateLimits: null,
  isImported: false,
  shelf: 0,
  createdAt,
  version: n + 2,
  isRevoked: false,
  isDisabled: false,
  isRetired: false,
  isUnsupported: false,
}));

const following = (after: { id: string } | null, limit: number): ChangeRow[] => {
  const from = after ? rows.findIndex(({ id }) => id === after.id) + 1 : 0;
  return rows.slice(from, from + limit);
};

const version = KEYS + 1;
const feed: FeedSource = {
  now: new Date(0),
  loadHead: async () => ({
    workspaceId: '',
    version,
    floor: 1,
    isDeleted: false,
    defaultRateLimits: [],
  }),
  listEntries: async (_, { after, limit }) => following(after, limit),
  listChanges: async (_, { after, limit }) => following(after, limit),
  listDetails: async () => [],
};

const filter = { projectId: '', env: null, tenantIds: null, include: [], understands: [] };
const charsOf = ({ scopes: all }: { scopes: string[] }) => all.join('').length;

test('pages of very large keys are shorter, and together they contain every key exactly once', async () => {
  const seen: string[] = [];
  let after: Parameters<typeof readSnapshot>[1]['after'] = null;
  let pages = 0;
  for (;;) {
    const question = { filter, pageKeysMax: KEYS_MAX, keysMax: KEYS_MAX, after };
    const { entries, next } = await readSnapshot(feed, question);
    const chars = entries.reduce((sum, entry) => sum + charsOf(entry), 0);
    ok(chars <= ANSWER_CHARS_MAX + SLACK_CHARS, `${chars} characters`);
    seen.push(...entries.map(({ id }) => id));
    pages += 1;
    if (!next) break;
    after = { ...next, version };
  }
  ok(pages > 1);
  deepEqual(
    seen,
    rows.map(({ id }) => id),
  );
});

test('without paging, a snapshot of very large keys is rejected as too large', async () => {
  const question = { filter, pageKeysMax: null, keysMax: KEYS_MAX, after: null };
  await rejects(readSnapshot(feed, question), { code: 'snapshot_too_large' });
});

test('a node gets a snapshot if the keys in its delta are too large for one page', async () => {
  const far = await readDelta(feed, { filter, since: 1, changesMax: KEYS_MAX });
  equal(far.kind, 'snapshot');
});
