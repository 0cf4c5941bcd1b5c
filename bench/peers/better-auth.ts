// A peer for decisions: better-auth's API-key plugin, which verifies one key repeatedly in a
// separate process, either on PostgreSQL (BENCH_URL) as in production, or on its in-memory store,
// which is meant for tests.
import { betterAuth } from 'better-auth';
import { memoryAdapter } from 'better-auth/adapters/memory';
import { getMigrations } from 'better-auth/db';
import { apiKey } from 'better-auth/plugins';
import pg from 'pg';
import type { Span } from '../load/contestants.ts';
import { runCommands } from '../load/worker-loop.ts';
import { repeat } from '../measure/overrun.ts';

const tables = { user: [], session: [], account: [], verification: [], apikey: [] };
const url = process.env.BENCH_URL;

/**
 * better-auth's tables are in a separate schema, because login roles can't create tables in the
 * store's schema.
 */
async function openPool(connectionString: string): Promise<pg.Pool> {
  const pool = new pg.Pool({ connectionString, max: 4, options: '-c search_path=peer' });
  await pool.query('create schema if not exists peer');
  return pool;
}

const options = {
  baseURL: 'http://localhost',
  secret: 'a-secret-of-the-benchmark-0123456789',
  database: url ? await openPool(url) : memoryAdapter(tables),
  emailAndPassword: { enabled: true },
  telemetry: { enabled: false },
  logger: { disabled: true },
  plugins: [apiKey({ rateLimit: { enabled: false } })],
};
if (url) await (await getMigrations(options)).runMigrations();
const auth = betterAuth(options);
const person = { email: 'a@example.com', password: 'a password of the benchmark', name: 'A' };
const { user } = await auth.api.signUpEmail({ body: person });
const { key } = await auth.api.createApiKey({ body: { userId: user.id } });

async function verify(): Promise<void> {
  const { valid } = await auth.api.verifyApiKey({ body: { key } });
  if (!valid) throw new Error('better-auth rejects its own key');
}

runCommands((span: Span) => repeat(span, () => verify));
