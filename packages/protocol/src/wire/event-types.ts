// The types of outbound events: every action in the audit log, and notices triggered by a date.

/** The actions recorded in the audit log. */
export const auditActions = [
  'workspace.created',
  'workspace.updated',
  'workspace_member.joined',
  'workspace_member.role_changed',
  'workspace_member.removed',
  'workspace_invite.created',
  'workspace_invite.revoked',
  'workspace_invite.accepted',
  'project.created',
  'project.updated',
  'project.deleted',
  'tenant.created',
  'tenant.updated',
  'tenant.deleted',
  'tenant.embed_tokens_revoked',
  'api_key.created',
  'api_key.imported',
  'api_key.updated',
  'api_key.rotated',
  'api_key.revoked',
  'api_key.quarantined',
  'api_key.disabled',
  'api_key.enabled',
  'secret_key.created',
  'secret_key.updated',
  'secret_key.rotated',
  'secret_key.revoked',
  'secret_key.quarantined',
  'webhook_endpoint.created',
  'webhook_endpoint.updated',
  'webhook_endpoint.secret_rotated',
  'webhook_endpoint.deleted',
  'webhook_endpoint.disabled',
  'webhook_endpoint.tested',
  'webhook_endpoint.redelivered',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** Events that aren't caused by a change, so the audit log has no entry for them. */
export const noticeTypes = [
  'api_key.expiring',
  'api_key.expired',
  'api_key.unused',
  'secret_key.expiring',
] as const;
export type NoticeType = (typeof noticeTypes)[number];

/**
 * Sent when the vendor tests an endpoint, regardless of the events that the endpoint subscribes to.
 */
export const TEST_EVENT = 'webhook.test';

const eventTypes: readonly string[] = [...auditActions, ...noticeTypes];

const groups: ReadonlySet<string> = new Set(
  eventTypes.map((type) => `${type.slice(0, type.indexOf('.'))}.*`),
);

/**
 * Whether the string is a valid filter: an event type, all types for one kind of object, or `*`.
 */
export const isEventFilter = (text: string): boolean =>
  text === '*' || groups.has(text) || eventTypes.includes(text);

/** Whether an event type matches a filter. */
export const isEventOf = (filter: string, type: string): boolean =>
  filter === '*' || filter === type || filter === `${type.slice(0, type.indexOf('.'))}.*`;
