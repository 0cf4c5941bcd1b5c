// Rows for contract tests, written the way the server writes them: in one transaction with the
// write role, together with their audit rows.
import { randomBytes, randomUUID } from 'node:crypto';
import type { Answer, Scope, Statement } from '@keyrail/server/db/database.ts';
import type { Entry } from '@keyrail/server/doors/actions.ts';
import type { Actor } from '@keyrail/server/doors/reach.ts';
import { closeChange } from '@keyrail/server/doors/tail.ts';
import { opening, type Store as WholeStore } from './store.ts';

type Store = Pick<WholeStore, 'db'>;

type Env = 'live' | 'test';

export type Place = { workspaceId: string };

type Closing = { entries?: Entry[]; policy?: string[]; actor?: Actor };

/** Returns the statement that completes a change with its audit rows, as the server sends it. */
export const closing = (workspaceId: string, { entries, policy, actor }: Closing = {}): Statement =>
  closeChange({
    actor: actor ?? { type: 'system', id: null },
    entries: entries ?? [renamed(workspaceId)],
    policy: policy ?? [],
    floors: [],
    newId: randomUUID,
  });

/** Commits statements for one workspace together with an audit row. */
export function change(
  { db }: Store,
  scope: Partial<Scope> & Place,
  { statements, entry, policy = [] }: { statements: Statement[]; entry?: Entry; policy?: string[] },
): Promise<Answer[]> {
  return db.transaction(opening('kr_write', scope), async ({ run }) => {
    for (const statement of statements) await run(statement);
    const last = [closing(scope.workspaceId, { ...(entry && { entries: [entry] }), policy })];
    return { kind: 'commit', last, result: (answers) => answers };
  });
}

/** An audit entry that matches any change in a workspace. */
export const renamed = (workspaceId: string): Entry => ({
  action: 'workspace.updated',
  target: workspaceId,
  payload: { changed: ['name'], changes: {} },
});

export async function foundWorkspace(store: Store): Promise<string> {
  const workspaceId = randomUUID();
  await change(store, { workspaceId }, { statements: [insertWorkspace(workspaceId)] });
  return workspaceId;
}

export const insertWorkspace = (id: string): Statement => ({
  text: `insert into workspaces (id, name, slug, embed_origins, created_at, updated_at)
    values ($1, 'Acme', $2, '{}', app_now(), app_now())`,
  values: [id, `acme-${id}`],
});

export const insertSecretKey = (env: Env, id: string = randomUUID()): Statement => ({
  text: `insert into secret_keys (id, env, lookup_hash, display_prefix, meta, authority, created_at)
    values ($1, $2, $3, 'krsk_', '{}', 'owner', app_now())`,
  values: [id, env, randomBytes(32)],
});

export const insertProject = (id: string): Statement => ({
  text: `insert into projects (id, name, slug, default_rate_limits, created_at, updated_at)
    values ($1, 'API', $2, '[]', app_now(), app_now())`,
  values: [id, `api-${id}`],
});

export const insertTenant = (id: string): Statement => ({
  text: `insert into tenants (id, external_id, meta, embed_epoch, created_at, updated_at)
    values ($1, $2, '{}', 0, app_now(), app_now())`,
  values: [id, `customer-${id}`],
});

export type KeyPlace = { projectId: string; tenantId: string; env: Env };

export const insertApiKey = ({ projectId, tenantId, env }: KeyPlace, id: string): Statement => ({
  text: `insert into api_keys (id, project_id, tenant_id, env, lookup_hash, display_prefix, scopes,
      meta, created_at)
    values ($1, $2, $3, $4, $5, 'kr_', '{}', '{}', app_now())`,
  values: [id, projectId, tenantId, env, randomBytes(32)],
});

/** A workspace with two projects, two tenants, and a key for each pair in each environment. */
export type Furnished = { workspaceId: string; projects: string[]; tenants: string[] };

export async function furnishWorkspace(store: Store): Promise<Furnished> {
  const workspaceId = await foundWorkspace(store);
  const projects = [randomUUID(), randomUUID()];
  const tenants = [randomUUID(), randomUUID()];
  const keys = projects.flatMap((projectId) =>
    tenants.flatMap((tenantId) =>
      (['live', 'test'] as const).map((env) => ({ projectId, tenantId, env })),
    ),
  );
  await change(
    store,
    { workspaceId },
    {
      statements: [
        ...projects.map(insertProject),
        ...tenants.map(insertTenant),
        insertSecretKey('live'),
        insertSecretKey('test'),
        ...keys.map((key) => insertApiKey(key, randomUUID())),
      ],
      policy: projects,
    },
  );
  return { workspaceId, projects, tenants };
}

/** How many rows of a table a role sees within a scope. */
export async function countSeen(
  { db }: Store,
  table: string,
  scope: Partial<Scope>,
): Promise<number> {
  const text = `select count(*)::int as seen from ${table}`;
  const { rows } = await db.once(opening('kr_read', scope), { text, values: [] });
  return Number(rows[0]?.seen);
}
