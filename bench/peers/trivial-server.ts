// A baseline for reads: a minimal Fastify server with one route that returns a small object.
import Fastify from 'fastify';
import { listenWithFastify } from './listen.ts';

const app = Fastify({ logger: false });
app.get('/', () => ({ object: 'greeting', text: 'hello', number: 1 }));
await listenWithFastify(app);
