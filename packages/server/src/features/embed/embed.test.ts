// Minting, and what a token reaches: one tenant, one project, one environment, and no further.
import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { bench } from '../../../../../tests/bench.ts';

test('x', async (t) => {
  const held = await bench(t);
  const { call } = await held.embed();
  console.log(await call('GET /v1/embed/session'));
  const made = await call('POST /v1/embed/keys', { name: 'x' });
  console.log(made);
  console.log(await call('POST /v1/embed/keys/{id}/rotate', { id: made.id }));
  console.log(await call('POST /v1/embed/keys/{id}/revoke', { id: made.id }));
  console.log(await call('GET /v1/embed/keys/{id}/usage', { id: made.id }));
  console.log((await call('GET /v1/embed/keys', { include_revoked: true })).data.length);
  console.log(await held.as.nobody('GET /.well-known/jwks.json'));
  equal(1, 1);
});
