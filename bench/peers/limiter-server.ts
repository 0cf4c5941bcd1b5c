// The servers that a rate-limit check is compared with, each a bare Fastify route that accepts the
// same body. BENCH_PEER selects one: `trivial` responds immediately, `evalsha` calls a script that
// does nothing, `flexible` uses rate-limiter-flexible with the same two rules.
import Fastify from 'fastify';
import { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterUnion } from 'rate-limiter-flexible';
import { listenWithFastify } from './listen.ts';

type Body = { key_id: string; tenant_id: string; cost: number };

const SCRIPT = 'return {1, tonumber(ARGV[1]), 60000}';
const POINTS = 1_000_000_000;

const openRedis = (): Redis =>
  new Redis(process.env.BENCH_REDIS_URL ?? '', { enableAutoPipelining: true });

const openPeers: Record<string, () => Promise<(body: Body) => unknown>> = {
  trivial: async () => () => ({ object: 'greeting', text: 'hello', number: 1 }),
  evalsha: async () => {
    const redis = openRedis();
    const hash = String(await redis.script('LOAD', SCRIPT));
    return async ({ key_id, cost }) => {
      const result = await redis.evalsha(hash, 1, key_id, cost);
      if (!Array.isArray(result)) throw new Error('the script did not return a list');
      const [allowed, used, resetMs] = result;
      return { allowed: allowed === 1, used, resetMs };
    };
  },
  flexible: async () => {
    const storeClient = openRedis();
    const limiter = (keyPrefix: string, duration: number) =>
      new RateLimiterRedis({ storeClient, keyPrefix, points: POINTS, duration });
    const union = new RateLimiterUnion(limiter('burst', 1), limiter('day', 86_400));
    return async ({ key_id, cost }) => union.consume(key_id, cost);
  },
};

const respond = await openPeers[process.env.BENCH_PEER ?? '']?.();
if (!respond) throw new Error('BENCH_PEER is not set or names an unknown peer');
const app = Fastify({ logger: false });
app.post<{ Body: Body }>('/', (request) => respond(request.body));
await listenWithFastify(app);
