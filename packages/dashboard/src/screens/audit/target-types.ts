// Names for the kinds of audit log targets. They are in a separate file, because the overview needs
// the names of actions but not the names of targets.
export const targetTypes: Readonly<Record<string, string>> = {
  workspace: 'Workspace',
  workspace_member: 'Member',
  workspace_invite: 'Invitation',
  project: 'Project',
  tenant: 'Tenant',
  api_key: 'Key',
  secret_key: 'Secret key',
  webhook_endpoint: 'Webhook endpoint',
};
