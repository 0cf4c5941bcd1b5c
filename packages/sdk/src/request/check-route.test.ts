import { equal, throws } from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { protect as express } from '../adapters/express.ts';
import { protect as fastify } from '../adapters/fastify.ts';
import { protect as hono } from '../adapters/hono.ts';
import { protect as koa } from '../adapters/koa.ts';
import { protect as nest } from '../adapters/nest.ts';
import { protect as next } from '../adapters/next.ts';
import { protect as node } from '../adapters/node.ts';
import { protect as web } from '../adapters/web.ts';
import type { RouteOptions } from '../api/route.ts';
import { checkRoute } from './check-route.ts';
import { READY_WAIT_MS_MAX } from './ready-wait.ts';

const good: RouteOptions[] = [
  {},
  { scopes: [], env: 'live', onNoPolicy: 'allow', skip: false, name: '/x' },
  { rateLimit: false, idempotency: true },
  { readyWaitMs: 0 },
  { readyWaitMs: 60_000 },
  { rateLimit: { cost: 0, onUnavailable: 'deny' } },
  { idempotency: { required: true, ttlMs: 60_000, onUnavailable: 'allow' } },
  { scopes: undefined, rateLimit: { cost: undefined } },
];

const all = 'scopes, env, onNoPolicy, readyWaitMs, rateLimit, idempotency, skip, name';
const ofLimit = 'cost, onUnavailable, leases';
const scopes = `the option "scopes" must be a list of scopes, as in ['invoices:read']`;
const wait = `the option "readyWaitMs" must be a number from 0 to ${READY_WAIT_MS_MAX}`;

const wrong: [fault: string, unknown][] = [
  [
    `unknown option "scope" (did you mean "scopes"?); the valid options are ${all}`,
    { scope: ['a'] },
  ],
  [
    `unknown option "Scopes" (did you mean "scopes"?); the valid options are ${all}`,
    { Scopes: [] },
  ],
  [`unknown option "toString"; the valid options are ${all}`, { toString: true }],
  [`unknown option "${'s'.repeat(99)}"; the valid options are ${all}`, { ['s'.repeat(99)]: true }],
  [scopes, { scopes: 'a' }],
  [scopes, { scopes: [''] }],
  [scopes, { scopes: [undefined] }],
  [`the option "env" must be 'live' or 'test'`, { env: 'prod' }],
  [`the option "onNoPolicy" must be 'allow' or 'deny'`, { onNoPolicy: 'open' }],
  [wait, { readyWaitMs: '2s' }],
  [wait, { readyWaitMs: -1 }],
  [wait, { readyWaitMs: Number.POSITIVE_INFINITY }],
  [wait, { readyWaitMs: Number.NaN }],
  [`the option "rateLimit" must be false or an object with ${ofLimit}`, { rateLimit: true }],
  [
    `unknown option "rateLimit.costs" (did you mean "rateLimit.cost"?); the valid options are ${ofLimit}`,
    { rateLimit: { costs: 2 } },
  ],
  ['the option "rateLimit.cost" must be a number', { rateLimit: { cost: '2' } }],
  [
    `the option "idempotency.onUnavailable" must be 'allow' or 'deny'`,
    { idempotency: { onUnavailable: 'maybe' } },
  ],
  [
    'the option "idempotency" must be true, false or an object with required, ttlMs, onUnavailable',
    { idempotency: null },
  ],
  ['the option "skip" must be true or false', { skip: 1 }],
  [`the option "name" must be a string, as in '/invoices/:id'`, { name: '' }],
  ['the options must be an object', null],
];

test('valid route options are returned unchanged', () => {
  for (const route of good) equal(checkRoute(route), route);
});

for (const [fault, route] of wrong) {
  test(`${JSON.stringify(route)} throws when the route is declared, with a message that says what is valid`, () => {
    throws(() => checkRoute(route as RouteOptions), {
      name: 'TypeError',
      message: `protect(): ${fault}`,
    });
  });
}

test('every adapter checks its route options', () => {
  const route = { scope: ['a'] } as RouteOptions;
  const admit = () => Promise.reject(new Error('admit must not be called'));
  const keyrail = { admit, enter: admit };
  const answer = () => new Response();
  for (const protect of [express, fastify, hono, koa, nest]) {
    throws(() => protect(keyrail, route), TypeError);
  }
  throws(() => web(keyrail, route, answer), TypeError);
  throws(() => next(keyrail, route, answer), TypeError);
  throws(() => createServer(node(keyrail, route, answer)), TypeError);
});
