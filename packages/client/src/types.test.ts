// What does not compile. The expectations are checked by the type checker; nothing is called.
import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from './client.ts';
import { type KeyrailError, KeyrailUnreachable } from './errors.ts';
import type { Answer, CallInput, Item, Line, PagedLine, Reply } from './types.ts';

type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(): T | undefined => undefined;

const params = { id: 'x' };

/** Never run: only its types are of interest. */
export async function misuse(client: Client): Promise<void> {
  // @ts-expect-error no such line
  await client.call('GET /v1/key');
  // @ts-expect-error params are required
  await client.call('GET /v1/keys/{id}');
  // @ts-expect-error the parameter has another name
  await client.call('PATCH /v1/members/{userId}', { params, body: { role: 'owner' } });
  // @ts-expect-error this line takes no params
  await client.call('GET /v1/keys', { params });
  // @ts-expect-error this line takes no query
  await client.call('GET /v1/workspace', { query: {} });
  // @ts-expect-error this line takes no body
  await client.call('DELETE /v1/projects/{id}', { params, body: {} });
  // @ts-expect-error the body is required
  await client.call('POST /v1/secret_keys');
  // @ts-expect-error a field is missing
  await client.call('POST /v1/secret_keys', { body: {} });
  // @ts-expect-error a field too many
  await client.call('POST /v1/secret_keys', { body: { env: 'live', enviroment: 'live' } });
  // @ts-expect-error no such environment
  await client.call('POST /v1/secret_keys', { body: { env: 'prod' } });
  // @ts-expect-error a required query
  await client.call('GET /v1/policy/delta', { query: { project_id: 'x' } });
  // @ts-expect-error numbers are given as numbers
  await client.call('GET /v1/keys', { query: { limit: '5' } });
  // @ts-expect-error raw bytes, not an object
  await client.call('POST /v1/ingest/batch', { body: { events: [] } });
  // @ts-expect-error not a list
  client.pages('GET /v1/workspace');
}

/** Never run either. */
export async function use(client: Client): Promise<void> {
  await client.call('POST /v1/keys/{id}/rotate', { params });
  await client.call('POST /v1/keys/{id}/rotate', { params, body: { overlap_hours: 48 } });
  await client.call('POST /v1/keys/{id}/revoke', { params, query: { wait: true } });
  await client.call('GET /v1/keys', { query: { env: undefined, include_revoked: true } });
  const name = await client.call('GET /v1/keys/{id}', { params }).then((key) => key.name);
  holds<Same<typeof name, string | null>>();
  const reply = await client.reply('GET /v1/policy/snapshot', { query: { project_id: 'x' } });
  if (reply.status === 304) holds<Same<typeof reply.body, null>>();
  else holds<Same<typeof reply.body.version, number>>();
  for await (const { items } of client.pages('GET /v1/keys')) {
    holds<Same<(typeof items)[number], Answer<'GET /v1/keys/{id}'>>>();
  }
}

test('every line has an input and an answer, and the types say what the wire says', () => {
  holds<Same<Reply<'POST /v1/keys'>['status'], 201>>();
  holds<Same<Reply<'GET /readyz'>['status'], 200>>();
  holds<Same<Item<'GET /v1/environments'>['name'], 'live' | 'test'>>();
  holds<Same<Extract<PagedLine, 'GET /v1/audit_logs/chain'>, never>>();
  holds<Same<KeyrailError['code'] & 'invalid_embed_token', never>>();
  holds<Same<{ [L in Line]: CallInput<L> extends never ? L : never }[Line], never>>();
  equal(new KeyrailUnreachable('timeout', 'x').sent, true);
});
