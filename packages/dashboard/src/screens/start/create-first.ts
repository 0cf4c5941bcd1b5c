// Creates the project, tenant and key for a first request. Reuses an existing project or tenant
// with the same name, so a retry continues where the last attempt stopped.
import type { Answer } from '@keyrail/client';
import { withoutSecrets } from '@keyrail/protocol/wire/secret-texts.ts';
import type { useSend } from '../../api/query.ts';
import { slugFor } from '../../parts/slug.ts';
import { texts } from './texts.ts';

export type Names = { project: string; tenant: string; key: string };

type Created = { projectId: string; key: Answer<'POST /v1/keys'> };

type Send = ReturnType<typeof useSend>;

/** The scope the example's route requires. */
export const SCOPE = 'invoices:read';

const SECRET_KEY = /^krsk_test_[\w-]{51}$/;
/**
 * The maximum number of secret keys to load. A pasted key may not be among them if the workspace
 * has more.
 */
const KEYS_READ = 100;

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

/**
 * Whether the text looks like one of the workspace's working test secret keys, judging by its
 * prefix.
 */
export async function isTestSecret(send: Send, text: string): Promise<boolean> {
  if (!SECRET_KEY.test(text)) return false;
  const { data: known } = await send('GET /v1/secret_keys', { query: { limit: KEYS_READ } });
  const displayPrefix = withoutSecrets(text);
  const isSame = (one: (typeof known)[number]) =>
    one.env === 'test' &&
    one.display_prefix === displayPrefix &&
    one.revoked_at === null &&
    one.quarantined_at === null;
  return known.length === KEYS_READ || known.some(isSame);
}

/** Creates another secret key, for users who don't have an existing one at hand. */
export async function createSecretKey(send: Send): Promise<string> {
  const body = { env: 'test' as const, name: texts.reveal.secretName };
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
