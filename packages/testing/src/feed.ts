// A minimal node, which reads the policy feed, applies changes and compares policies.
import type { AnyLine } from '@keyrail/protocol/endpoints/all.ts';
import type { Answer, Harness, Input } from './harness.ts';

export type Fed = {
  key_id: string;
  tenant_id?: string;
  env?: string;
  lookup_hash?: string;
  scopes?: string[];
  rate_limits?: unknown[];
  expires_at?: string | null;
  imported?: true | undefined;
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

/** A node's policy: a version and its keys by ID. */
export type Held = { version: number; keys: Map<string, Fed> };

const snapshot: AnyLine = 'GET /v1/policy/snapshot';
const delta: AnyLine = 'GET /v1/policy/delta';

export async function poll(
  { ask, tokens }: Harness,
  line: AnyLine,
  input: Input,
): Promise<Answer & { page: Page }> {
  const answer = await ask(line, input, { authorization: `Bearer ${tokens.liveKey}` });
  if (answer.status !== 200 && answer.status !== 304) throw new Error(answer.text);
  return { ...answer, page: answer.body as unknown as Page };
}

/** Reads all pages of a snapshot; `between` runs after each page but the last. */
export async function readAll(
  app: Harness,
  input: Input,
  between: (page: Page) => Promise<void> = async () => {},
): Promise<Held> {
  const keys = new Map<string, Fed>();
  let version: number | undefined;
  let cursor: string | null = null;
  do {
    const asked: Input = cursor === null ? input : { ...input, cursor };
    const { page } = await poll(app, snapshot, asked);
    version ??= page.version;
    if (page.version !== version) throw new Error('a page is from a different policy version');
    for (const key of page.keys) keys.set(key.key_id, key);
    cursor = page.next_cursor;
    if (cursor !== null) await between(page);
  } while (cursor !== null);
  return { version, keys };
}

/** Applies deltas until the node is up to date. */
export async function foldedFrom(app: Harness, input: Input, start: Held): Promise<Fed[]> {
  const { max_keys: _unused, ...filter } = input;
  let now = start;
  for (;;) {
    const { status, page } = await poll(app, delta, { ...filter, since: now.version });
    if (status === 304) return fold(now);
    now = page.object === 'policy_snapshot' ? await readAll(app, filter) : applied(now, page);
  }
}

/** Returns the policy after a delta. Removing an unknown key has no effect. */
export function applied(
  app: Pick<Held, 'keys'>,
  { version, changes }: { version: number; changes: readonly Fed[] },
): Held {
  const keys = new Map(app.keys);
  for (const { change, ...key } of changes) {
    if (change === 'remove') keys.delete(key.key_id);
    else keys.set(key.key_id, key);
  }
  return { version, keys };
}

/** Returns a policy's keys, sorted by ID for comparison. */
export const fold = ({ keys }: Held): Fed[] =>
  [...keys.values()].toSorted((a, b) => (a.key_id < b.key_id ? -1 : 1));
