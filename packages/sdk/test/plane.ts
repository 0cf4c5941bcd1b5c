// An in-memory control plane with a manual clock. It serves the feed page by page, holds polls,
// fails when a test tells it to, and records every request from the node.

import type { TestContext } from 'node:test';
import type { PolicyChange, PolicyEntry } from '@keyrail/protocol/objects/policy.ts';
import { mintCredential } from '@keyrail/protocol/wire/key-format.ts';
import { until } from '@keyrail/testing/until.ts';
import type { Env } from '../src/api/context.ts';
import type { Keyrail } from '../src/api/keyrail.ts';
import type { KeyrailOptions } from '../src/api/options.ts';
import { createNode } from '../src/keyrail.ts';
import type { Fetch } from '../src/transport.ts';
import { sha256Hex, uuidOf } from './entries.ts';
import { type ManualClock, manualClock } from './manual-clock.ts';
import { secretKeyOf } from './rig.ts';

export const PROJECT_ID = uuidOf(1, 8);
export const WORKSPACE_ID = uuidOf(2, 8);

export type Asked = {
  line: 'snapshot' | 'delta';
  query: URLSearchParams;
  headers: Headers;
  at: number;
};
/** Replaces the response; null sends the normal one. */
export type Fault = (asked: Asked) => Response | Promise<Response> | null;

type Kept = { version: number; change: PolicyChange };

export class Plane {
  readonly clock: ManualClock;
  readonly asked: Asked[] = [];
  version = 1;
  env: Env | null = null;
  isDeleted = false;
  /** Deltas can start only from versions above this one. */
  floor = 0;
  pageMax = 1_000;
  /** How far the control plane's clock is ahead of the node's. */
  aheadMs = 0;
  fault: Fault = () => null;
  readonly #keys = new Map<string, PolicyEntry>();
  readonly #changes = new Map<string, Kept>();
  #waiting = new Set<() => void>();
  #minted = 0;

  constructor(clock: ManualClock = manualClock()) {
    this.clock = clock;
  }

  /** Issues a key; the node still has to receive it through the feed. */
  issue(more: Partial<PolicyEntry> = {}): string {
    this.#minted += 1;
    const number = this.#minted;
    const env = more.env ?? 'live';
    const bytes = Buffer.from(sha256Hex(`minted ${number}`), 'hex');
    const { secret, lookupHash, displayPrefix } = mintCredential('api_key', env, (size) =>
      bytes.subarray(0, size),
    );
    const entry: PolicyEntry = {
      key_id: uuidOf(number, 3),
      tenant_id: uuidOf(number % 5, 4),
      env,
      lookup_hash: lookupHash,
      display_prefix: displayPrefix,
      scopes: [],
      expires_at: null,
      rate_limits: [],
      ...more,
    };
    this.#keys.set(secret, entry);
    this.#note(lookupHash, { change: 'upsert', ...entry });
    return secret;
  }

