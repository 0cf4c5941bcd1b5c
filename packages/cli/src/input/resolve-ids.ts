// Turns slugs, external IDs and email addresses into the IDs that the API expects. IDs are used as
// given.
import type { Client } from '@keyrail/client';
import { refused } from '../failures.ts';
import { isUuid } from './given.ts';

/** Accepts a project's ID or slug. */
export async function projectIdOf(client: Client, text: string): Promise<string> {
  if (isUuid(text)) return text;
  const { data: found } = await client.call('GET /v1/projects', { query: { slug: text } });
  return found[0]?.id ?? missing(`No project has the slug "${text}".`);
}

const EXTERNAL = 'ext:';

/**
 * Accepts a tenant's ID or external ID. If an external ID looks like an ID, it needs the prefix
 * `ext:`.
 */
export async function tenantIdOf(client: Client, text: string): Promise<string> {
  if (isUuid(text)) return text;
  const external_id = text.startsWith(EXTERNAL) ? text.slice(EXTERNAL.length) : text;
  const { data: found } = await client.call('GET /v1/tenants', { query: { external_id } });
  return found[0]?.id ?? missing(`No tenant has the external ID "${external_id}".`);
}

/** Accepts a member's user ID or email address. */
export async function userIdOf(client: Client, text: string): Promise<string> {
  if (isUuid(text)) return text;
  const wanted = text.toLowerCase();
  for await (const { items } of client.pages('GET /v1/members')) {
    const found = items.find(({ email }) => email.toLowerCase() === wanted);
    if (found) return found.user_id;
  }
  return missing(`No member has the email address "${text}".`);
}

function missing(message: string): never {
  throw refused(message);
}
