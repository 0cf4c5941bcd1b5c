// Readers of the policy feed, each with its own filter, and steps that read the feed in unusual
// ways.
import { createHash } from 'node:crypto';
import { type Args, type Body, isOk, type Op, within } from '../history.ts';
import type { Step } from '../plan.ts';
import { send, type World } from '../world.ts';

export type Filter = { name: string; query: string };

const WAIT_MS = 1_000;
const PAGE_KEYS = 7;
/** A reader starts over after this many deltas. */
const DELTAS_MAX = 60;

const sumOf = (value: unknown) =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 12);

type Read = {
  reader: string;
  filter: Filter;
  at: number;
  since?: number;
  cursor?: string;
  more?: Args;
};

async function read(world: World, asked: Read): Promise<Op> {
  const { reader, filter, at, since, cursor = '', more = {} } = asked;
  const line = since === undefined ? 'snapshot' : 'delta';
  const query = new URLSearchParams(`project_id=${world.projectId}${filter.query}`);
  if (since !== undefined) query.append('since', String(since));
  if (since !== undefined && !more.isAhead) query.append('wait_ms', String(WAIT_MS));
  if (cursor) query.append('cursor', cursor);
  const args = { reader, filter: filter.name, project: world.projectId, cursor: cursor !== '' };
  const op = await send(world, reader, {
    kind: `feed.${line}`,
    args: { ...args, ...(since !== undefined && { since }), ...more },
    path: `/v1/policy/${line}?${query}`,
    at,
  });
  op.body = digested(op.body);
  world.version = Math.max(world.version, Number(op.body.version ?? 0));
  return op;
}

/** Keeps only what the checks compare. In a long soak, complete pages would use up the memory. */
function digested(body: Body): Body {
  const { object, version, since, next_cursor, keys, changes } = body;
  const all = [keys, changes].filter(Array.isArray).flat().map(Object);
  const kept = all.filter(({ change }) => change !== 'remove');
  const sums = kept.map(({ change: _, ...entry }): [string, string] => [
    String(entry.key_id),
    sumOf(entry),
  ]);
  return {
    object,
    version,
    since,
    next: next_cursor ?? null,
    entries: Object.fromEntries(sums),
    removed: all.filter(({ change }) => change === 'remove').map(({ key_id }) => key_id),
    unresolved: kept.some(({ rate_limits }) => !Array.isArray(rate_limits)),
  };
}

const nextOf = (op: Op) => String(within(op.body, 'next') ?? '');

/** Reads all pages of a snapshot; null if one of them can't be read. */
async function readAll(world: World, asked: Read): Promise<number | null> {
  let op = await read(world, asked);
  const version = Number(op.body.version);
  while (isOk(op) && nextOf(op)) op = await read(world, { ...asked, cursor: nextOf(op) });
  return isOk(op) ? version : null;
}

export type Reader = { stop(): Promise<void> };

/** Follows the feed until stopped. Every so often, it starts over with a fresh snapshot. */
export function startReader(world: World, filter: Filter, at: number): Reader {
  let isStopped = false;
  let turn = 0;
  const follow = async (): Promise<void> => {
    const reader = `reader-${at}-${turn}`;
    turn += 1;
    let version = await readAll(world, { reader, filter, at: at + turn });
    for (let n = 0; n < DELTAS_MAX && version !== null && !isStopped; n += 1) {
      const op = await read(world, { reader, filter, at: at + n, since: version });
      if (!isOk(op)) continue;
      const isSnapshot = op.body.object === 'policy_snapshot';
      const isPaged = isSnapshot && nextOf(op) !== '';
      if (op.status !== 304) version = Number(op.body.version);
      // Reads the remaining pages. If one of them fails, the reader starts over.
      let page = op;
      while (isPaged && isOk(page) && nextOf(page)) {
        page = await read(world, { reader, filter, at, cursor: nextOf(page) });
      }
      if (!isOk(page)) version = null;
    }
  };
  const running = (async () => {
    while (!isStopped) await follow();
  })();
  return {
    stop: async () => {
      isStopped = true;
      await running;
    },
  };
}

export const filtersOf = ({ tenants }: Pick<World, 'tenants'>): Filter[] => [
  { name: 'all', query: '' },
  { name: 'live', query: '&env=live' },
  { name: 'tenant', query: `&tenant_id=${tenants[0]}&max_keys=${PAGE_KEYS}` },
];

/**
 * Reads one snapshot in small pages while others write, then a delta with the changes made since.
 */
export async function readPages(world: World, client: string, { dice }: Step): Promise<void> {
  const filters = filtersOf(world);
  const { name, query } = filters[dice[1] % filters.length] ?? { name: 'all', query: '' };
  const paged = query.includes('max_keys') ? query : `${query}&max_keys=${PAGE_KEYS}`;
  const asked = {
    reader: `${client}-${world.fresh()}`,
    filter: { name, query: paged },
    at: dice[0],
  };
  const since = await readAll(world, asked);
  if (since !== null) await read(world, { ...asked, since });
}

/** Polls with a version that doesn't exist yet, as a node might after a restore. */
export async function pollAhead(world: World, client: string, { dice }: Step): Promise<void> {
  const filter = { name: 'ahead', query: '' };
  const since = world.version + 1_000_000;
  const reader = `${client}-${world.fresh()}`;
  await read(world, { reader, filter, at: dice[0], since, more: { isAhead: true } });
}

/**
 * Takes fresh snapshots at the end, both in one response and in pages, for comparison with every
 * reader's state.
 */
export async function readWhole(world: World, { name, query }: Filter): Promise<void> {
  const whole = query.replace(/&max_keys=\d+/, '');
  const paged = `${whole}&max_keys=${PAGE_KEYS}`;
  await readAll(world, { reader: `end-${name}`, filter: { name, query: whole }, at: 0 });
  const asked = { reader: `end-paged-${name}`, filter: { name, query: paged }, at: 0 };
  const since = await readAll(world, asked);
  if (since !== null) await read(world, { ...asked, since });
}
