// Names for the kinds of targets. They are separate from the actions, which the overview also
// loads.
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
