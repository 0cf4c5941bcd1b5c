// Canaries: after a full journey at the most verbose log level, no password, token, session, key or
// secret setting appears in the output, the store, its backup, the audit log or responses to
// others.
import { equal, ok } from 'node:assert/strict';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { openSink, type Sink } from '@keyrail/testing/smtp-sink.ts';
import { storeName } from '@keyrail/testing/test-app.ts';
import { until } from '@keyrail/testing/until.ts';
import pg from 'pg';
import {
  BOOTSTRAP_TOKEN,
  type Deployment,
  deploy,
  MASTER_KEY,
  type Running,
} from './deployment.ts';

const SMTP_PASSWORD = 'canary-password-of-the-mail-account';
const [PASSWORD, NEXT, THIRD] = [1, 2, 3].map((n) => `canary password number ${n} of a person`);
const EMAIL = 'ada@example.com';
/** A string that is submitted for explanation, but is not a key. */
const PASTED = 'canary of a text that somebody pasted';

/** Waits for an email, and returns the token it contains. */
async function arrived({ letters }: Sink, count: number): Promise<string> {
  await until(() => letters.length >= count);
  const token = /#token=(\S+)/.exec(letters.at(-1)?.parts['text/plain'] ?? '')?.[1];
  ok(token);
  return token;
}

/** Does everything that a team does; returns every secret that was used. */
async function journey({ as }: Running, sink: Sink): Promise<string[]> {
  const email = EMAIL;
  await as(null)('POST /v1/auth/users', { email, password: PASSWORD });
  const verification = await arrived(sink, 1);
  await as(null)('POST /v1/auth/email_verifications/consume', { token: verification });
  const first = await as(null)('POST /v1/auth/sessions', { email, password: PASSWORD });
  const person = as(first.token);
  const founded = await person('POST /v1/workspaces', { name: 'Acme', slug: 'acme' });
  const vendor = as(founded.secret_key.key);
  const rotated = await vendor('POST /v1/secret_keys/{id}/rotate', { id: founded.secret_key.id });
  const invited = await person('POST /v1/invites', { email: 'grace@example.com', role: 'admin' });
  const mailed = await arrived(sink, 2);
  const project = await vendor('POST /v1/projects', { name: 'Orders', slug: 'orders' });
  const tenant = await vendor('POST /v1/tenants', { external_id: 'customer' });
  const wanted = { project_id: project.id, tenant_id: tenant.id, env: 'live' };
  const key = await vendor('POST /v1/keys', wanted);
  await vendor('PATCH /v1/workspace', { embed_origins: ['https://app.example'] });
  const embed = await vendor('POST /v1/embed_tokens', wanted);
  for (const text of [key.key, `${key.key.slice(0, -1)}x`, PASTED]) {
    const explained = await vendor('POST /v1/keys/explain', { key: text });
    ok(!JSON.stringify(explained).includes(text.slice(16, -1)), 'an explanation repeats no key');
  }
  await vendor('POST /v1/keys/{id}/revoke', { id: key.id });
  const change = { current_password: PASSWORD, password: NEXT };
  await person('POST /v1/auth/me/password', change);
  await as(null)('POST /v1/auth/password_resets', { email });
  const reset = await arrived(sink, 3);
  await as(null)('POST /v1/auth/password_resets/consume', { token: reset, password: THIRD });
  const last = await as(null)('POST /v1/auth/sessions', { email, password: THIRD });
  const sessions = [first.token, last.token];
  const keys = [founded.secret_key.key, rotated.key, key.key, embed.token];
  return [verification, reset, invited.token, mailed, ...sessions, ...keys];
}

/** Makes requests that are rejected, with secrets in every possible place. */
async function refusals({ ask, url }: Running, secrets: string[]): Promise<string[]> {
  const answers: string[] = [];
  for (const secret of secrets) {
    for (const body of [
      { email: EMAIL, password: secret },
      { email: secret, password: secret },
      { email: EMAIL, password: `${secret}${'x'.repeat(300)}` },
      { email: EMAIL, password: secret, workspace_id: secret },
      { [secret]: secret },
    ]) {
      answers.push((await ask('POST /v1/auth/sessions', body)).text);
    }
    answers.push((await ask('POST /v1/auth/users', { email: EMAIL, password: 'short' })).text);
    answers.push((await ask('POST /v1/auth/email_verifications/consume', { token: secret })).text);
    answers.push((await ask('GET /v1/auth/me', {}, `${secret}x`)).text);
    const broken = await fetch(`${url}/v1/auth/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"password":"${secret}`,
    });
    answers.push(await broken.text());
    const query = new URLSearchParams({ token: secret });
    answers.push(await (await fetch(`${url}/v1/members?${query}`)).text());
  }
  // Errors about unknown fields are left out: they repeat the field's name, but only to the caller
  // that sent it.
  return answers.filter((text) => !text.includes('Unknown field.'));
}

