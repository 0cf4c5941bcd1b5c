// The live/test boundary as a table: which routes and which inputs are denied to a test key.
import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../base/errors.ts';
import { BEYOND_BOUNDARY } from '../doors/miss.ts';
import type { Env, Reach } from '../doors/reach.ts';
import { type Boundary, envsOf, refuseBeyond, refuseNamedEnv } from './boundary.ts';
import type { Principal } from './principal.ts';

const held = { scopes: [], origins: [], expiresAt: new Date(0), expiresInMs: 0 };

const reach = (env: Env): Reach => ({
  workspaceId: '01890000-0000-7000-8000-000000000000',
  envs: envsOf(env),
  actor: { type: 'secret_key', id: null },
  authority: 'owner',
});

const testKey: Principal = {
  kind: 'secret_key',
  env: 'test',
  isQuarantined: false,
  isAllowedFrom: null,
  reach: reach('test'),
};

const unbound: Record<string, Principal> = {
  'live key': {
    kind: 'secret_key',
    env: 'live',
    isQuarantined: false,
    isAllowedFrom: null,
    reach: reach('live'),
  },
  session: { kind: 'session', userId: 'u', sessionId: 's', isVerified: true, reach: reach('live') },
  'session without a workspace': {
    kind: 'session',
    userId: 'u',
    sessionId: 's',
    isVerified: true,
    reach: null,
  },
  'test embed token': { kind: 'embed', env: 'test', reach: reach('test'), ...held },
  'bootstrap token': { kind: 'bootstrap' },
  nobody: { kind: 'nobody' },
};

const isBeyond = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'forbidden' && error.message === BEYOND_BOUNDARY;

test('a live credential works in both environments; a test credential works only in test', () => {
  deepEqual(envsOf('live'), ['live', 'test']);
  deepEqual(envsOf('test'), ['test']);
});

/** For each kind of route, whether a test key may use it to read, and to write. */
const passes: Record<Boundary, { reading: boolean; writing: boolean }> = {
  rows: { reading: true, writing: true },
  shared: { reading: true, writing: false },
  sharedCreate: { reading: true, writing: true },
  liveOnly: { reading: false, writing: false },
  none: { reading: true, writing: true },
};

for (const [boundary, { reading, writing }] of Object.entries(passes)) {
  for (const [isSafe, isPassed] of [
    [true, reading],
    [false, writing],
  ] as const) {
    const what = `${isSafe ? 'read' : 'write'} on a route with the boundary ${boundary}`;
    test(`a test key ${isPassed ? 'can' : 'cannot'} ${what}`, () => {
      const pass = () => refuseBeyond(testKey, boundary as Boundary, isSafe);
      if (isPassed) pass();
      else throws(pass, isBeyond);
      for (const other of Object.values(unbound)) {
        refuseBeyond(other, boundary as Boundary, isSafe);
      }
    });
  }
}

const inputs: [string, unknown[], boolean][] = [
  ['live in the query', [{ env: 'live' }, undefined], true],
  ['live in the body', [{}, { env: 'live' }], true],
  ['live in the body, test in the query', [{ env: 'test' }, { env: 'live' }], true],
  ['test in both', [{ env: 'test' }, { env: 'test' }], false],
  ['no environment', [{}, undefined], false],
  ['live in other fields', [{ name: 'live' }, { meta: { env: 'live' } }], false],
  ['a body that is not an object', [{}, 'live', null, Buffer.from('{"env":"live"}')], false],
];

for (const [what, values, isRefused] of inputs) {
  test(`a request from a test key with ${what} is ${isRefused ? 'denied' : 'allowed'}`, () => {
    const pass = () => refuseNamedEnv(testKey, ...values);
    if (isRefused) throws(pass, isBeyond);
    else pass();
    for (const other of Object.values(unbound)) refuseNamedEnv(other, ...values);
  });
}

test('a request denied at the live/test boundary gets the message the contract specifies', () => {
  equal(BEYOND_BOUNDARY, 'A test secret key cannot manage live resources.');
});
