// A peer that stores a change as durably as Keyrail: it looks up its caller, revokes a key, adds an
// audit row and a new version in the same transaction, and reads the change back, as nodes do.
import pg from 'pg';

const KEYS = 1000;

const SCHEMA = `
  create schema bare;
  create table bare.callers (hash text primary key);
  create table bare.keys (id int primary key, revoked_at timestamptz, version bigint);
  create index on bare.keys (version);
  create table bare.audit (id bigserial primary key, key_id int not null, at timestamptz not null);
  create table bare.versions (project int primary key, version bigint not null);
  insert into bare.versions values (1, 1);
  insert into bare.keys (id) select generate_series(1, ${KEYS})`;

/** Returns a function that stores one change and resolves with it. */
export async function openStoredChanges(url: string): Promise<(caller: string) => Promise<object>> {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  await pool.query(SCHEMA);
  let lastId = 0;
  return async (caller) => {
    const found = 'select hash from bare.callers where hash = $1';
    await pool.query({ name: 'caller', text: found, values: [caller] });
    lastId += 1;
    const version = await revoke(pool, lastId);
    const text = 'select id, revoked_at, version from bare.keys where version > $1';
    return (await pool.query({ name: 'changes', text, values: [version - 1] })).rows;
  };
}

async function revoke(pool: pg.Pool, id: number): Promise<number> {
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
