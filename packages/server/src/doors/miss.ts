// The error for a row that wasn't found: 403 if it is on the other side of this workspace's
// live/test boundary, 404 otherwise.

import { forbidden, notFound } from '../base/errors.ts';
import { sql } from '../base/sql.ts';
import { one } from '../db/sql.ts';
import type { Read } from './door.ts';
import { allEnvs, type Env } from './reach.ts';

export const BEYOND_BOUNDARY = 'A test secret key cannot manage live resources.';

const envLookUps = {
  'secret key': (id: string) => sql<{ env: Env | null }>`select env_of_secret_key(${id}) as env`,
  'API key': (id: string) => sql<{ env: Env | null }>`select env_of_api_key(${id}) as env`,
  'webhook endpoint': (id: string) =>
    sql<{ env: Env | null }>`select env_of_webhook_endpoint(${id}) as env`,
  'webhook delivery': (id: string) =>
    sql<{ env: Env | null }>`select env_of_webhook_delivery(${id}) as env`,
};

export async function miss(tx: Read, what: keyof typeof envLookUps, id: string): Promise<never> {
  if (tx.reach.envs.length < allEnvs.length && tx.reach.tenantId === undefined) {
    const { env } = await one(tx, envLookUps[what](id));
    if (env !== null) throw forbidden(BEYOND_BOUNDARY);
  }
  throw notFound(what);
}
