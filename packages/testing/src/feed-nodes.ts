// Simulated nodes and a simulated server. The server runs the product's own logic on a model of the
// store. Requests and responses get lost, and nodes restart without a policy.
import { equal, ok } from 'node:assert/strict';
import { ApiError } from '@keyrail/server/base/errors.ts';
import { readDelta } from '@keyrail/server/features/policy/feed-delta.ts';
import { readSnapshot } from '@keyrail/server/features/policy/feed-snapshot.ts';
import {
  cursorPositionOf,
  type FeedFilter,
  readCursorPosition,
} from '@keyrail/server/features/policy/feed-view.ts';
import { presentDelta, presentSnapshot } from '@keyrail/server/features/policy/present.ts';
import { applied, fold, type Held } from './feed.ts';
import { detailsOf, type FeedModel, keysIn, readingOf } from './feed-model.ts';
import type { Chance } from './seeded-scheduler.ts';

export type Scene = {
  model: FeedModel;
  chance: Chance;
  turn(): Promise<void>;
  /** The server's maximum page size. */
  keysMax: number;
  /** The version each node has acknowledged, as the server records it. */
  acks: Map<string, number>;
};

type Asked = { filter: FeedFilter; pageKeysMax: number | null };

async function serveSnapshot(
  { model, turn, keysMax }: Scene,
  asked: Asked,
  cursor: string[] | null,
) {
  const { filter, pageKeysMax } = asked;
  const after = cursor && readCursorPosition(cursor, filter);
  const feed = readingOf(model.state, turn);
  const answer = await readSnapshot(feed, { filter, pageKeysMax, keysMax, after });
  const next = answer.next && cursorPositionOf(answer.next, answer.head.version, filter);
  return { ...presentSnapshot(answer, filter, null), next };
}

async function serveDelta(scene: Scene, { since, ...asked }: Asked & { since: number }) {
  const { model, turn, keysMax } = scene;
  const { filter, pageKeysMax } = asked;
  const begun = model.state;
  const changesMax = Math.min(pageKeysMax ?? keysMax, keysMax);
  const verdict = await readDelta(readingOf(begun, turn), { filter, since, changesMax });
  if (verdict.kind === 'snapshot') return serveSnapshot(scene, asked, null);
  if (verdict.kind === 'same') {
    equal(begun.head.version, since, 'a 304 was served, but the project has changed');
    return null;
  }
  equal(verdict.head.version, begun.head.version, "the delta's version differs from its head's");
  const ids = new Set(verdict.changes.map(({ id }) => id));
  equal(ids.size, verdict.changes.length, 'a key appears twice in a delta');
  return presentDelta(verdict, filter, since);
}

class Lost extends Error {}

const includedIn = ({ meta, tenantExternalId }: ReturnType<typeof detailsOf>) => ({
  ...(meta !== undefined && { meta }),
  ...(tenantExternalId !== undefined && { tenant_external_id: tenantExternalId }),
});

export class Node {
  readonly name: string;
  held: Held | null = null;
  readonly #scene: Scene;
  #asked: Asked;

  constructor(name: string, scene: Scene, asked: Asked) {
    this.name = name;
    this.#scene = scene;
    this.#asked = asked;
  }

  /** Restarts the node without a policy, possibly with a different filter. */
  restart(asked: Asked): void {
    this.held = null;
    this.#asked = asked;
  }

  /** Polls once. True if there was nothing new. */
  async poll(): Promise<boolean> {
    try {
      return this.held ? await this.#follow(this.held) : await this.#start();
    } catch (error) {
      if (error instanceof Lost) return false;
      if (!(error instanceof ApiError) || error.code !== 'snapshot_too_large') throw error;
      this.#asked = { ...this.#asked, pageKeysMax: 1 + this.#scene.chance.below(3) };
      return false;
    }
  }

  async #start(): Promise<boolean> {
    return this.#activate(await this.#overTheWire(() => this.#page(null)));
  }

  #page(cursor: string[] | null) {
    return serveSnapshot(this.#scene, this.#asked, cursor);
  }

  async #follow(held: Held): Promise<boolean> {
    const since = held.version;
    const page = await this.#overTheWire(() => {
      this.#scene.acks.set(this.name, since);
      return serveDelta(this.#scene, { ...this.#asked, since });
    });
    if (page?.object === 'policy_snapshot') return this.#activate(page);
    if (page) {
      ok(page.version > since, 'the version went backwards');
      this.held = applied(held, page);
    }
    this.holdsTheTruth();
    return page === null;
  }

  /** The previous policy stays in effect until the last page of the new one has arrived. */
  async #activate(first: Awaited<ReturnType<typeof serveSnapshot>>): Promise<boolean> {
    ok(first.version >= (this.held?.version ?? 0), 'the version went backwards');
    const keys = new Map(first.keys.map((key) => [key.key_id, key]));
    for (let page = first; page.next; ) {
      const { next } = page;
      page = await this.#overTheWire(() => this.#page(next));
      equal(page.version, first.version, 'a page is from a different policy version');
      for (const key of page.keys) keys.set(key.key_id, key);
    }
    this.held = { version: first.version, keys };
    if (first.next === null) this.holdsTheTruth();
    return false;
  }

  /** Asserts that the node has exactly the model's keys at that version. */
  holdsTheTruth(): void {
    const { held } = this;
    const state = held && this.#scene.model.past.get(held.version);
    ok(held && state, 'the node has a version that never existed');
    const { filter } = this.#asked;
    const truth = keysIn(state, filter).map((key) => ({
      key_id: key.id,
      tenant_id: key.tenantId,
      env: key.env,
      lookup_hash: key.lookupHash,
      display_prefix: key.displayPrefix,
      scopes: key.scopes,
      expires_at: key.expiresAt?.toISOString() ?? null,
      rate_limits: key.rateLimits ?? state.head.defaultRateLimits,
      ...includedIn(detailsOf(key, filter.include)),
    }));
    const expected = fold({ version: 0, keys: new Map(truth.map((key) => [key.key_id, key])) });
    equal(JSON.stringify(fold(held)), JSON.stringify(expected));
  }

  /**
   * The request or its response may get lost, or the request may be served after the node has
   * stopped waiting.
   */
  async #overTheWire<T>(serve: () => Promise<T>): Promise<T> {
    const { chance, turn } = this.#scene;
    await turn();
    if (chance.percent(10)) throw new Lost();
    if (chance.percent(5)) {
      void turn()
        .then(serve)
        .catch(() => {});
      throw new Lost();
    }
    const answer = await serve();
    await turn();
    if (chance.percent(10)) throw new Lost();
    return answer;
  }
}
