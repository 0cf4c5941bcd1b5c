export const texts = {
  title: 'Settings',
  failed: 'The workspace could not be read.',
  general: {
    title: 'Name',
    lead: 'Members, and the mails of invitations, see it.',
    label: 'Name of the workspace',
    action: 'Save name',
    saved: 'The name is saved.',
  },
  billing: {
    title: 'Billing address',
    lead: 'Where questions about invoices go. It receives no keys.',
    label: 'E-mail address',
    action: 'Save address',
    saved: 'The billing address is saved.',
    none: 'None',
  },
  facts: {
    title: 'Identifiers',
    lead: 'For your programs and for support. They never change.',
    id: 'Workspace id',
    slug: 'Address',
    created: 'Founded',
    yourRole: 'Your role',
  },
};
