// The events an endpoint can receive, grouped by the kind of object they are about.
import {
  type AuditAction,
  auditActions,
  type NoticeType,
  noticeTypes,
} from '@keyrail/protocol/wire/event-types.ts';

type EventType = AuditAction | NoticeType;

// biome-ignore format: one line for each event
export const eventTexts: Readonly<Record<EventType, string>> = {
  'workspace.created': 'The workspace was created.',
  'workspace.updated': 'The workspace’s name, billing email or allowed origins were changed.',
  'workspace_member.joined': 'A member joined the workspace.',
  'workspace_member.role_changed': 'A member’s role was changed.',
  'workspace_member.removed': 'A member was removed.',
  'workspace_invite.created': 'Someone was invited to the workspace.',
  'workspace_invite.revoked': 'An invitation was revoked.',
  'workspace_invite.accepted': 'An invitation was accepted.',
  'project.created': 'A project was created.',
  'project.updated': 'A project’s name or default rate limits were changed.',
  'project.deleted': 'A project was deleted, and its keys were revoked.',
  'tenant.created': 'A tenant was created.',
  'tenant.updated': 'A tenant’s name or metadata was changed.',
  'tenant.deleted': 'A tenant was deleted, and its keys were revoked.',
  'tenant.embed_tokens_revoked': 'All of a tenant’s embed tokens were revoked.',
  'api_key.created': 'An API key was created.',
  'api_key.imported': 'API keys from another product were imported.',
  'api_key.updated': 'An API key’s name, scopes, limits, metadata or expiry was changed.',
  'api_key.rotated': 'An API key was replaced with a new one.',
  'api_key.revoked': 'An API key was revoked.',
  'api_key.quarantined': 'A leaked API key was quarantined. It expires within the hour.',
  'api_key.disabled': 'An API key was disabled.',
  'api_key.enabled': 'An API key was enabled again.',
  'api_key.expiring': 'An API key is about to expire. Sent 14 days, 3 days and 1 day before.',
  'api_key.expired': 'An API key has expired.',
  'api_key.unused': 'An API key hasn’t been used for 90 days.',
  'secret_key.created': 'A secret key was created.',
  'secret_key.updated': 'A secret key was renamed or narrowed.',
  'secret_key.rotated': 'A secret key was replaced with a new one.',
  'secret_key.revoked': 'A secret key was revoked.',
  'secret_key.quarantined': 'A leaked secret key was quarantined. It expires within the hour.',
  'secret_key.expiring': 'A secret key is about to expire. Sent 14 days, 3 days and 1 day before.',
  'webhook_endpoint.created': 'A webhook endpoint was added.',
  'webhook_endpoint.updated': 'A webhook endpoint was changed, disabled or enabled.',
  'webhook_endpoint.secret_rotated': 'A webhook endpoint’s signing secret was rotated.',
  'webhook_endpoint.deleted': 'A webhook endpoint was removed.',
  'webhook_endpoint.disabled': 'A webhook endpoint was disabled after five days of failures.',
  'webhook_endpoint.tested': 'A test event was sent to a webhook endpoint.',
  'webhook_endpoint.redelivered': 'A delivery was resent on request.',
};

const allTypes: readonly EventType[] = [...auditActions, ...noticeTypes];

type Group = { filter: string; name: string; types: readonly EventType[] };

const group = (kind: string, name: string): Group => ({
  filter: `${kind}.*`,
  name,
  types: allTypes.filter((type) => type.startsWith(`${kind}.`)),
});

export const eventGroups: readonly Group[] = [
  group('api_key', 'API keys'),
  group('secret_key', 'Secret keys'),
  group('tenant', 'Tenants'),
  group('project', 'Projects'),
  group('workspace_member', 'Members'),
  group('workspace_invite', 'Invitations'),
  group('workspace', 'Workspace'),
  group('webhook_endpoint', 'Webhook endpoints'),
];
