// The lower bound for notifying many nodes: a server that holds requests and, on a POST, responds
// to all of them with as many bytes as a delta has. It stores nothing unless BENCH_URL names a
// database.
import Fastify, { type FastifyReply } from 'fastify';
import { listenWithFastify } from './listen.ts';
import { openStoredChanges } from './stored-changes.ts';

const BODY_CHARS = 480;

const { BENCH_URL: url } = process.env;
const store = url ? await openStoredChanges(url) : null;
const app = Fastify();
let held: FastifyReply[] = [];
let version = 1;

app.get('/wait', (_request, reply) => {
  held.push(reply);
});
app.get('/held', async () => ({ held: held.length }));
app.post('/change', async ({ headers }) => {
  const changes = await store?.(headers.authorization ?? '');
  version += 1;
  const waiting = held;
  held = [];
  const body = JSON.stringify({ version, changes, padding: 'x'.repeat(BODY_CHARS) });
  for (const reply of waiting) reply.type('application/json').send(body);
  return { version };
});
await listenWithFastify(app);
