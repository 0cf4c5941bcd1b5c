// Hello world in Express, protected by the SDK against a real control plane. BENCH_LIMITS selects
// whether rate limits use leases, checks or neither. `/calls` returns how many rate-limit requests
// the node has sent.
import express from 'express';
import { protect } from '../../packages/sdk/src/adapters/express.ts';
import { createKeyrail } from '../../packages/sdk/src/keyrail.ts';
import { reportPort } from './listen.ts';

const {
  BENCH_URL: url = '',
  BENCH_TOKEN: secretKey = '',
  BENCH_PROJECT: projectId = '',
} = process.env;
const limits = process.env.BENCH_LIMITS;

let calls = 0;
const plainFetch = globalThis.fetch;
globalThis.fetch = (input, init) => {
  if (String(input).includes('/v1/ratelimit/')) calls += 1;
  return plainFetch(input, init);
};

const keyrail = createKeyrail({
  url,
  secretKey,
  projectId,
  rateLimitTimeoutMs: 30_000,
  log: console.error,
});
if (!(await keyrail.ready())) throw new Error('the node received no policy');
const rateLimit = limits === 'none' ? false : { leases: limits === 'leases' };
const app = express();
app.get('/calls', (_, response) => void response.json({ calls }));
app.get(
  '/',
  protect(keyrail, { rateLimit }),
  (_, response) => void response.json({ text: 'hello' }),
);
const server = app.listen(0, '127.0.0.1', () => reportPort(server));
