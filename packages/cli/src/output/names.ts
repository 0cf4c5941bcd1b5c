// Looks up names for the IDs in a table: external IDs, slugs and display prefixes. The number of
// requests is limited; an ID without a name is printed unchanged.
import { type Client, KeyrailError } from '@keyrail/client';
import { KEYS_LIMIT_MAX, LIST_LIMIT_MAX } from '@keyrail/protocol/wire/limits.ts';

/** An ID in a row, with its type as used in the audit log, and its name if the row contains one. */
export type Reference = { type: string; id: string; name?: string | undefined };

export type Names = ReadonlyMap<string, string>;

/**
 * The maximum number of objects of each type that are requested individually. If a table needs more
 * names than that, one page of the type's list is requested first.
 */
const LOOKUPS_MAX = 20;

type Source = {
  one(client: Client, id: string): Promise<string>;
  page(client: Client): Promise<[id: string, name: string][]>;
};

const sources: ReadonlyMap<string, Source> = new Map<string, Source>([
  [
    'tenant',
    {
      one: async (client, id) =>
        (await client.call('GET /v1/tenants/{id}', { params: { id } })).external_id,
      page: async (client) => {
        const query = { limit: LIST_LIMIT_MAX };
        const { data: found } = await client.call('GET /v1/tenants', { query });
        return found.map(({ id, external_id }) => [id, external_id]);
      },
    },
  ],
  [
    'project',
    {
      one: async (client, id) =>
        (await client.call('GET /v1/projects/{id}', { params: { id } })).slug,
      page: async (client) => {
        const query = { limit: LIST_LIMIT_MAX };
        const { data: found } = await client.call('GET /v1/projects', { query });
        return found.map(({ id, slug }) => [id, slug]);
      },
    },
  ],
  [
    'api_key',
    {
      one: async (client, id) =>
        (await client.call('GET /v1/keys/{id}', { params: { id } })).display_prefix,
      page: async (client) => {
        const query = { limit: KEYS_LIMIT_MAX, include_revoked: true };
        const { data: found } = await client.call('GET /v1/keys', { query });
        return found.map(({ id, display_prefix }) => [id, display_prefix]);
      },
    },
  ],
  [
    'secret_key',
    {
      one: async (client, id) =>
        (await client.call('GET /v1/secret_keys/{id}', { params: { id } })).display_prefix,
      page: async (client) => {
        const query = { limit: LIST_LIMIT_MAX };
        const { data: found } = await client.call('GET /v1/secret_keys', { query });
        return found.map(({ id, display_prefix }) => [id, display_prefix]);
      },
    },
  ],
]);

export async function namesOf(client: Client, references: readonly Reference[]): Promise<Names> {
  const names = new Map<string, string>();
  for (const { id, name } of references) if (name !== undefined) names.set(id, name);
  const resolving = [...sources].map(async ([type, source]) => {
    const ids = new Set(references.filter((each) => each.type === type).map(({ id }) => id));
    const unnamed = () => [...ids].filter((id) => !names.has(id));
    if (unnamed().length > LOOKUPS_MAX) {
      for (const [id, name] of (await unlessRefused(source.page(client))) ?? []) {
        names.set(id, name);
      }
    }
    const lookups = unnamed().slice(0, LOOKUPS_MAX);
    await Promise.all(
      lookups.map(async (id) => {
        const name = await unlessRefused(source.one(client, id));
        if (name !== null) names.set(id, name);
      }),
    );
  });
  await Promise.all(resolving);
  return names;
}

/**
 * Reads an object. Null if the server rejects the request, because the object has been deleted or
 * this credential may not see it.
 */
const unlessRefused = <T>(read: Promise<T>): Promise<T | null> =>
  read.catch((error: unknown) => {
    if (error instanceof KeyrailError) return null;
    throw error;
  });

/** Returns the tenant and project that a row refers to. */
export const placeReferences = (row: { tenant_id: string; project_id: string }): Reference[] => [
  { type: 'tenant', id: row.tenant_id },
  { type: 'project', id: row.project_id },
];
