import type { Env } from '../../paths.ts';

const list = new Intl.ListFormat('en', { type: 'conjunction' });

export const texts = {
  title: (env: Env) => `Create ${env} key`,
  crumb: 'Keys',
  place: 'Project and tenant',
  what: 'Permissions',
  when: 'Expiry',
  project: 'Project',
  projectPlaceholder: 'Search, or enter a new name',
  noProjects: 'No matching projects',
  createProject: (name: string) => `Create project ${name}`,
  tenant: 'Tenant',
  tenantPlaceholder: 'Search, or enter a new external ID',
  tenantHint:
    'The customer this key is for. If you create a new tenant, what you type becomes its external ID.',
  noTenants: 'No matching tenants',
  createTenant: (name: string) => `Create tenant ${name}`,
  isNew: 'New. It will be created together with the key.',
  missing: { project: 'Choose or create a project.', tenant: 'Choose or create a tenant.' },
  name: 'Name',
  namePlaceholder: 'Backend',
  scopes: 'Scopes',
  scopesPlaceholder: 'invoices:read',
  scopesHint: 'The scopes your routes require. Press Enter, comma or space to add one.',
  expires: 'Expires',
  expiries: [
    { value: 'never', label: 'Never' },
    { value: '30', label: '30 days' },
    { value: '90', label: '90 days' },
    { value: '365', label: '365 days' },
    { value: 'date', label: 'Date' },
  ] as const,
  date: 'Date and time',
  dateHint: 'In your local time.',
  missingDate: 'Choose a date.',
  like: {
    failed: 'Couldn’t load the key to copy from.',
    from: (name: string) => `Filled in from ${name}.`,
    meta: 'Its metadata is copied too.',
  },
  action: (env: Env) => `Create ${env} key`,
  same: 'This request as code',
  asCode: 'This request as code',
  sentence: {
    key: (env: Env, name: string) => (name === '' ? `A ${env} key` : `The ${env} key ${name}`),
    of: (tenant: string, project: string) => ` lets ${tenant} call ${project}`,
    noTenant: 'a tenant',
    noProject: 'a project',
    scopes: (scopes: readonly string[]) =>
      scopes.length === 0 ? ', with no scopes' : `, with ${list.format(scopes)}`,
    projectLimits: ', within the project’s rate limits',
    noLimits: ', without a rate limit',
    custom: (rules: readonly string[]) =>
      rules.length === 0
        ? ', with custom rate limits still to be added'
        : `, ${list.format(rules)}`,
    never: ', until you revoke it.',
    until: (moment: string) => `, until ${moment}.`,
  },
  lost: 'The key was created, but the response containing it was lost. Rotate the key to get one you can copy.',
  revealTitle: (env: Env, name: string) => `${env === 'live' ? 'Live' : 'Test'} key ${name}`,
};
