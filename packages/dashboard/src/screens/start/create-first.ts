// Creates what a first request needs. A project or a customer of that name is used if there is one,
// so that a repetition after a failure goes on where it stopped.
import type { Answer } from '@keyrail/client';
import type { useSend } from '../../api/query.ts';
import { slugOf } from '../new-workspace/slug.ts';
import { texts } from './texts.ts';

export type Names = { project: string; tenant: string; key: string };

type Created = {
  projectId: string;
  key: Answer<'POST /v1/keys'>;
  /** Held by the command alone. */
  secretKey: string;
};

type Send = ReturnType<typeof useSend>;

/** The scope that the example's route asks for. */
export const SCOPE = 'invoices:read';
const SLUG_CHARS_MIN = 3;

export async function createFirst(send: Send, names: Names): Promise<Created> {
  const projectId = await projectOf(send, names.project);
  const tenantId = await tenantOf(send, names.tenant);
  const secretKey = await send('POST /v1/secret_keys', {
    body: { env: 'test', name: texts.reveal.secretName },
  });
  const key = await send('POST /v1/keys', {
    body: {
      project_id: projectId,
      tenant_id: tenantId,
      env: 'test',
      name: names.key,
      scopes: [SCOPE],
    },
  });
  return { projectId, key, secretKey: secretKey.key ?? '' };
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

/** Names in other scripts have no letters that an id may contain. */
function slugFor(name: string, fallback: string): string {
  const slug = slugOf(name);
  return slug.length < SLUG_CHARS_MIN ? `${fallback}-${slug}`.replace(/-$/, '') : slug;
}
