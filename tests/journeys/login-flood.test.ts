// A flood of logins: each one gets a response or is rejected with retry-after, the server stays up,
// and /healthz keeps responding.
import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { deploy } from './deployment.ts';

const AT_ONCE = 300;
const HEALTHY_MIN = 5;

test('excess logins are rejected during a flood, and /healthz keeps responding', async (t) => {
  const deployment = await deploy(t);
  const server = await deployment.run();
  await server.ask('POST /v1/auth/users', { email: 'ada@example.com', password: 'x'.repeat(20) });
  const login = (email: string) =>
    server.ask('POST /v1/auth/sessions', { email, password: 'not the right password' });
  let isOver = false;
  const flood = Promise.all(
    Array.from({ length: AT_ONCE }, (_, n) =>
      login(n % 2 ? 'ada@example.com' : `${n}@example.com`),
    ),
  ).finally(() => {
    isOver = true;
  });
  const waits: number[] = [];
  while (!isOver) {
    const began = performance.now();
    equal((await server.ask('GET /healthz')).status, 200);
    waits.push(performance.now() - began);
    await sleep(10);
  }
  const answers = await flood;
  const count = (status: number) => answers.filter((one) => one.status === status).length;
  equal(count(401) + count(429) + count(503), AT_ONCE);
  ok(count(401) > 0, 'no login was served');
  t.diagnostic(`${count(401)} served, ${count(429)} refused, ${count(503)} too late`);
  for (const { status, headers } of answers) if (status === 429) ok(headers['retry-after']);
  const sorted = waits.toSorted((a, b) => a - b);
  const within = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0);
  t.diagnostic(`/healthz: median ${within(0.5)} ms, p95 ${within(0.95)} ms`);
  ok(waits.length >= HEALTHY_MIN, `/healthz responded ${waits.length} times during the flood`);
  equal((await login('ada@example.com')).status, 401, 'the server works as before');
});
