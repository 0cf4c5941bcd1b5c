// For comparison with every read: minimal Fastify with one route that returns a small object.
import Fastify from 'fastify';
import { listenWithFastify } from './listen.ts';

const app = Fastify({ logger: false });
app.get('/', () => ({ object: 'greeting', text: 'hello', number: 1 }));
await listenWithFastify(app);
