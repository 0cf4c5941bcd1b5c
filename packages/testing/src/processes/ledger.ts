// Compares the responses clients received with the server's data: no acknowledged write is lost, no
// rejected write exists, nothing happened twice, and the audit chain agrees.
import { equal, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Ask, ask, type Body, codeOf, type Outcome } from './http.ts';

export type Ledger = {
  token: string;
  /** Each request's outcome, by the name in the request. */
  fates: Map<string, Outcome>;
  /** IDs of acknowledged keys, by name. */
  acknowledged: Map<string, string>;
};

const PAGES_MAX = 500;

/** Creates a workspace; its first key is the credential of all later requests. */
export async function openLedger(url: string, bootstrapToken: string): Promise<Ledger> {
  const outcome = await patiently(url, {
    method: 'POST',
    path: '/v1/workspaces',
    token: bootstrapToken,
    body: { name: 'Acme', slug: `acme-${randomUUID().slice(0, 18)}` },
  });
  ok(outcome.kind === 'answered' && outcome.status === 201, JSON.stringify(outcome));
  return {
    token: textIn(outcome.body.secret_key, 'key'),
    fates: new Map(),
    acknowledged: new Map(),
  };
}

/** Performs one write and records its outcome. */
export async function writeOnce(
  url: string,
  ledger: Ledger,
  more: { agent?: Agent; timeoutMs?: number } = {},
): Promise<Outcome> {
  const name = randomUUID();
  const outcome = await ask(url, { ...writeOf(name, ledger), ...more });
  ledger.fates.set(name, outcome);
  if (outcome.kind === 'answered' && outcome.status === 201) {
    ledger.acknowledged.set(name, textIn(outcome.body, 'id'));
  }
  return outcome;
}

const writeOf = (name: string, { token }: Ledger): Ask => ({
  method: 'POST',
  path: '/v1/secret_keys',
  token,
  key: name,
  body: { env: 'test', name },
});

const REPEATED_MAX = 50;
const PAUSE_MS = 20;
const SERVED_MS_MAX = 60_000;

/** Repeats a request until it is served, because a busy server may reject it at first. */
async function patiently(url: string, asked: Ask): Promise<Outcome> {
  const end = performance.now() + SERVED_MS_MAX;
  for (;;) {
    const outcome = await ask(url, asked);
    const isBusy = outcome.kind === 'answered' && outcome.status === 503;
    if (!isBusy || performance.now() > end) return outcome;
    await sleep(PAUSE_MS);
  }
}

/**
 * Retries the latest writes that got no response, with their idempotency keys, until they get one.
 */
export async function repeatLost(url: string, ledger: Ledger): Promise<void> {
  const { fates, acknowledged } = ledger;
  const lost = [...fates.keys()].filter((name) => !acknowledged.has(name)).slice(-REPEATED_MAX);
  for (const name of lost) {
    const end = performance.now() + SERVED_MS_MAX;
    while (!acknowledged.has(name)) {
      const outcome = await ask(url, writeOf(name, ledger));
      if (outcome.kind === 'answered' && outcome.status === 201) {
        acknowledged.set(name, textIn(outcome.body, 'id'));
        continue;
      }
      ok(performance.now() < end, `a retried write still fails: ${JSON.stringify(outcome)}`);
      // The first attempt's transaction may still be open.
      await sleep(PAUSE_MS);
    }
  }
}

/** Resolves once `count` more writes have been acknowledged, no matter how busy the machine is. */
export async function writesOf({ acknowledged }: Ledger, count: number): Promise<void> {
  const wanted = acknowledged.size + count;
  const end = performance.now() + SERVED_MS_MAX;
  while (acknowledged.size < wanted) {
    ok(performance.now() < end, 'no write was acknowledged');
    await sleep(2);
  }
}

type Load = { stop(): Promise<void> };

/** Starts clients that each write in a loop until they are stopped. */
export function startWriting(clients: number, write: () => Promise<unknown>): Load {
  let stopped = false;
  const running = Array.from({ length: clients }, async () => {
    while (!stopped) await write();
  });
  return {
    stop: async () => {
      stopped = true;
      await Promise.all(running);
    },
  };
}

/** Compares the server's keys and audit log with the ledger. */
export async function audit(url: string, ledger: Ledger): Promise<{ keys: number }> {
  const { token, fates, acknowledged } = ledger;
  const keys = await listAll(url, token, '/v1/secret_keys?limit=1000');
  const byName = new Map<string, Body[]>();
  for (const key of keys) {
    const name = String(key.name);
    byName.set(name, [...(byName.get(name) ?? []), key]);
  }
  for (const [name, id] of acknowledged) {
    equal(byName.get(name)?.[0]?.id, id, `the acknowledged key ${id} is lost`);
  }
  for (const [name, outcome] of fates) {
    const times = byName.get(name)?.length ?? 0;
    ok(times <= 1, `a key was created ${times} times`);
    // A write that was retried until it was acknowledged exists, regardless of its first response.
    if (isRefused(outcome) && !acknowledged.has(name)) {
      equal(times, 0, `rejected but created: ${JSON.stringify(outcome)}`);
    }
  }
  await auditChain(url, token, keys.length);
  return { keys: keys.length };
}

/**
 * Whether the response says that nothing was done. A busy server may respond like this to any
 * write.
 */
function isRefused(outcome: Outcome): boolean {
  if (outcome.kind !== 'answered' || outcome.status < 400) return false;
  const { error } = outcome.body;
  const claim = typeof error === 'object' && error ? Reflect.get(error, 'outcome') : undefined;
  return outcome.status < 500 || claim === 'not_done';
}

async function auditChain(url: string, token: string, keys: number): Promise<void> {
  const outcome = await patiently(url, { path: '/v1/audit_logs/chain', token });
  ok(outcome.kind === 'answered' && outcome.status === 200, JSON.stringify(outcome));
  const chain = outcome.body;
  equal(chain.verified, true, JSON.stringify(chain));
  equal(chain.checked, chain.head_seq);
  const rows = await listAll(url, token, '/v1/audit_logs?limit=200');
  equal(rows.length, chain.head_seq);
  const created = rows.filter(({ action }) => action === 'secret_key.created');
  equal(created.length, keys, 'there is one audit row for each created key');
  equal(new Set(created.map(({ target_id }) => target_id)).size, keys);
}

export async function listAll(url: string, token: string, first: string): Promise<Body[]> {
  const all: Body[] = [];
  let path: string | undefined = first;
  for (let page = 0; path !== undefined && page < PAGES_MAX; page += 1) {
    const outcome: Outcome = await patiently(url, { path, token });
    ok(outcome.kind === 'answered' && outcome.status === 200, JSON.stringify(outcome));
    ok(Array.isArray(outcome.body.data));
    all.push(...outcome.body.data);
    path = /^<([^>]+)>/.exec(outcome.link ?? '')?.[1];
  }
  return all;
}

/** Asserts that the server never responded with 500 or cut off a response. */
export function assertDecent(ledger: Ledger): void {
  for (const outcome of ledger.fates.values()) {
    ok(outcome.kind !== 'cut', 'a response was interrupted');
    if (outcome.kind === 'lost' || outcome.status === 201) continue;
    equal(outcome.status, 503, JSON.stringify(outcome));
    equal(codeOf(outcome.body), 'unavailable', JSON.stringify(outcome));
  }
}

function textIn(value: unknown, name: string): string {
  const found: unknown = typeof value === 'object' && value ? Reflect.get(value, name) : undefined;
  if (typeof found !== 'string') throw new Error(`No ${name} in ${JSON.stringify(value)}`);
  return found;
}
