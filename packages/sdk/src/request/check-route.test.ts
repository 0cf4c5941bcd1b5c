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

const wrong: [string, unknown][] = [
  ['scope', { scope: ['a'] }],
  ['scopes', { scopes: 'a' }],
  ['scopes', { scopes: [''] }],
  ['scopes', { scopes: [undefined] }],
  ['env', { env: 'prod' }],
  ['onNoPolicy', { onNoPolicy: 'open' }],
  ['readyWaitMs', { readyWaitMs: '2s' }],
  ['readyWaitMs', { readyWaitMs: -1 }],
  ['readyWaitMs', { readyWaitMs: Number.POSITIVE_INFINITY }],
  ['readyWaitMs', { readyWaitMs: Number.NaN }],
  ['rateLimit', { rateLimit: true }],
  ['rateLimit', { rateLimit: { costs: 2 } }],
  ['rateLimit', { rateLimit: { cost: '2' } }],
  ['idempotency', { idempotency: { onUnavailable: 'maybe' } }],
  ['idempotency', { idempotency: null }],
  ['toString', { toString: true }],
  ['options', null],
];

test('valid options are returned unchanged', () => {
  for (const route of good) equal(checkRoute(route), route);
});

for (const [name, route] of wrong) {
  test(`${JSON.stringify(route)} throws when the route is declared`, () => {
    throws(() => checkRoute(route as RouteOptions), {
      name: 'TypeError',
      message: `protect(): unknown or invalid option "${name}"`,
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
