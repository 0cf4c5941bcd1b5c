// Hello world in Express, bare or protected by the SDK. BENCH_FEED is the port of the policy feed
// that the SDK polls.
import { randomBytes } from 'node:crypto';
import { mintCredential } from '@keyrail/protocol/wire/key-format.ts';
import express from 'express';
import { protect } from '../../packages/sdk/src/adapters/express.ts';
import { createKeyrail } from '../../packages/sdk/src/keyrail.ts';
import { BENCH_PROJECT } from '../sdk/keys.ts';
import { reportPort } from './listen.ts';

const app = express();
const feed = process.env.BENCH_FEED;
if (feed) {
  const { secret: secretKey } = mintCredential('secret_key', 'live', randomBytes);
  const url = `http://127.0.0.1:${feed}`;
  const keyrail = createKeyrail({ url, secretKey, projectId: BENCH_PROJECT, log: () => {} });
  if (!(await keyrail.ready())) throw new Error('the node received no policy');
  // Rate limits are off, because a rate-limit check requires a network call. Only the cost that the
  // SDK adds to every request is measured.
  app.use(protect(keyrail, { rateLimit: false, scopes: [] }));
}
app.get('/', (_, response) => void response.json({ text: 'hello' }));
const server = app.listen(0, '127.0.0.1', () => reportPort(server));
