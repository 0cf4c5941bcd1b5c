// The previous release and the next one run side by side on one database under load, while the next
// one migrates it. "The previous release" is this tree; "the next" is a copy of it with one more
// migration of each kind CONTRIBUTING allows.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { storeName } from '@keyrail/testing/test-app.ts';
import { BOOTSTRAP_TOKEN, deploy, type Running } from './deployment.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const skip = storeName === 'embedded' && 'the embedded store has one process';

const EXPANSION = `-- A column and a table that only the next release uses.
alter table api_keys add column reviewed_at timestamptz;
alter table tenants add column tier int not null default 0;
alter table projects add constraint projects_named check (name <> '') not valid;
create table rollout_marks (
  id           uuid primary key,
  workspace_id uuid not null default reach_workspace(),
  marked_at    timestamptz not null
);
call protect('rollout_marks');
grant select on rollout_marks to kr_read;
`;

const RETRIES_MAX = 50;
const PAUSE_MS = 100;
const CALLERS = 3;
const LOCKED_SECONDS = 3;

/** The next release's program: the server's sources with one more migration. */
function nextRelease(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'kr-next-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const server = join(directory, 'packages', 'server');
  mkdirSync(server, { recursive: true });
  for (const part of ['src', 'assets', 'package.json']) {
    cpSync(join(ROOT, 'packages', 'server', part), join(server, part), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  symlinkSync(join(ROOT, 'packages/server/node_modules'), join(server, 'node_modules'));
  writeFileSync(join(server, 'src/db/migrations/9000_expand_next.sql'), EXPANSION);
  return join(server, 'src/main.ts');
}

type Load = { servers: Running[]; token: string; projectId: string; tenantId: string };
type Seen = { created: Set<string>; revoked: Set<string>; faults: string[] };

/** Calls one of the running servers. Retries only after a 503 or a closed connection. */
async function patientAsk(load: Load, ...[line, input]: Parameters<Running['ask']>) {
  for (let attempt = 0; ; attempt += 1) {
    const server = load.servers[attempt % load.servers.length];
    const answer = await server?.ask(line, input, load.token).catch(() => null);
    if (answer && answer.status !== 503) return answer;
    if (attempt >= RETRIES_MAX) throw new Error(`${line}: still ${answer?.status ?? 'closed'}`);
    await sleep(PAUSE_MS);
  }
}

/** Creates, reads and revokes keys until stopped. */
async function callAgainAndAgain(load: Load, seen: Seen, stop: AbortSignal): Promise<void> {
  for (let turn = 0; !stop.aborted; turn += 1) {
    load.servers.push(...load.servers.splice(0, 1)); // each call goes to the next server
    const name = `key ${turn}`;
    const made = await patientAsk(load, 'POST /v1/keys', {
      project_id: load.projectId,
      tenant_id: load.tenantId,
      env: 'live',
      name,
    });
    if (made.status !== 201) seen.faults.push(`create: ${made.status} ${made.text}`);
    const id = String(made.body.id);
    seen.created.add(id);
    const read = await patientAsk(load, 'GET /v1/keys/{id}', { id });
    if (read.status !== 200 || read.body.name !== name) seen.faults.push(`read: ${read.text}`);
    if (turn % 2 === 0) continue;
    const ended = await patientAsk(load, 'POST /v1/keys/{id}/revoke', { id });
    if (ended.status !== 200) seen.faults.push(`revoke: ${ended.status} ${ended.text}`);
    seen.revoked.add(id);
  }
}

async function found(server: Running): Promise<Load> {
  const founder = server.as(BOOTSTRAP_TOKEN);
  const { secret_key } = await founder('POST /v1/workspaces', { name: 'Acme', slug: 'acme' });
  const call = server.as(secret_key.key);
  const project = await call('POST /v1/projects', { name: 'API', slug: 'api' });
  const tenant = await call('POST /v1/tenants', { external_id: 'one' });
  const ids = { projectId: project.id, tenantId: tenant.id };
  return { servers: [server], token: secret_key.key, ...ids };
}

test('two releases serve one database while the newer one migrates it', { skip }, async (t) => {
  const deployment = await deploy(t);
  const before = await deployment.run('start');
  const next = nextRelease(t);
  const load = await found(before);
  const seen: Seen = { created: new Set(), revoked: new Set(), faults: [] };
  const stop = new AbortController();
  const callers = Array.from({ length: CALLERS }, () => callAgainAndAgain(load, seen, stop.signal));

  // A long transaction holds a lock that the migration needs, so the migration waits in short
  // steps.
  const locked = deployment.beyond(
    `begin; lock table keyrail.api_keys in access share mode; select pg_sleep(${LOCKED_SECONDS});
     commit`,
  );
  const after = await deployment.run('start', {}, next);
  await locked;
  load.servers.push(after);
  const migrated = seen.created.size;
  await sleep(20 * PAUSE_MS);

  // A process of the previous release may still be restarted at this point, for instance after a
  // crash.
  load.servers.splice(load.servers.indexOf(before), 1);
  await before.stop();
  const again = await deployment.run('start');
  load.servers.push(again);
  await sleep(20 * PAUSE_MS);
  load.servers.splice(load.servers.indexOf(again), 1);
  await again.stop();
  stop.abort();
  await Promise.all(callers);

  deepEqual(seen.faults, []);
  ok(migrated > 0, 'requests were served before and during the migration');
  ok(seen.created.size > migrated, 'and after it');
  const states = new Map<string, boolean>();
  for (const id of seen.created) {
    const { body } = await after.ask('GET /v1/keys/{id}', { id }, load.token);
    states.set(id, body.revoked_at !== null);
  }
  equal(states.size, seen.created.size);
  const revoked = [...states].filter(([, isRevoked]) => isRevoked).map(([id]) => id);
  deepEqual(new Set(revoked), seen.revoked, 'every acknowledged revocation is in force');
});
