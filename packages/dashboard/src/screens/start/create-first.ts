// Creates the project, tenant and key for a first request. Reuses an existing project or tenant
// with the same name, so a retry continues where the last attempt stopped.
import type { Answer } from '@keyrail/client';
import type { useSend } from '../../api/query.ts';
import { slugFor } from '../../parts/slug.ts';
import { texts } from './texts.ts';

export type Names = { project: string; tenant: string; key: string };

type Created = { projectId: string; key: Answer<'POST /v1/keys'> };

type Send = ReturnType<typeof useSend>;

/** The scope the example's route requires. */
export const SCOPE = 'invoices:read';

export async function createFirst(send: Send, names: Names): Promise<Created> {
  const projectId = await projectOf(send, names.project);
  const tenantId = await tenantOf(send, names.tenant);
  const key = await send('POST /v1/keys', {
    body: {
      project_id: projectId,
      tenant_id: tenantId,
      env: 'test',
      name: names.key,
      scopes: [SCOPE],
    },
  });
  return { projectId, key };
}

/** Creates the secret key used by the guide's commands, each of which starts a node. */
export async function createNodeKey(send: Send): Promise<string> {
  const body = { env: 'test', name: texts.reveal.secretName, profile: 'node' } as const;
  return (await send('POST /v1/secret_keys', { body })).key ?? '';
}

async function projectOf(send: Send, name: string): Promise<string> {
  const slug = slugFor(name, 'project');
  const { data: found } = await send('GET /v1/projects', { query: { slug } });
  return found[0]?.id ?? (await send('POST /v1/projects', { body: { name, slug } })).id;
}

async function tenantOf(send: Send, name: string): Promise<string> {
  const externalId = slugFor(name, 'customer');
  const { data: found } = await send('GET /v1/tenants', { query: { external_id: externalId } });
  if (found[0]) return found[0].id;
  const created = await send('POST /v1/tenants', { body: { external_id: externalId, name } });
  return created.id;
}
