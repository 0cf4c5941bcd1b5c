// The words that describe each action in the audit log: what an actor did to a target.

type Words = {
  /** The verb, shown between the actor and the target. */
  verb: string;
  /** The kind of target, shown before its name. */
  noun: string;
  /**
   * The verb shown instead of `verb` and the target if the actor and the target are the same user.
   */
  own?: string;
};

// biome-ignore format: one line for each action
export const actions: Readonly<Record<string, Words>> = {
  'workspace.created': { verb: 'created', noun: 'the workspace' },
  'workspace.updated': { verb: 'updated', noun: 'the workspace' },
  'workspace_member.joined': { verb: 'added', noun: 'member', own: 'joined' },
  'workspace_member.removed': { verb: 'removed', noun: 'member', own: 'left' },
  'workspace_member.role_changed': { verb: 'changed the role of', noun: 'member' },
  'workspace_invite.created': { verb: 'invited', noun: '' },
  'workspace_invite.accepted': { verb: 'accepted', noun: 'the invitation for' },
  'workspace_invite.revoked': { verb: 'revoked', noun: 'the invitation for' },
  'project.created': { verb: 'created', noun: 'project' },
  'project.updated': { verb: 'updated', noun: 'project' },
  'project.deleted': { verb: 'deleted', noun: 'project' },
  'tenant.created': { verb: 'created', noun: 'tenant' },
  'tenant.updated': { verb: 'updated', noun: 'tenant' },
  'tenant.deleted': { verb: 'deleted', noun: 'tenant' },
  'tenant.embed_tokens_revoked': { verb: 'revoked all embed tokens for', noun: 'tenant' },
  'api_key.created': { verb: 'created', noun: 'key' },
  'api_key.imported': { verb: 'imported keys into', noun: 'project' },
  'api_key.updated': { verb: 'updated', noun: 'key' },
  'api_key.rotated': { verb: 'rotated', noun: 'key' },
  'api_key.disabled': { verb: 'disabled', noun: 'key' },
  'api_key.enabled': { verb: 'enabled', noun: 'key' },
  'api_key.revoked': { verb: 'revoked', noun: 'key' },
  'api_key.quarantined': { verb: 'quarantined', noun: 'key' },
  'secret_key.created': { verb: 'created', noun: 'secret key' },
  'secret_key.updated': { verb: 'updated', noun: 'secret key' },
  'secret_key.rotated': { verb: 'rotated', noun: 'secret key' },
  'secret_key.revoked': { verb: 'revoked', noun: 'secret key' },
  'secret_key.quarantined': { verb: 'quarantined', noun: 'secret key' },
  'webhook_endpoint.created': { verb: 'added', noun: 'webhook endpoint' },
  'webhook_endpoint.updated': { verb: 'updated', noun: 'webhook endpoint' },
  'webhook_endpoint.secret_rotated': { verb: 'rotated the secret for', noun: 'webhook endpoint' },
  'webhook_endpoint.deleted': { verb: 'removed', noun: 'webhook endpoint' },
  'webhook_endpoint.disabled': { verb: 'disabled', noun: 'webhook endpoint' },
  'webhook_endpoint.tested': { verb: 'tested', noun: 'webhook endpoint' },
  'webhook_endpoint.redelivered': { verb: 'resent a delivery to', noun: 'webhook endpoint' },
};

/** Fields whose names differ between the API and the user interface. */
export const fieldNames: Readonly<Record<string, string>> = {
  disabled: 'state',
  embed_origins: 'allowed origins',
  env: 'environment',
  expires_at: 'expiry',
  meta: 'metadata',
  project_ids: 'projects',
  url: 'URL',
};

/** Shown for a secret key's limit that is null in the log, which means unlimited. */
export const unlimited: Readonly<Record<string, string>> = {
  permissions: 'everything its role allows',
  project_ids: 'all projects',
  networks: 'any network',
};
