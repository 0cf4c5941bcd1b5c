import { cappedCount } from '@keyrail/protocol/wire/capped-count.ts';

type Inheriting = { keys: number; capped: boolean };

const number = (count: number): string => count.toLocaleString('en');

export const texts = {
  projects: 'Projects',
  loading: 'Project',
  failed: 'The project could not be read.',
  goneTitle: 'No such project',
  gone: 'It was deleted, or the address is wrong. Its changes are still in the audit log.',
  toProjects: 'All projects',
  edit: 'Edit',
  remove: 'Delete project',
  facts: 'Project',
  slug: 'Slug',
  id: 'Id',
  version: 'Policy version',
  created: 'Created',
  keys: { live: 'Live keys', test: 'Test keys' },
  counted: (active: number, total: number) => `${number(active)} active of ${number(total)}`,
  connect: 'Connect a node',
  connectLead: 'KEYRAIL_SECRET_KEY is a secret key of this workspace.',
  secretKeys: 'Secret keys',
  limits: 'Default rate limits',
  limitsLead: 'They apply to every key that has none of its own.',
  // Limits belong to both environments; the other numbers on the page, to the one shown.
  inherit: ({ keys, capped }: Inheriting) =>
    `Keys that inherit them, live and test: ${cappedCount(keys, { capped })}.`,
  noLimits: 'No limits.',
  changeLimits: 'Change',
  nodes: 'Nodes',
  nodesFailed: 'Nodes could not be read.',
  noNodes: 'No node follows this project. It appears here as soon as it asks for the policy.',
  traffic: 'Traffic',
  trafficFailed: 'Traffic could not be read.',
  form: {
    name: 'Name',
    editTitle: 'Edit project',
    limitsTitle: 'Default rate limits',
    action: 'Save',
    done: 'Saved.',
    changes: ({ keys, capped }: Inheriting) =>
      keys === 0 && !capped
        ? 'No key inherits them, so none would change.'
        : `Keys that would change, live and test: ${cappedCount(keys, { capped })}. Every node loads the full policy.`,
  },
};
