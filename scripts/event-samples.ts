// A sample payload for each event, using the server's own types.
import type { AuditAction } from '@keyrail/protocol/wire/event-types.ts';
import type { Payloads } from '@keyrail/server/doors/actions.ts';

export const KEY_ID = '01890c5e-7b21-7c3a-9d5e-000000000001';
export const PROJECT_ID = '01890c5e-7b21-7c3a-9d5e-000000000002';
export const TENANT_ID = '01890c5e-7b21-7c3a-9d5e-000000000003';
const SUCCESSOR_ID = '01890c5e-7b21-7c3a-9d5e-000000000004';
const DELIVERY_ID = '5f3a9c1e-2b4d-4e6f-8a9b-000000000005';

const renamed = { changed: ['name'], changes: { name: { from: 'Orders', to: 'Billing' } } };

// biome-ignore format: one line for each action
export const actionSamples: { [A in AuditAction]: Payloads[A] } = {
  'workspace.created': { slug: 'acme' },
  'workspace.updated': renamed,
  'workspace_member.joined': { role: 'admin', email: 'ada@example.com' },
  'workspace_member.role_changed': { from: 'member', to: 'admin' },
  'workspace_member.removed': { role: 'member' },
  'workspace_invite.created': { email: 'ada@example.com', role: 'member' },
  'workspace_invite.revoked': { role: 'member' },
  'workspace_invite.accepted': { role: 'member' },
  'project.created': { slug: 'billing' },
  'project.updated': renamed,
  'project.deleted': { slug: 'billing', revoked_keys: 3 },
  'tenant.created': { external_id: 'cust_42' },
  'tenant.updated': renamed,
  'tenant.deleted': { external_id: 'cust_42', revoked_keys: 3 },
  'tenant.embed_tokens_revoked': { embed_epoch: 2 },
  'api_key.created': { env: 'live', display_prefix: 'kr_live_4fT9aQ' },
  'api_key.imported': { env: 'live', count: 500 },
  'api_key.updated': { env: 'live', ...renamed },
  'api_key.rotated': { env: 'live', successor_id: SUCCESSOR_ID, overlap_hours: 24 },
  'api_key.revoked': { env: 'live', reason: 'leaked' },
  'api_key.quarantined': { env: 'live', reason: 'secret_scanning' },
  'api_key.disabled': { env: 'live', reason: null },
  'api_key.enabled': { env: 'live' },
  'secret_key.created': { env: 'live', display_prefix: 'krsk_live_8hB2cW' },
  'secret_key.updated': {
    env: 'live',
    changed: ['permissions'],
    changes: { permissions: { added: [], removed: ['keys:write'] } },
  },
  'secret_key.rotated': { env: 'live', successor_id: SUCCESSOR_ID, overlap_hours: 24 },
  'secret_key.revoked': { env: 'live', reason: null },
  'secret_key.quarantined': { env: 'live', reason: 'secret_scanning' },
  'webhook_endpoint.created': { host: 'hooks.example.com', events: ['api_key.*'] },
  'webhook_endpoint.updated': { changed: ['disabled'], changes: { disabled: { from: false, to: true } } },
  'webhook_endpoint.secret_rotated': { overlap_hours: 24 },
  'webhook_endpoint.deleted': { host: 'hooks.example.com' },
  'webhook_endpoint.disabled': { reason: 'Every delivery has failed for five days.' },
  'webhook_endpoint.tested': { delivery_id: DELIVERY_ID },
  'webhook_endpoint.redelivered': { delivery_id: DELIVERY_ID, type: 'api_key.revoked' },
};
