// A simulated node that polls one server's policy feed over real sockets, applies the responses,
// and throws if the version goes backwards. For tests with several server processes.
import { applied, type Fed, type Held, type Page } from './feed.ts';

export type Client = { url: string; token: string };

export type FeedQuery = {
  project_id: string;
  env?: string;
  tenant_id?: string[];
  max_keys?: number;
  node?: string;
};

const WAIT_MS = 5000;

type Sent = { method?: string; body?: unknown };

/** Sends one request and returns its response, regardless of the status. */
export async function request(
  { url, token }: Client,
  path: string,
  { method = 'GET', body }: Sent = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : JSON.parse(text) };
}

function pathOf(line: string, query: Record<string, unknown>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value].flat()) search.append(name, String(each));
  }
  return `/v1/policy/${line}?${search}`;
}

async function pageOf(client: Client, line: string, query: object): Promise<Page | null> {
  const { status, body } = await request(client, pathOf(line, { ...query }));
  if (status === 304) return null;
  if (status !== 200) throw new Error(`${line}: ${status} ${JSON.stringify(body)}`);
  return body as unknown as Page;
}

export async function readSnapshot(client: Client, query: FeedQuery): Promise<Held> {
  const first = await pageOf(client, 'snapshot', query);
  if (!first) throw new Error('nothing to read: the first page is missing');
  return readOn(client, query, first);
}

async function readOn(client: Client, query: FeedQuery, first: Page): Promise<Held> {
  const keys = new Map<string, Fed>();
  for (let page: Page | null = first; page; ) {
    if (page.version !== first.version)
      throw new Error('a page is from a different policy version');
    for (const key of page.keys) keys.set(key.key_id, key);
    const cursor: string | null = page.next_cursor;
    page = cursor ? await pageOf(client, 'snapshot', { ...query, cursor }) : null;
  }
  return { version: first.version, keys };
}

/** Polls once. Returns the policy with the new changes applied, or null if there are none. */
async function readOnwards(
  client: Client,
  query: FeedQuery,
  { held, waitMs = 0 }: { held: Held; waitMs?: number },
): Promise<Held | null> {
  const since = held.version;
  const page = await pageOf(client, 'delta', { ...query, since, wait_ms: waitMs });
  if (!page) return null;
  if (page.version <= since) throw new Error(`version ${page.version} was served after ${since}`);
  return page.object === 'policy_snapshot' ? readOn(client, query, page) : applied(held, page);
}

export async function catchUp(client: Client, query: FeedQuery, start: Held): Promise<Held> {
  for (let held = start; ; ) {
    const next = await readOnwards(client, query, { held });
    if (!next) return held;
    held = next;
  }
}

export type RunningNode = {
  query: FeedQuery;
  held(): Held | null;
  /** Drops the policy and loads it again. */
  restart(): void;
  stop(): Promise<Held>;
};

/** Polls until stopped, and then until up to date. */
export function startNode(client: Client, query: FeedQuery, waitMs = WAIT_MS): RunningNode {
  let held: Held | null = null;
  let generation = 0;
  let isStopped = false;
  const step = async (): Promise<void> => {
    const born = generation;
    const next = held
      ? await readOnwards(client, query, { held, waitMs })
      : await readSnapshot(client, query);
    // Responses to requests sent before a restart are dropped.
    if (next && born === generation) held = next;
  };
  const running = (async () => {
    while (!isStopped) await step();
  })();
  return {
    query,
    held: () => held,
    restart() {
      generation += 1;
      held = null;
    },
    async stop() {
      isStopped = true;
      await running;
      return catchUp(client, query, held ?? (await readSnapshot(client, query)));
    },
  };
}
