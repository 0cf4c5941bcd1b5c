// A server that holds requests and answers them on a POST, like hold-server.ts, but stores the
// change first, as durably as Keyrail: it looks up its caller, revokes a key together with an audit
// row and a new version in one transaction, and reads the change that the held requests wait for.
import Fastify, { type FastifyReply } from 'fastify';
import pg from 'pg';
import { listenWithFastify } from './listen.ts';

const PADDING_CHARS = 400;
const KEYS = 1000;

const pool = new pg.Pool({ connectionString: process.env.BENCH_URL, max: 10 });
await pool.query(`
  create schema bare;
  create table bare.callers (hash text primary key);
  create table bare.keys (id int primary key, revoked_at timestamptz, version bigint);
  create index on bare.keys (version);
  create table bare.audit (id bigserial primary key, key_id int not null, at timestamptz not null);
  create table bare.versions (project int primary key, version bigint not null);
  insert into bare.versions values (1, 1);
  insert into bare.keys (id) select generate_series(1, ${KEYS})`);

async function revoke(id: number): Promise<number> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query({
      name: 'version',
      text: 'update bare.versions set version = version + 1 where project = 1 returning version',
    });
    const version = Number(rows[0].version);
    await client.query({
      name: 'revoke',
      text: 'update bare.keys set revoked_at = now(), version = $2 where id = $1',
      values: [id, version],
    });
    await client.query({
      name: 'audit',
      text: 'insert into bare.audit (key_id, at) values ($1, now())',
      values: [id],
    });
    await client.query('commit');
    return version;
  } finally {
    client.release();
  }
}

const changesAfter = async (version: number): Promise<object[]> => {
  const text = 'select id, revoked_at, version from bare.keys where version > $1 order by version';
  return (await pool.query({ name: 'changes', text, values: [version] })).rows;
};

const app = Fastify();
let held: FastifyReply[] = [];
let lastId = 0;

app.get('/wait', (_request, reply) => {
  held.push(reply);
});
app.post('/change', async ({ headers }) => {
  const text = 'select hash from bare.callers where hash = $1';
  await pool.query({ name: 'caller', text, values: [headers.authorization] });
  lastId += 1;
  const version = await revoke(lastId);
  const changes = await changesAfter(version - 1);
  const waiting = held;
  held = [];
  const body = JSON.stringify({ version, changes, padding: 'x'.repeat(PADDING_CHARS) });
  for (const reply of waiting) reply.type('application/json').send(body);
  return { version };
});
await listenWithFastify(app);
