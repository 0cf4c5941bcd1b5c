// A node's side of the policy feed, as plainly as it can be written: read, fold, compare.
import type { AnyLine } from '@keyrail/protocol/endpoints/all.ts';
import type { Answer, Bench, Input } from './bench.ts';

export type Fed = {
  key_id: string;
  tenant_id?: string;
  env?: string;
  lookup_hash?: string;
  scopes?: string[];
  rate_limits?: unknown[];
  expires_at?: string | null;
  change?: 'upsert' | 'remove';
  reason?: string;
};

export type Page = {
  object: string;
  since: number;
  version: number;
  keys: Fed[];
  changes: Fed[];
  next_cursor: string | null;
};

/** What a node holds: a version and the keys it knows by id. */
export type Held = { version: number; keys: Map<string, Fed> };

const snapshot: AnyLine = 'GET /v1/policy/snapshot';
const delta: AnyLine = 'GET /v1/policy/delta';

export async function poll(
  { ask, tokens }: Bench,
  line: AnyLine,
  input: Input,
): Promise<Answer & { page: Page }> {
  const answer = await ask(line, input, { authorization: `Bearer ${tokens.liveKey}` });
  if (answer.status !== 200 && answer.status !== 304) throw new Error(answer.text);
  return { ...answer, page: answer.body as unknown as Page };
}

/** Reads a snapshot, page by page if it comes so; something may happen between pages. */
export async function readAll(
  held: Bench,
  input: Input,
  between: (page: Page) => Promise<void> = async () => {},
): Promise<Held> {
  const keys = new Map<string, Fed>();
  let version: number | undefined;
  let cursor: string | null = null;
  do {
    const asked: Input = cursor === null ? input : { ...input, cursor };
    const { page } = await poll(held, snapshot, asked);
    version ??= page.version;
    if (page.version !== version) throw new Error('a page of another version');
    for (const key of page.keys) keys.set(key.key_id, key);
    cursor = page.next_cursor;
    if (cursor !== null) await between(page);
  } while (cursor !== null);
  return { version, keys };
}

/** Applies what came since, until nothing has. */
export async function foldedFrom(held: Bench, input: Input, start: Held): Promise<Fed[]> {
  const { max_keys: _unused, ...filter } = input;
  let now = start;
  for (;;) {
    const { status, page } = await poll(held, delta, { ...filter, since: now.version });
    if (status === 304) return fold(now);
    now = page.object === 'policy_snapshot' ? await readAll(held, filter) : applied(now, page);
  }
}

/** What a node knows after a delta; the removal of a key that it never knew means nothing. */
export function applied(
  held: Pick<Held, 'keys'>,
  { version, changes }: { version: number; changes: readonly Fed[] },
): Held {
  const keys = new Map(held.keys);
  for (const { change, ...key } of changes) {
    if (change === 'remove') keys.delete(key.key_id);
    else keys.set(key.key_id, key);
  }
  return { version, keys };
}

/** In an order of its own, for comparing. */
export const fold = ({ keys }: Held): Fed[] =>
  [...keys.values()].toSorted((a, b) => (a.key_id < b.key_id ? -1 : 1));
