// Names for the kinds of audit log targets. They are in a separate file, because the overview loads
// the actions but doesn't need these names.
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
