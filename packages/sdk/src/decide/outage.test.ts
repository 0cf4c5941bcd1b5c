// A day-long outage of the control plane, checked against a model: every decision is correct, none
// needs a request, and the node catches up afterwards.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { type Chance, chanceFrom } from '@keyrail/testing/seeded-scheduler.ts';
import { type Fault, nodeOn, Plane, type Watched } from '../../test/plane.ts';
import type { Decision } from '../api/decision.ts';
import type { RouteOptions } from '../api/route.ts';

const DAY_MS = 86_400_000;
const STEPS = 150;
const LOOKS = 60;
const SEEDS = 6;
const SCOPES = ['a', 'b', 'c'];

type ModelKey = { text: string; env: 'live' | 'test'; scopes: string[]; expiresAt: number };

/** Computes the expected decision with the simplest possible code. */
function expected(key: ModelKey | null, route: RouteOptions, now: number): string {
  if (!key) return 'unknown_key';
  if (key.expiresAt <= now) return 'expired';
  if (route.env && route.env !== key.env) return 'wrong_environment';
  const missing = (route.scopes ?? []).filter((scope) => !key.scopes.includes(scope));
  return missing.length > 0 ? `insufficient_scope ${missing}` : `allowed ${key.env} degraded`;
}

function resultOf(decision: Decision<{ env: string; degraded: boolean }>): string {
  if (!decision.allowed) {
    const { reason, missingScopes } = decision;
    return missingScopes.length > 0 ? `${reason} ${missingScopes}` : reason;
  }
  const { env, degraded } = decision.context;
  return `allowed ${env}${degraded ? ' degraded' : ''}`;
}

function fill(plane: Plane, chance: Chance): ModelKey[] {
  return Array.from({ length: 150 }, () => {
    const env = chance.pick(['live', 'test'] as const);
    const scopes = SCOPES.filter(() => chance.percent(50));
    const ends = chance.percent(60);
    const expiresAt = plane.clock.now() - DAY_MS + chance.below(3 * DAY_MS);
    const expires_at = ends ? new Date(expiresAt).toISOString() : null;
    const text = plane.issue({ env, scopes, expires_at });
    return { text, env, scopes, expiresAt: ends ? expiresAt : Number.POSITIVE_INFINITY };
  });
}

const outages: Fault[] = [
  () => Promise.reject(new TypeError('fetch failed')),
  () => new Response('bad gateway', { status: 502 }),
  () => new Response('<html>', { status: 200 }),
  () => Response.json({ error: { code: 'invalid_key', message: 'no' } }, { status: 401 }),
];

function look({ plane, node, clock }: Watched, keys: readonly ModelKey[], chance: Chance): void {
  const route: RouteOptions = {
    scopes: SCOPES.filter(() => chance.percent(30)),
    env: chance.percent(50) ? undefined : chance.pick(['live', 'test']),
    onNoPolicy: chance.pick(['allow', 'deny']),
  };
  const key = chance.percent(90) ? chance.pick(keys) : null;
  const text = key?.text ?? STRANGER;
  const asked = plane.asked.length;
  equal(resultOf(node.verify(text, route)), expected(key, route, clock.now()));
  equal(plane.asked.length, asked, 'a decision sent a request');
}

const STRANGER = new Plane().issue();

for (let seed = 0; seed < SEEDS; seed += 1) {
  test(`every decision is correct during a day-long outage (seed ${seed})`, async (t) => {
    const chance = chanceFrom(Number(process.env.KEYRAIL_TEST_FIRST_SEED ?? 0) + seed);
    const plane = new Plane();
    plane.issue(); // issues the key STRANGER, so that no later key has the same text
    plane.revoke(STRANGER);
    const keys = fill(plane, chance);
    const watched = nodeOn(plane, {}, () => chance.below(1_000) / 1_000);
    t.after(() => watched.node.close());
    await watched.clock.pass(1);
    equal(watched.node.state().degraded, false);

    plane.fault = (asked) => chance.pick(outages)(asked);
    plane.wake();
    await watched.clock.pass(60_000);
    const before = plane.asked.length;
    // Changes during the outage must not affect decisions.
    const [revoked] = keys;
    plane.revoke(revoked?.text ?? '');
    plane.issue();
    for (let step = 0; step < STEPS; step += 1) {
      for (let n = 0; n < LOOKS; n += 1) look(watched, keys, chance);
      await watched.clock.pass(chance.below((2 * DAY_MS) / STEPS));
    }
    ok(plane.asked.length - before < DAY_MS / 5_000, 'the node kept polling, but not too often');

    plane.fault = () => null;
    for (let step = 0; step < 12; step += 1) await watched.clock.pass(60_000);
    const { version, degraded } = watched.node.state();
    deepEqual([version, degraded], [plane.version, false]);
    equal(resultOf(watched.node.verify(revoked?.text ?? '')), 'unknown_key');
  });
}