  /** Imports another product's key. */
  import(text: string, more: Partial<PolicyEntry> = {}): string {
    const entry: PolicyEntry = {
      key_id: uuidOf(this.#keys.size, 5),
      tenant_id: uuidOf(1, 4),
      env: 'live',
      lookup_hash: sha256Hex(text),
      display_prefix: 'Old key',
      scopes: [],
      expires_at: null,
      rate_limits: [],
      imported: true,
      ...more,
    };
    this.#keys.set(text, entry);
    this.#note(entry.lookup_hash, { change: 'upsert', ...entry });
    return text;
  }

  change(secret: string, more: Partial<PolicyEntry>): void {
    const entry = this.#keys.get(secret);
    if (!entry) return;
    const changed = { ...entry, ...more };
    this.#keys.set(secret, changed);
    this.#note(entry.lookup_hash, { change: 'upsert', ...changed });
  }

  revoke(secret: string): void {
    const entry = this.#keys.get(secret);
    if (!entry) return;
    this.#keys.delete(secret);
    const { key_id, tenant_id, env, lookup_hash } = entry;
    const change = { change: 'remove', key_id, tenant_id, env, lookup_hash } as const;
    this.#note(lookup_hash, { ...change, reason: 'revoked' });
  }

  /** Responds to all held polls, as if the policy had changed. */
  wake(): void {
    for (const go of this.#waiting) go();
    this.#waiting.clear();
  }

  #note(hash: string, change: PolicyChange): void {
    this.version += 1;
    this.#changes.set(hash, { version: this.version, change });
    this.wake();
  }

  readonly fetch: Fetch = async (text, init) => {
    const { pathname, searchParams: query } = new URL(text);
    const line = pathname.endsWith('snapshot') ? 'snapshot' : 'delta';
    const headers = new Headers(init.headers);
    const asked: Asked = { line, query, headers, at: this.clock.monotonicMs() };
    this.asked.push(asked);
    const faulty = this.fault(asked);
    if (faulty !== null) return faulty;
    const most = Number(query.get('max_keys'));
    if (line === 'snapshot') {
      return Response.json(this.snapshot(Number(query.get('cursor') ?? 0), most));
    }
    const since = Number(query.get('since'));
    if (since === this.version) await this.#held(Number(query.get('wait_ms')), init.signal ?? null);
    if (since === this.version) return new Response(null, { status: 304 });
    const isFar = since <= this.floor || since > this.version;
    return Response.json(isFar ? this.snapshot(0, most) : this.delta(since));
  };

  #held(ms: number, signal: AbortSignal | null): Promise<void> {
    if (ms === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const cancel = this.clock.after(ms, resolve);
      this.#waiting.add(() => {
        cancel();
        resolve();
      });
      signal?.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
    });
  }

  #head() {
    const at = this.clock.now() + this.aheadMs;
    return {
      workspace_id: WORKSPACE_ID,
      project_id: PROJECT_ID,
      env: this.env,
      version: this.version,
      project_deleted: this.isDeleted,
      generated_at: new Date(at).toISOString(),
    };
  }

  snapshot(from: number, most = this.pageMax): Record<string, unknown> {
    const all = this.isDeleted ? [] : [...this.#keys.values()];
    const next = from + Math.min(most, this.pageMax);
    const keys = all.slice(from, next);
    const cursor = next < all.length ? String(next) : null;
    return { object: 'policy_snapshot', ...this.#head(), keys, next_cursor: cursor };
  }

  delta(since: number): Record<string, unknown> {
    const newer = [...this.#changes.values()].filter(({ version }) => version > since);
    const changes = newer.map(({ change }) => change);
    return { object: 'policy_delta', ...this.#head(), since, changes };
  }
}

export type Watched = { plane: Plane; node: Keyrail; clock: ManualClock; logged: string[] };

/** Creates a node that uses this control plane. */
export function nodeOn(
  plane: Plane,
  options: Partial<KeyrailOptions> = {},
  chance: () => number = () => 0.5,
): Watched {
  const { clock } = plane;
  const logged: string[] = [];
  const log = (level: string, message: string) => void logged.push(`${level} ${message}`);
  const node = createNode(
    {
      url: 'https://plane.invalid',
      secretKey: secretKeyOf('live'),
      projectId: PROJECT_ID,
      telemetry: false,
      log,
      ...options,
    },
    { clock, chance, fetch: plane.fetch },
  );
  return { plane, node, clock, logged };
}

/**
 * Like `nodeOn`, but resolves once the node has its first policy; closes the node when the test
 * ends.
 */
export async function startedOn(
  t: TestContext,
  plane: Plane,
  options: Partial<KeyrailOptions> = {},
): Promise<Watched> {
  const watched = nodeOn(plane, options);
  t.after(() => watched.node.close());
  await until(() => watched.clock.pass(1).then(() => watched.node.state().version !== null));
  return watched;
}
