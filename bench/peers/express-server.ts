// Hello world in Express, bare or protected by the SDK (BENCH_FEED names the port of its feed).
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
  // Rate limits are off, because checking them requires a network call. This measures the cost that
  // all requests have in common.
  app.use(protect(keyrail, { rateLimit: false, scopes: [] }));
}
app.get('/', (_, response) => void response.json({ text: 'hello' }));
const server = app.listen(0, '127.0.0.1', () => reportPort(server));
