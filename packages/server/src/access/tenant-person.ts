// The holder of an embed token: a user of the vendor's customer, in a browser.
import { assert } from '../base/assert.ts';
import type { EmbedPrincipal, Principal } from './principal.ts';

/** The principal, with the tenant and project of every key created with the token. */
export function embeddedIn(principal: Principal): {
  holder: EmbedPrincipal;
  tenantId: string;
  projectId: string;
} {
  assert(
    principal.kind === 'embed',
    'an endpoint of the embed plane was called without an embed token',
  );
  const { tenantId, projectId } = principal.reach;
  assert(
    tenantId !== undefined && projectId !== undefined,
    'an embed token has no tenant or project',
  );
  return { holder: principal, tenantId, projectId };
}
