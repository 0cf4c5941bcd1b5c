// A baseline for reads: Fastify with one prepared point select per request, and no credentials,
// roles or row-level security.
import Fastify from 'fastify';
import pg from 'pg';
import { listenWithFastify } from './listen.ts';

const pool = new pg.Pool({
  connectionString: process.env.BENCH_URL,
  max: Number(process.env.BENCH_POOL_SIZE),
});
await pool.query('create schema bench');
await pool.query('create table bench.point (id int primary key, name text, value int)');
await pool.query(
  'insert into bench.point select n, md5(n::text), n from generate_series(1, 1000) n',
);

const app = Fastify({ logger: false });
app.get('/', async () => {
  const { rows } = await pool.query({
    name: 'point',
    text: 'select id, name, value from bench.point where id = $1',
    values: [500],
  });
  return rows[0];
});
await listenWithFastify(app);
