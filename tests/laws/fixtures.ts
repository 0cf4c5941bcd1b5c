// A fixture for each endpoint: a successful call, the audit rows it appends, and a call that test
// keys may not make. If an endpoint has no fixture, a test fails and names the endpoint.
import type { AnyLine } from '@keyrail/protocol/endpoints/all.ts';
import { lookupHash } from '@keyrail/protocol/wire/key-format.ts';
import { createAnchorJob } from '@keyrail/server/features/audit/anchor-heads.job.ts';
import type { Harness, Input } from '@keyrail/testing/harness.ts';
import { newAddress } from '@keyrail/testing/people.ts';
import { accountFixtures } from './account-fixtures.ts';
import { embedFixtures } from './embed-fixtures.ts';
import { hotFixtures } from './hot-fixtures.ts';
import { webhookFixtures } from './webhook-fixtures.ts';

export type Fixture = {
  /** The caller that makes the successful call. */
  caller: 'liveKey' | 'bootstrap' | 'nobody' | 'owner' | 'visitor' | 'embed' | 'scanner';
  input(app: Harness): Promise<Input> | Input;
  /** The audit actions that the call appends, in order. */
  audits: readonly string[];
  /** A call that is denied to a test key; null if test keys may make every call to the endpoint. */
  beyond: ((app: Harness) => Promise<Input> | Input) | null;
};

const nothing = (): Input => ({});

const liveSecretKey = async ({ as }: Harness): Promise<Input> => {
  const { id } = await as.liveKey('POST /v1/secret_keys', { env: 'live' });
  return { id };
};

const reading: Pick<Fixture, 'caller' | 'audits'> = { caller: 'liveKey', audits: [] };
const probe: Fixture = { caller: 'nobody', input: nothing, audits: [], beyond: null };

/** The input for an endpoint that reads the feed of a new project. */
const aFeed =
  (more: Input) =>
  async ({ given }: Harness): Promise<Input> => ({
    project_id: (await given.project()).id,
    ...more,
  });

let slugs = 0;

/** Signs the latest hash of every chain. */
const anchored = async ({ testApp }: Harness): Promise<Input> => {
  await createAnchorJob(testApp.app.worker)();
  return {};
};

const aMember = async ({ people }: Harness): Promise<Input> => ({
  userId: (await people.member()).userId,
});

const anInvite = async ({ as }: Harness): Promise<Input> => {
  const { id } = await as.liveKey('POST /v1/invites', { email: newAddress(), role: 'member' });
  return { id };
};

const idOf =
  (make: 'project' | 'tenant' | 'key') =>
  async ({ given }: Harness): Promise<Input> => ({ id: (await given[make]()).id });
const aProject = idOf('project');
const aTenant = idOf('tenant');
const aLiveKey = idOf('key');

const aDisabledKey = async (held: Harness): Promise<Input> => {
  const key = await aLiveKey(held);
  await held.as.liveKey('POST /v1/keys/{id}/disable', key);
  return key;
};

const keyIn =
  (env: 'live' | 'test') =>
  async ({ given }: Harness): Promise<Input> => ({
    project_id: (await given.project()).id,
    tenant_id: (await given.tenant()).id,
    env,
  });

let imports = 0;

/** A single key that has never been imported before, for a new tenant. */
const importIn =
  (env: 'live' | 'test') =>
  async ({ given }: Harness): Promise<Input> => {
    imports += 1;
    const lookup_hash = lookupHash(`sk_${process.pid}_${imports}`);
    const { external_id: tenant_external_id } = await given.tenant();
    return {
      project_id: (await given.project()).id,
      env,
      keys: [{ tenant_external_id, lookup_hash, display_prefix: 'sk_12' }],
    };
  };

/** A change that a test key may not make. */
const changing = (input: Fixture['input'], audit: string): Fixture => ({
  caller: 'liveKey',
  input,
  audits: [audit],
  beyond: input,
});

