// All audit actions and their payloads. A payload never contains a secret, a list of people, or the
// contents of `meta`.
import type { JsonValue } from '@keyrail/protocol/wire/audit-chain.ts';
import { type AuditAction, auditActions } from '@keyrail/protocol/wire/event-types.ts';
import type { Env, Role } from './reach.ts';

/**
 * How a field changed. For a set of strings, the strings added and removed; for a withheld value,
 * an empty object.
 */
export type Difference =
  | { from: JsonValue; to: JsonValue }
  | { added: string[]; removed: string[] }
  | Record<string, never>;

/** The names of the changed fields, and how each one changed. */
export type Changed = { changed: string[]; changes: Record<string, Difference> };
type KeyCreated = { env: Env; display_prefix: string };
type KeyRotated = { env: Env; successor_id: string; overlap_hours: number };
type KeyRevoked = { env: Env; reason: string | null };
type KeyQuarantined = { env: Env; reason: string };

/**
 * Contains only the URL's host, because the path or query may contain one of the vendor's secrets.
 */
type WebhookNamed = { host: string };

export type Payloads = {
  'workspace.created': { slug: string };
  'workspace.updated': Changed;
  'workspace_member.joined': { role: Role; email: string } | { role: Role; invited_to: string };
  'workspace_member.role_changed': { from: Role; to: Role };
  'workspace_member.removed': { role: Role };
  'workspace_invite.created': { email: string; role: Role };
  'workspace_invite.revoked': { role: Role };
  'workspace_invite.accepted': { role: Role };
  'project.created': { slug: string };
  'project.updated': Changed;
  'project.deleted': { slug: string; revoked_keys: number };
  'tenant.created': { external_id: string };
  'tenant.updated': Changed;
  'tenant.deleted': { external_id: string; revoked_keys: number };
  'tenant.embed_tokens_revoked': { embed_epoch: number };
  'api_key.created': KeyCreated;
  'api_key.imported': { env: Env; count: number };
  'api_key.updated': { env: Env } & Changed;
  'api_key.rotated': KeyRotated;
  'api_key.revoked': KeyRevoked;
  'api_key.quarantined': KeyQuarantined;
  'api_key.disabled': { env: Env; reason: string | null };
  'api_key.enabled': { env: Env };
  'secret_key.created': KeyCreated;
  'secret_key.updated': { env: Env } & Changed;
  'secret_key.rotated': KeyRotated;
  'secret_key.revoked': KeyRevoked;
  'secret_key.quarantined': KeyQuarantined;
  'webhook_endpoint.created': WebhookNamed & { events: string[] };
  'webhook_endpoint.updated': Changed;
  'webhook_endpoint.secret_rotated': { overlap_hours: number };
  'webhook_endpoint.deleted': WebhookNamed;
  'webhook_endpoint.disabled': { reason: string };
  'webhook_endpoint.tested': { delivery_id: string };
  'webhook_endpoint.redelivered': { delivery_id: string; type: string };
};

type Action = AuditAction;

/** Returns all actions on targets of one type. */
export const actionsOn = (targetType: string): string[] =>
  auditActions.filter((action) => action.startsWith(`${targetType}.`));

/** An audit log entry, as an operation describes it. */
export type Entry = {
  [A in Action]: { action: A; target: string; payload: Payloads[A] };
}[Action];

/**
 * The type of an action's target: `secret_key` for `secret_key.created`. For an import, it is
 * `project`, because an import creates many keys.
 */
export const targetTypeOf = (action: Action): string =>
  action === 'api_key.imported' ? 'project' : action.slice(0, action.indexOf('.'));

/** Returns the key's environment, or null if the entry isn't about a key. */
export const envOf = (entry: Entry): Env | null =>
  'env' in entry.payload ? entry.payload.env : null;