/**
 * Returns everything in the store as text: every row on PostgreSQL, every file on the embedded
 * store.
 */
async function kept({ directory }: Deployment, databaseUrl: string | null): Promise<string> {
  if (databaseUrl === null) return textUnder(join(directory, 'database'));
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const tables = await client.query(`select oid::regclass::text as name from pg_class
      where relnamespace = 'keyrail'::regnamespace and relkind = 'r'`);
    const texts: string[] = [];
    for (const { name } of tables.rows) {
      const { rows } = await client.query(`select each::text as text from ${name} each`);
      texts.push(...rows.map(({ text }) => text));
    }
    return texts.join('\n');
  } finally {
    await client.end();
  }
}

/** Returns the content of a new, unencrypted backup. */
async function backedUp({ command, directory }: Deployment): Promise<string> {
  const { code, output } = await command('backup');
  equal(code, 0, output);
  const into = join(directory, 'backups');
  const [id = ''] = await readdir(into);
  const texts: string[] = [output];
  for (const name of await readdir(join(into, id))) {
    const bytes = await readFile(join(into, id, name));
    texts.push((name.endsWith('.zst') ? zstdDecompressSync(bytes) : bytes).toString());
  }
  return texts.join('\n');
}

async function textUnder(directory: string): Promise<string> {
  const texts: string[] = [];
  for (const name of await readdir(directory, { recursive: true })) {
    const path = join(directory, name);
    if ((await stat(path)).isFile()) texts.push(await readFile(path, 'latin1'));
  }
  return texts.join('\n');
}

test('no secret is printed, stored, logged or repeated in a response to someone else', async (t) => {
  const sink = await openSink({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ username }, _session, done) => done(null, { user: username }),
  });
  t.after(sink.close);
  const deployment = await deploy(t, {
    KEYRAIL_LOG_LEVEL: 'trace',
    KEYRAIL_MAIL: sink.url(`mailer:${SMTP_PASSWORD}`),
  });
  sink.behave('refuse');
  const server = await deployment.run();
  const faulted = until(() => deployment.printed().includes('failed to send an email'));
  const [issued] = await Promise.all([
    journey(server, sink),
    faulted.then(() => sink.behave('accept')),
  ]);
  const typed = [PASSWORD, NEXT, THIRD, PASTED];
  const secrets = [...issued, ...typed, BOOTSTRAP_TOKEN, MASTER_KEY, SMTP_PASSWORD];
  const everything = secrets.filter((secret) => secret !== undefined);
  equal(everything.length, 17);
  const answers = await refusals(server, everything);
  const session = issued[5] ?? '';
  const log = await server.ask('GET /v1/audit_logs', { limit: 200 }, session);
  equal(log.status, 200);
  ok(log.text.includes('workspace_invite.created'));
  equal((await server.stop()).code, 0);

  const places = {
    printed: deployment.printed(),
    kept: await kept(deployment, storeName === 'postgres' ? await superuserUrl(deployment) : null),
    // Both stores' backups contain the same lines, so testing one store is enough.
    ...(storeName === 'postgres' && { backedUp: await backedUp(deployment) }),
    logged: log.text,
    answered: answers.join('\n'),
  };
  ok(places.kept.includes(EMAIL), 'the search finds known text');
  if (storeName === 'postgres') {
    ok(places.backedUp?.includes(EMAIL), 'the search finds known text in the backup too');
  }
  ok(places.printed.includes('failed to send an email'), 'faults were printed too');
  for (const [place, text] of Object.entries(places)) {
    for (const secret of everything) {
      equal(text.includes(secret), false, `${secret} in what was ${place}`);
    }
  }
});

async function superuserUrl({ open }: Deployment): Promise<string> {
  const db = await open();
  const opening = {
    role: 'kr_worker' as const,
    scope: { workspaceId: null, envs: [] },
    deadline: { remainingMs: () => 3000 },
  };
  const asked = { text: 'select current_database()::text as name', values: [] };
  const { rows } = await db.once(opening, asked);
  await db.close();
  const url = new URL(process.env.KEYRAIL_TEST_POSTGRES ?? '');
  url.pathname = `/${rows[0]?.name}`;
  return url.toString();
}
