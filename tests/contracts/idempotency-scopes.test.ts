// Many scopes, each with three callers on two servers. The callers claim, die, pause until their
// locks have expired, and return late. In a small model, some order of the concurrent operations
// must lead to the same results. IDEMPOTENCY_SCOPES sets the number of scopes; a failure prints the
// history.
import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { inRun } from '@keyrail/testing/full-run.ts';
import { type Caller, harness } from '@keyrail/testing/harness.ts';
import { appBeside } from '@keyrail/testing/second-app.ts';
import { newScope } from '../laws/hot-fixtures.ts';

const SCOPES = Number(process.env.IDEMPOTENCY_SCOPES ?? inRun({ usual: 80, full: 500 }));
const AT_ONCE = 10;
const ROUNDS = 7;
const CALLERS = 3;
const LOCK_MS = 30_000;
const TTL_MS = 604_800_000;
/**
 * How far a step moves the clock. No sum of these is just below LOCK_MS, because on a slow machine
 * a lock might then expire too early.
 */
const SHIFTS_MS = [0, 0, 12_000, 40_000];

type Act = 'claim' | 'complete' | 'release' | 'heartbeat';
type Deed = { act: Act; token: string | null; status: number; said: string; given: string | null };

type State =
  | { kind: 'none' }
  | { kind: 'locked'; token: string; untilMs: number }
  | { kind: 'stored'; status: number };

/** Returns the expected response to a claim, and the state after it. */
function claimed(state: State, deed: Deed, nowMs: number): [string, State] {
  if (state.kind === 'stored') return [`replay ${state.status}`, state];
  const locked: State = { kind: 'locked', token: deed.given ?? '', untilMs: nowMs + LOCK_MS };
  if (state.kind === 'none') return ['execute false', locked];
  return state.untilMs > nowMs ? ['in_progress', state] : ['execute true', locked];
}

function stepped(state: State, deed: Deed, nowMs: number): [string, State] {
  if (deed.act === 'claim') return claimed(state, deed, nowMs);
  if (state.kind !== 'locked' || state.token !== deed.token) return ['lost', state];
  if (deed.act === 'release') return ['ok', { kind: 'none' }];
  if (deed.act === 'complete') return ['ok', { kind: 'stored', status: deed.status }];
  return ['ok', { ...state, untilMs: nowMs + LOCK_MS }];
}

/** Returns every state that is possible after these responses, for some order of the operations. */
function explained(states: State[], deeds: Deed[], nowMs: number): State[] {
  if (deeds.length === 0) return states;
  const reached = new Map<string, State>();
  for (const [at, deed] of deeds.entries()) {
    const after = states.flatMap((state) => {
      const [expected, next] = stepped(state, deed, nowMs);
      return expected === deed.said ? [next] : [];
    });
    if (after.length === 0) continue;
    for (const state of explained(after, deeds.toSpliced(at, 1), nowMs)) {
      reached.set(JSON.stringify(state), state);
    }
  }
  return [...reached.values()];
}

type Chance = () => number;

function chanceOf(seed: number): Chance {
  let state = seed + 1;
  return () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5;
    return ((state ^ (state >>> 12)) >>> 0) / 2 ** 32;
  };
}

/**
 * One scope and its callers. Each caller remembers the last lock it got, even if it has lost it
 * since.
 */
function openScope(callers: Caller[], seed: number) {
  const chance = chanceOf(seed);
  const request = { scope_hash: newScope(), env: 'live', ttl_ms: TTL_MS };
  const claim = { ...request, fingerprint: newScope() };
  const { ttl_ms: _, ...scope } = request;
  const tokens: (string | null)[] = new Array(CALLERS).fill(null);
  let states: State[] = [{ kind: 'none' }];
  const history: string[] = [];

  async function act(caller: number): Promise<Deed | null> {
    const call = callers[Math.floor(chance() * callers.length)];
    const token = tokens[caller] ?? null;
    const dice = chance();
    const status = 200 + Math.floor(chance() * 300);
    if (!call || dice < 0.15) return null; // paused or dead in this round
    if (token === null || dice < 0.5) {
      const answer = await call('POST /v1/idempotency/claim', claim);
      if (answer.state === 'execute') tokens[caller] = answer.lock_token;
      const more = { execute: ` ${answer.stolen}`, replay: ` ${answer.response?.status}` };
      const said = `${answer.state}${Reflect.get(more, answer.state) ?? ''}`;
      return { act: 'claim', token: null, status, said, given: answer.lock_token };
    }
    const which = (['complete', 'release', 'heartbeat', 'heartbeat'] as const)[
      Math.floor(chance() * 4)
    ];
    if (!which) return null;
    const more = which === 'complete' ? { status, ttl_ms: TTL_MS } : {};
    const input = { ...scope, lock_token: token, ...more };
    const { outcome } = await call(`POST /v1/idempotency/${which}`, input);
    return { act: which, token, status, said: outcome, given: null };
  }

  return {
    async round(nowMs: number): Promise<void> {
      const all = await Promise.all(tokens.map((_, caller) => act(caller)));
      const deeds = all.filter((deed) => deed !== null);
      history.push(`${nowMs}: ${deeds.map(({ act: what, said }) => `${what} ${said}`).join(', ')}`);
      states = explained(states, deeds, nowMs);
      ok(states.length > 0, `seed ${seed}: no order explains this:\n${history.join('\n')}`);
    },
    history,
  };
}

test('no matter what callers do, no request runs twice, and late completions are rejected', async (t) => {
  const app = await harness(t);
  const beside = appBeside(t, app.testApp, {});
  const callers = [app.as.liveKey, beside.as(app.tokens.liveKey)];
  const chance = chanceOf(SCOPES);
  const seen = new Map<string, number>();
  for (let first = 0; first < SCOPES; first += AT_ONCE) {
    const scopes = Array.from({ length: AT_ONCE }, (_, at) => openScope(callers, first + at));
    for (let round = 0; round < ROUNDS; round += 1) {
      const nowMs = app.clock.shiftMs();
      await Promise.all(scopes.map((scope) => scope.round(nowMs)));
      app.clock.shift(SHIFTS_MS[Math.floor(chance() * SHIFTS_MS.length)] ?? 0);
    }
    for (const word of scopes.flatMap(({ history }) => history.join(', ').match(WORDS) ?? [])) {
      seen.set(word, (seen.get(word) ?? 0) + 1);
    }
  }
  // Each kind of result must have occurred; otherwise the test proves little.
  for (const word of ['execute false', 'execute true', 'in_progress', 'replay', 'complete lost']) {
    ok((seen.get(word) ?? 0) > 5, `${word} occurred too rarely: ${JSON.stringify([...seen])}`);
  }
  equal(seen.has('mismatch'), false);
});

const WORDS = /execute (true|false)|in_progress|replay|mismatch|(complete|release|heartbeat) \w+/g;
