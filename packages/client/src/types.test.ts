// Calls that must not compile. They are only type-checked, never made.
import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from './client.ts';
import { type KeyrailError, KeyrailUnreachable } from './errors.ts';
import type { Answer, CallInput, Endpoint, Item, PagedEndpoint, Reply } from './types.ts';

type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(): T | undefined => undefined;

const params = { id: 'x' };

/** This function never runs. Only its types are checked. */
export async function misuse(client: Client): Promise<void> {
  // @ts-expect-error no such endpoint
  await client.call('GET /v1/key');
  // @ts-expect-error params are required
  await client.call('GET /v1/keys/{id}');
  // @ts-expect-error the parameter has a different name
  await client.call('PATCH /v1/members/{userId}', { params, body: { role: 'owner' } });
  // @ts-expect-error this endpoint takes no params
  await client.call('GET /v1/keys', { params });
  // @ts-expect-error this endpoint takes no query
  await client.call('GET /v1/workspace', { query: {} });
  // @ts-expect-error this endpoint takes no body
  await client.call('DELETE /v1/projects/{id}', { params, body: {} });
  // @ts-expect-error the body is required
  await client.call('POST /v1/secret_keys');
  // @ts-expect-error a field is missing
  await client.call('POST /v1/secret_keys', { body: {} });
  // @ts-expect-error an extra field
  await client.call('POST /v1/secret_keys', { body: { env: 'live', enviroment: 'live' } });
  // @ts-expect-error no such environment
  await client.call('POST /v1/secret_keys', { body: { env: 'prod' } });
  // @ts-expect-error a required query
  await client.call('GET /v1/policy/delta', { query: { project_id: 'x' } });
  // @ts-expect-error numbers are passed as numbers
  await client.call('GET /v1/keys', { query: { limit: '5' } });
  // @ts-expect-error raw bytes, not an object
  await client.call('POST /v1/ingest/batch', { body: { events: [] } });
  // @ts-expect-error not a list
  client.pages('GET /v1/workspace');
}

/** Calls to resource methods that must not compile. They are never made. */
export async function misuseOfMethods(client: Client): Promise<void> {
  // @ts-expect-error no such method
  await client.keys.remove('x');
  // @ts-expect-error the ID is required
  await client.keys.get();
  // @ts-expect-error the ID is a separate argument
  await client.keys.get({ params });
  // @ts-expect-error this endpoint takes no ID
  await client.keys.list('x');
  // @ts-expect-error the body is required
  await client.keys.create();
  // @ts-expect-error a field is missing
  await client.keys.create({ body: { env: 'live' } });
  // @ts-expect-error an extra field
  await client.secretKeys.create({ body: { env: 'live', enviroment: 'live' } });
  // @ts-expect-error this endpoint takes no body
  await client.projects.delete('x', { body: {} });
  // @ts-expect-error not a list
  client.workspace.get.pages();
  // @ts-expect-error this method has no dry run
  client.keys.create.dryRun({ body: { project_id: 'x', tenant_id: 'x', env: 'live' } });
  // @ts-expect-error a dry run has its own method and result
  await client.keys.revoke('x', { query: { dry_run: true } });
}

/** Calls that must compile. They are never made. */
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
  const rotated = await client.keys.rotate('x', { body: { overlap_hours: 48 } });
  holds<Same<typeof rotated, Answer<'POST /v1/keys/{id}/rotate'>>>();
  await client.keys.revoke('x', { query: { wait: true }, signal: AbortSignal.timeout(1) });
  await client.members.update('x', { body: { role: 'owner' } });
  const impact = await client.keys.update.dryRun('x', { body: { scopes: [] } });
  holds<Same<typeof impact.scopes_removed, string[]>>();
  holds<Same<typeof impact, Awaited<ReturnType<typeof client.dryRun>>>>();
  await client.dryRun('DELETE /v1/members/{userId}', { params: { userId: 'x' } });
  await client.policy.delta({ query: { project_id: 'x', since: 0 } });
  for await (const { items } of client.keys.list.pages({ pagesMax: 2 })) {
    holds<Same<(typeof items)[number], Answer<'GET /v1/keys/{id}'>>>();
  }
  for await (const { items } of client.pages('GET /v1/keys')) {
    holds<Same<(typeof items)[number], Answer<'GET /v1/keys/{id}'>>>();
  }
}

test("every endpoint's input and result have the types declared by the protocol", () => {
  holds<Same<Reply<'POST /v1/keys'>['status'], 201>>();
  holds<Same<Reply<'GET /readyz'>['status'], 200>>();
  holds<Same<Item<'GET /v1/environments'>['name'], 'live' | 'test'>>();
  holds<Same<Extract<PagedEndpoint, 'GET /v1/audit_logs/chain'>, never>>();
  holds<Same<KeyrailError['code'] & 'invalid_embed_token', never>>();
  holds<Same<{ [E in Endpoint]: CallInput<E> extends never ? E : never }[Endpoint], never>>();
  equal(new KeyrailUnreachable('timeout', 'x').sent, true);
});
