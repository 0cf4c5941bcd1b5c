// Fixtures for the embed API and the scanner's webhook.
import type { Harness, Input } from '@keyrail/testing/harness.ts';
import type { Fixture } from './fixtures.ts';

const nothing = (): Input => ({});

/** The input for an endpoint about a key that the embed token can access. */
const aKey = async ({ embed, given }: Harness): Promise<Input> => {
  const { projectId, tenantId } = await embed();
  return { id: (await given.key({ project_id: projectId, tenant_id: tenantId })).id };
};

const aSubject =
  (env: 'live' | 'test') =>
  async ({ embed }: Harness): Promise<Input> => {
    const { projectId, tenantId } = await embed();
    return { project_id: projectId, tenant_id: tenantId, env };
  };

const embedded = (input: Fixture['input'], ...audits: string[]): Fixture => ({
  caller: 'embed',
  input,
  audits,
  beyond: null,
});

export const embedFixtures = {
  'POST /v1/embed_tokens': {
    caller: 'liveKey',
    input: aSubject('test'),
    audits: [],
    beyond: aSubject('live'),
  },
  'GET /v1/embed/session': embedded(nothing),
  'GET /v1/embed/keys': embedded(nothing),
  'POST /v1/embed/keys': embedded(nothing, 'api_key.created'),
  'POST /v1/embed/keys/{id}/rotate': embedded(aKey, 'api_key.rotated'),
  'POST /v1/embed/keys/{id}/revoke': embedded(aKey, 'api_key.revoked'),
  'GET /v1/embed/keys/{id}/usage': embedded(aKey),
  'POST /v1/webhooks/scanner/secret_scanning': {
    caller: 'scanner',
    input: async ({ given }: Harness) => ({
      reports: [{ token: (await given.key()).key, type: 'kr', url: '', source: 'content' }],
    }),
    audits: ['api_key.quarantined'],
    beyond: null,
  },
} satisfies Record<string, Fixture>;
