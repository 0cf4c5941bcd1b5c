// tests/packages compiles this file as a user would, as ESM.
import { type Answer, type Client, createClient, type Item, KeyrailError } from '@keyrail/client';

const client: Client = createClient({ url: 'https://keys.example.com', token: 'krsk_live_…' });
type ApiKey = Answer<'GET /v1/keys/{id}'>;

export async function use(id: string): Promise<ApiKey | null> {
  const rotated = await client.keys.rotate(id, { body: { overlap_hours: 48 } });
  const previous: ApiKey = rotated.previous_key;
  const env: 'live' | 'test' = previous.env;
  await client.keys.revoke(id, { query: { wait: true }, body: { reason: env } });
  for await (const { items } of client.keys.list.pages({ query: { env: 'live' } })) {
    const first: Item<'GET /v1/keys'> | undefined = items[0];
    if (first?.revoked_at === null) return first;
  }
  const usage = await client.call('GET /v1/keys/{id}/usage', {
    params: { id },
    query: { days: 7 },
  });
  return usage.data.length > 0 ? client.keys.get(id) : null;
}

export const isMissing = (error: unknown): boolean =>
  error instanceof KeyrailError && error.code === 'not_found';

// @ts-expect-error no such field
void client.keys.create({ body: { project_id: '', tenant_id: '', env: 'live', nam: '' } });
// @ts-expect-error the ID is required
void client.keys.get();
// @ts-expect-error no such endpoint
void client.call('GET /v1/key');
// @ts-expect-error no such error code
export const code: KeyrailError['code'] = 'not_foun';
