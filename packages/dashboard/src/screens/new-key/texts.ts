import type { Env } from '../../paths.ts';

const list = new Intl.ListFormat('en', { type: 'conjunction' });

export const texts = {
  title: (env: Env) => `Create ${env} key`,
  crumb: 'Keys',
  place: 'Project and tenant',
  what: 'What it may do',
  when: 'Until when',
  project: 'Project',
  projectPlaceholder: 'Search, or type a new name',
  noProjects: 'No matching projects',
  createProject: (name: string) => `Create project ${name}`,
  tenant: 'Tenant',
  tenantPlaceholder: 'Search, or type a new id',
  tenantHint: 'Your customer. A new one gets what you type as its external id.',
  noTenants: 'No matching tenants',
  createTenant: (name: string) => `Create tenant ${name}`,
  isNew: 'New. It’s created together with the key.',
  missing: { project: 'Choose or create a project.', tenant: 'Choose or create a tenant.' },
  name: 'Name',
  namePlaceholder: 'Backend',
  scopes: 'Scopes',
  scopesPlaceholder: 'invoices:read',
  scopesHint: 'What your routes ask for. Enter, comma or space adds one.',
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
    failed: 'The key to copy from could not be read.',
    from: (name: string) => `Filled in from ${name}.`,
    meta: 'Its metadata is copied too.',
  },
  action: (env: Env) => `Create ${env} key`,
  readOnly: 'Your role is member: you cannot create keys.',
  back: 'All keys',
  same: 'The same',
  asCode: 'The same request',
  sentence: {
    key: (env: Env, name: string) => (name === '' ? `A ${env} key` : `The ${env} key ${name}`),
    of: (tenant: string, project: string) => ` lets ${tenant} call ${project}`,
    noTenant: 'a tenant',
    noProject: 'a project',
    scopes: (scopes: readonly string[]) =>
      scopes.length === 0 ? ', with no scopes' : `, with ${list.format(scopes)}`,
    limits: { project: ', within the limits of the project', unlimited: ', without rate limits' },
    custom: (rules: readonly string[]) =>
      rules.length === 0
        ? ', with custom rate limits still to be added'
        : `, ${list.format(rules)}`,
    never: ', until you revoke it.',
    until: (moment: string) => `, until ${moment}.`,
  },
  lost: 'The key is created, but it got lost on its way. Rotate it to get a new one.',
  revealTitle: (env: Env, name: string) => `${env === 'live' ? 'Live' : 'Test'} key ${name}`,
};
