export const texts = {
  title: 'Settings',
  failed: 'Couldn’t load the workspace.',
  general: {
    title: 'Name',
    lead: 'Shown to members and in invitation emails.',
    label: 'Workspace name',
    action: 'Save name',
    saved: 'Name saved.',
  },
  billing: {
    title: 'Billing email',
    lead: 'Where invoice questions are sent. Keys are never sent to it.',
    label: 'Email address',
    action: 'Save billing email',
    saved: 'Billing email saved.',
    none: 'None',
  },
  facts: {
    title: 'Identifiers',
    lead: 'For use in code and when contacting support. They never change.',
    id: 'Workspace ID',
    slug: 'Slug',
    created: 'Created',
    yourRole: 'Your role',
  },
};
