// Embed tokens, which the vendor's backend creates and a browser page uses.
import type { Caller, Harness, Input } from './harness.ts';

export const ORIGIN = 'https://app.customer.example';

export type Embedded = {
  token: string;
  projectId: string;
  tenantId: string;
  headers: { authorization: string; origin: string };
  call: Caller;
};

type Vendor = Pick<Harness, 'given' | 'callWith'> & { as: Pick<Harness['as'], 'liveKey'> };

/** Creates a token for a new tenant and project, unless they are passed in. */
export async function embedded(app: Vendor, wanted: Input = {}): Promise<Embedded> {
  const { liveKey } = app.as;
  const { embed_origins: registered } = await liveKey('GET /v1/workspace');
  if (!registered.includes(ORIGIN)) {
    await liveKey('PATCH /v1/workspace', { embed_origins: [...registered.slice(0, 19), ORIGIN] });
  }
  const projectId = String(wanted.project_id ?? (await app.given.project()).id);
  const tenantId = String(wanted.tenant_id ?? (await app.given.tenant()).id);
  const { token } = await liveKey('POST /v1/embed_tokens', {
    project_id: projectId,
    tenant_id: tenantId,
    env: 'live',
    scopes: ['keys:read', 'keys:write'],
    ...wanted,
  });
  const headers = headersOf(token);
  return { token, projectId, tenantId, headers, call: app.callWith(headers) };
}

export const headersOf = (token: string) => ({ authorization: `Bearer ${token}`, origin: ORIGIN });
