// The peer of every read: the least that Fastify can do, a route that answers a small object.
import Fastify from 'fastify';
import { listenAndAnnounce } from './announce.ts';

const app = Fastify({ logger: false });
app.get('/', () => ({ object: 'greeting', text: 'hello', number: 1 }));
await listenAndAnnounce(app);
