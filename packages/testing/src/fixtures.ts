// Factories for projects, tenants and keys, with defaults for everything a test does not set.
import type { AnswerOf } from '@keyrail/protocol/endpoint.ts';
import type { allEndpoints } from '@keyrail/protocol/endpoints/all.ts';
import type { Caller, Input, Shown } from './harness.ts';

type Made<L extends keyof typeof allEndpoints> = Promise<Shown<AnswerOf<(typeof allEndpoints)[L]>>>;

export type Given = {
  project(overrides?: Input): Made<'POST /v1/projects'>;
  tenant(overrides?: Input): Made<'POST /v1/tenants'>;
  /** Creates a live key, in a new project and for a new tenant unless they are passed in. */
  key(overrides?: Input): Made<'POST /v1/keys'>;
};

let made = 0;

export function givenBy(call: Caller): Given {
  const next = () => {
    made += 1;
    return made;
  };
  const project: Given['project'] = (overrides = {}) =>
    call('POST /v1/projects', { name: 'Orders', slug: `orders-${next()}`, ...overrides });
  const tenant: Given['tenant'] = (overrides = {}) =>
    call('POST /v1/tenants', { external_id: `customer-${next()}`, ...overrides });
  return {
    project,
    tenant,
    key: async (overrides = {}) =>
      call('POST /v1/keys', {
        project_id: overrides.project_id ?? (await project()).id,
        tenant_id: overrides.tenant_id ?? (await tenant()).id,
        env: 'live',
        ...overrides,
      }),
  };
}
