// What each event says, and a payload of it. The types are those that the server writes with.
import type { AuditAction, NoticeType } from '@keyrail/protocol/wire/event-types.ts';
import type { Payloads } from '@keyrail/server/doors/actions.ts';

type Sample<P> = { when: string; payload: P };

export const KEY_ID = '01890c5e-7b21-7c3a-9d5e-000000000001';
export const PROJECT_ID = '01890c5e-7b21-7c3a-9d5e-000000000002';
export const TENANT_ID = '01890c5e-7b21-7c3a-9d5e-000000000003';
const SUCCESSOR_ID = '01890c5e-7b21-7c3a-9d5e-000000000004';
const DELIVERY_ID = '5f3a9c1e-2b4d-4e6f-8a9b-000000000005';

const renamed = { changed: ['name'], changes: { name: { from: 'Orders', to: 'Billing' } } };

// biome-ignore format: one line for each action
export const actionSamples: { [A in AuditAction]: Sample<Payloads[A]> } = {
  'workspace.created': { when: 'The workspace was created.', payload: { slug: 'acme' } },
  'workspace.updated': { when: 'The workspace was changed.', payload: renamed },
  'workspace_member.joined': { when: 'A person joined the workspace.', payload: { role: 'admin', email: 'ada@example.com' } },
  'workspace_member.role_changed': { when: 'A member got another role.', payload: { from: 'member', to: 'admin' } },
  'workspace_member.removed': { when: 'A member was removed.', payload: { role: 'member' } },
  'workspace_invite.created': { when: 'A person was invited.', payload: { email: 'ada@example.com', role: 'member' } },
  'workspace_invite.revoked': { when: 'An invitation was revoked.', payload: { role: 'member' } },
  'workspace_invite.accepted': { when: 'An invitation was accepted.', payload: { role: 'member' } },
  'project.created': { when: 'A project was created.', payload: { slug: 'billing' } },
  'project.updated': { when: 'A project was changed.', payload: renamed },
  'project.deleted': { when: 'A project was deleted, and its keys were revoked.', payload: { revoked_keys: 3 } },
  'tenant.created': { when: 'A tenant was created.', payload: { external_id: 'cust_42' } },
  'tenant.updated': { when: 'A tenant was changed.', payload: renamed },
  'tenant.deleted': { when: 'A tenant was deleted, and its keys were revoked.', payload: { revoked_keys: 3 } },
  'tenant.embed_tokens_revoked': { when: 'All embed tokens of a tenant were revoked.', payload: { embed_epoch: 2 } },
  'api_key.created': { when: 'An API key was created.', payload: { env: 'live', display_prefix: 'kr_live_4fT9aQ' } },
  'api_key.imported': { when: 'API keys of another product were imported. The target is the project.', payload: { env: 'live', count: 500 } },
  'api_key.updated': { when: 'An API key was changed.', payload: { env: 'live', ...renamed } },
  'api_key.rotated': { when: 'An API key was replaced. The target is the old key.', payload: { env: 'live', successor_id: SUCCESSOR_ID, overlap_hours: 24 } },
  'api_key.revoked': { when: 'An API key was revoked.', payload: { env: 'live', reason: 'leaked' } },
  'api_key.quarantined': { when: 'An API key was found in public; it ends within the hour.', payload: { env: 'live', reason: 'secret_scanning' } },
  'api_key.disabled': { when: 'An API key was disabled.', payload: { env: 'live', reason: null } },
  'api_key.enabled': { when: 'An API key was enabled again.', payload: { env: 'live' } },
  'secret_key.created': { when: 'A secret key was created.', payload: { env: 'live', display_prefix: 'krsk_live_8hB2cW' } },
  'secret_key.rotated': { when: 'A secret key was replaced. The target is the old key.', payload: { env: 'live', successor_id: SUCCESSOR_ID, overlap_hours: 24 } },
  'secret_key.revoked': { when: 'A secret key was revoked.', payload: { env: 'live', reason: null } },
  'secret_key.quarantined': { when: 'A secret key was found in public; it ends within the hour.', payload: { env: 'live', reason: 'secret_scanning' } },
  'webhook_endpoint.created': { when: 'An endpoint for events was registered.', payload: { host: 'hooks.example.com', events: ['api_key.*'] } },
  'webhook_endpoint.updated': { when: 'An endpoint was changed, disabled or enabled.', payload: { changed: ['disabled'], changes: { disabled: { from: false, to: true } } } },
  'webhook_endpoint.secret_rotated': { when: 'The signing secret of an endpoint was replaced.', payload: { overlap_hours: 24 } },
  'webhook_endpoint.deleted': { when: 'An endpoint was removed.', payload: { host: 'hooks.example.com' } },
  'webhook_endpoint.disabled': { when: 'An endpoint was disabled because every delivery failed for five days.', payload: { reason: 'Every delivery failed for five days.' } },
  'webhook_endpoint.tested': { when: 'A test event was sent to an endpoint.', payload: { delivery_id: DELIVERY_ID } },
  'webhook_endpoint.redelivered': { when: 'A delivery was repeated on request.', payload: { delivery_id: DELIVERY_ID, type: 'api_key.revoked' } },
};

export const noticeTexts: Readonly<Record<NoticeType, string>> = {
  'api_key.expiring': '14, 3 and 1 days before an API key ends.',
  'api_key.expired': 'An API key has ended.',
  'api_key.unused': 'An API key was not used for 90 days. Sent once, until it is used again.',
  'secret_key.expiring': '14, 3 and 1 days before a secret key ends.',
};