export const fixtures: Partial<Record<AnyLine, Fixture>> = {
  ...accountFixtures,
  'POST /v1/workspaces': {
    caller: 'bootstrap',
    input: () => {
      slugs += 1;
      return { name: 'Founded', slug: `founded-${process.pid}-${slugs}` };
    },
    audits: [], // the new workspace has its own log: create-workspace.test.ts checks it
    beyond: null,
  },
  'GET /v1/workspace': { ...reading, input: nothing, beyond: null },
  'GET /v1/workspace/summary': {
    ...reading,
    input: nothing,
    beyond: () => ({ env: 'live' }),
  },
  'PATCH /v1/workspace': {
    caller: 'liveKey',
    input: () => ({ name: 'Renamed' }),
    audits: ['workspace.updated'],
    beyond: () => ({ name: 'Renamed' }),
  },
  'GET /v1/members': { ...reading, input: nothing, beyond: nothing },
  'PATCH /v1/members/{userId}': {
    caller: 'owner',
    input: async (held) => ({ ...(await aMember(held)), role: 'admin' }),
    audits: ['workspace_member.role_changed'],
    beyond: async (held) => ({ ...(await aMember(held)), role: 'admin' }),
  },
  'DELETE /v1/members/{userId}': {
    caller: 'owner',
    input: aMember,
    audits: ['workspace_member.removed'],
    beyond: aMember,
  },
  'POST /v1/invites': {
    caller: 'owner',
    input: () => ({ email: newAddress(), role: 'member' }),
    audits: ['workspace_invite.created'],
    beyond: () => ({ email: newAddress(), role: 'member' }),
  },
  'GET /v1/invites': { ...reading, input: nothing, beyond: nothing },
  'POST /v1/invites/{id}/revoke': {
    caller: 'owner',
    input: anInvite,
    audits: ['workspace_invite.revoked'],
    beyond: anInvite,
  },
  'POST /v1/projects': {
    caller: 'liveKey',
    input: () => ({ name: 'Orders', slug: 'the-orders' }),
    audits: ['project.created'],
    beyond: null,
  },
  'GET /v1/projects': { ...reading, input: nothing, beyond: null },
  'GET /v1/projects/{id}': { ...reading, input: aProject, beyond: null },
  'PATCH /v1/projects/{id}': changing(
    async (held) => ({ ...(await aProject(held)), name: 'Renamed' }),
    'project.updated',
  ),
  'DELETE /v1/projects/{id}': changing(aProject, 'project.deleted'),
  'POST /v1/tenants': {
    caller: 'liveKey',
    input: () => ({ external_id: 'the-customer' }),
    audits: ['tenant.created'],
    beyond: null,
  },
  'GET /v1/tenants': { ...reading, input: nothing, beyond: null },
  'GET /v1/tenants/{id}': { ...reading, input: aTenant, beyond: null },
  'PATCH /v1/tenants/{id}': changing(
    async (held) => ({ ...(await aTenant(held)), name: 'Renamed' }),
    'tenant.updated',
  ),
  'POST /v1/tenants/{id}/embed_tokens/revoke': changing(aTenant, 'tenant.embed_tokens_revoked'),
  'DELETE /v1/tenants/{id}': changing(aTenant, 'tenant.deleted'),
  'POST /v1/keys': {
    caller: 'liveKey',
    input: keyIn('test'),
    audits: ['api_key.created'],
    beyond: keyIn('live'),
  },
  'POST /v1/keys/import': {
    caller: 'liveKey',
    input: importIn('test'),
    audits: ['api_key.imported'],
    beyond: importIn('live'),
  },
  'GET /v1/keys': { ...reading, input: nothing, beyond: () => ({ env: 'live' }) },
  'GET /v1/keys/counts': {
    ...reading,
    input: async ({ given }) => ({ by: 'project', id: (await given.project()).id }),
    beyond: async ({ given }) => ({ by: 'tenant', id: (await given.tenant()).id, env: 'live' }),
  },
  'GET /v1/keys/{id}': { ...reading, input: aLiveKey, beyond: aLiveKey },
  'PATCH /v1/keys/{id}': changing(
    async (held) => ({ ...(await aLiveKey(held)), name: 'Renamed' }),
    'api_key.updated',
  ),
  'POST /v1/keys/{id}/rotate': changing(aLiveKey, 'api_key.rotated'),
  'POST /v1/keys/{id}/revoke': changing(aLiveKey, 'api_key.revoked'),
  'POST /v1/keys/{id}/disable': changing(aLiveKey, 'api_key.disabled'),
  'POST /v1/keys/{id}/enable': changing(aDisabledKey, 'api_key.enabled'),
  'POST /v1/keys/explain': {
    ...reading,
    input: async (app) => ({ key_id: (await aLiveKey(app)).id }),
    beyond: async (app) => ({ key_id: (await aLiveKey(app)).id, env: 'live' }),
  },
  'GET /v1/keys/{id}/usage': { ...reading, input: aLiveKey, beyond: aLiveKey },
  'POST /v1/secret_keys': {
    caller: 'liveKey',
    input: () => ({ env: 'test' }),
    audits: ['secret_key.created'],
    beyond: () => ({ env: 'live' }),
  },
  'GET /v1/secret_keys': { ...reading, input: nothing, beyond: null },
  'GET /v1/secret_keys/current': { ...reading, input: nothing, beyond: null },
  'GET /v1/secret_keys/{id}': { ...reading, input: liveSecretKey, beyond: liveSecretKey },
  'GET /v1/secret_keys/{id}/usage': { ...reading, input: liveSecretKey, beyond: liveSecretKey },
  'PATCH /v1/secret_keys/{id}': {
    caller: 'liveKey',
    input: async (app) => ({ ...(await liveSecretKey(app)), permissions: ['keys:read'] }),
    audits: ['secret_key.updated'],
    beyond: async (app) => ({ ...(await liveSecretKey(app)), name: 'Renamed' }),
  },
  'POST /v1/secret_keys/{id}/rotate': {
    caller: 'liveKey',
    input: liveSecretKey,
    audits: ['secret_key.rotated'],
    beyond: liveSecretKey,
  },
  'POST /v1/secret_keys/{id}/revoke': {
    caller: 'liveKey',
    input: liveSecretKey,
    audits: ['secret_key.revoked'],
    beyond: liveSecretKey,
  },
  ...embedFixtures,
  'GET /v1/policy/snapshot': {
    ...reading,
    input: aFeed({}),
    beyond: aFeed({ env: 'live' }),
  },
  'GET /v1/policy/delta': {
    ...reading,
    input: aFeed({ since: 0 }),
    beyond: aFeed({ since: 0, env: 'live' }),
  },
  'GET /v1/policy/nodes': {
    ...reading,
    input: aFeed({}),
    beyond: aFeed({ env: 'live' }),
  },
  ...hotFixtures,
  'GET /v1/usage/billing': { ...reading, input: nothing, beyond: nothing },
  'GET /v1/usage/tenants': { ...reading, input: nothing, beyond: () => ({ env: 'live' }) },
  'GET /v1/usage/keys': {
    ...reading,
    input: async ({ given }) => ({ key_id: (await given.key()).id }),
    beyond: null,
  },
  'GET /v1/usage/overview': { ...reading, input: nothing, beyond: () => ({ env: 'live' }) },
  'GET /v1/environments': { ...reading, input: nothing, beyond: null },
  'GET /v1/search': {
    ...reading,
    input: () => ({ q: 'anything' }),
    beyond: () => ({ q: 'anything', env: 'live' }),
  },
  'GET /v1/audit_logs': { ...reading, input: nothing, beyond: null },
  'GET /v1/audit_logs/chain': { ...reading, input: nothing, beyond: null },
  'GET /v1/audit_logs/anchor': { ...reading, input: anchored, beyond: null },
  ...webhookFixtures,
  'GET /v1/deployment': probe,
  'GET /healthz': probe,
  'GET /readyz': probe,
  'GET /status': probe,
  'GET /.well-known/jwks.json': probe,
};
