// Whoever holds an embed token: someone of the vendor's customer, in front of a browser.
import { assert } from '../base/assert.ts';
import type { EmbedPrincipal, Principal } from './principal.ts';

/** With the tenant, project and environment that every key made through the token gets. */
export function embeddedIn(principal: Principal): {
  holder: EmbedPrincipal;
  tenantId: string;
  projectId: string;
} {
  assert(principal.kind === 'embed', 'an embed line without an embed token');
  const { tenantId, projectId } = principal.reach;
  assert(tenantId !== undefined && projectId !== undefined, 'an embed token without its bounds');
  return { holder: principal, tenantId, projectId };
}
