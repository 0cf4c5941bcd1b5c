// The least that could tell 200 nodes: a server that holds requests and answers all of them when
// something is posted, with as many bytes as a delta has, and stores nothing.
import Fastify, { type FastifyReply } from 'fastify';
import { listenAndAnnounce } from './announce.ts';

const BODY_CHARS = 480;

const app = Fastify();
let held: FastifyReply[] = [];
let version = 1;

app.get('/wait', (_request, reply) => {
  held.push(reply);
});
app.post('/news', async () => {
  version += 1;
  const told = held;
  held = [];
  const body = JSON.stringify({ version, padding: 'x'.repeat(BODY_CHARS) });
  for (const reply of told) reply.type('application/json').send(body);
  return { version };
});
await listenAndAnnounce(app);
