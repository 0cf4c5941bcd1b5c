// Rows for the backup tests: a workspace with keys, users with open sessions, and values that are
// easy to get wrong when stored as text.
import { randomUUID } from 'node:crypto';
import { change, foundWorkspace, insertApiKey, insertProject, insertTenant } from './rows.ts';
import type { Store } from './store.ts';

/** Line endings, quotes, backslashes, and characters that some parsers treat as line endings. */
const ODD_TEXT = 'a\nb\r\n"c" \\ \u2028 \u2029 \u0001 ü 日本 🙂';

export async function furnish(store: Store): Promise<void> {
  const workspaceId = await foundWorkspace(store);
  const projectId = randomUUID();
  const tenantId = randomUUID();
  const place = { projectId, tenantId, env: 'live' as const };
  await change(store, { workspaceId }, { statements: [insertProject(projectId)] });
  await change(store, { workspaceId }, { statements: [insertTenant(tenantId)] });
  for (let made = 0; made < 3; made += 1) {
    const statements = [insertApiKey(place, randomUUID())];
    await change(store, { workspaceId }, { statements, policy: [projectId] });
  }
  await furnishPeople(store);
  await store.beyond(`insert into keyrail.usage_hours
      (workspace_id, project_id, env, hour, requests, errors, degraded, latency)
    values ('${workspaceId}', '${projectId}', 'live', '2026-03-01 12:00:00.123456+00',
      0.1::float8 + 0.2, 1e-300, 'infinity', '{0.3333333333333333,null,-0}')`);
  await store.beyond(`insert into keyrail.idempotency_records
      (workspace_id, env, scope_hash, fingerprint, locked_until, expires_at, sealed)
    values ('${workspaceId}', 'test', decode(repeat('00', 32), 'hex'), decode(repeat('ff', 32), 'hex'),
      '-infinity', 'infinity', decode(repeat('00ff5c', 30000), 'hex'))`);
}

async function furnishPeople({ beyond }: Store): Promise<void> {
  const userId = randomUUID();
  const hash = (byte: string) => `decode(repeat('${byte}', 32), 'hex')`;
  await beyond(`insert into keyrail.users (id, email, email_key, password_hash, created_at)
    values ('${userId}', 'Ada@example.com', 'ada@example.com', 'x', keyrail.app_now())`);
  await beyond(`insert into keyrail.sessions (id, user_id, lookup_hash, display_prefix, created_at,
      last_seen_at, expires_at, absolute_expires_at)
    select '${randomUUID()}', '${userId}', ${hash('01')}, 'krses_', now, now, now + '1 day',
      now + '2 days' from keyrail.app_now() now`);
  await beyond(`insert into keyrail.one_time_tokens (id, user_id, purpose, token_hash, created_at,
      expires_at)
    select '${randomUUID()}', '${userId}', 'password_reset', ${hash('02')}, now, now + '1 hour'
      from keyrail.app_now() now`);
  const text = JSON.stringify({ text: ODD_TEXT }).replaceAll("'", "''");
  await beyond(`insert into keyrail.mail_outbox (id, kind, recipient, params, created_at, due_at,
      attempts)
    select '${randomUUID()}', 'invite', 'quote"''back\\slash', '${text}', now, now, 0
      from keyrail.app_now() now`);
}
