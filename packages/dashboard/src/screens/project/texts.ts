import { cappedCount } from '@keyrail/protocol/wire/capped-count.ts';

type Inheriting = { keys: number; capped: boolean };

const number = (count: number): string => count.toLocaleString('en');

export const texts = {
  projects: 'Projects',
  loading: 'Project',
  failed: 'Couldn’t load the project.',
  goneTitle: 'Project not found',
  gone: 'It may have been deleted, or the link is wrong. The audit log still has its history.',
  toProjects: 'All projects',
  edit: 'Edit',
  remove: 'Delete project',
  facts: 'Details',
  slug: 'Slug',
  id: 'ID',
  version: 'Policy version',
  created: 'Created',
  keys: { live: 'Live keys', test: 'Test keys' },
  counted: (active: number, total: number) => `${number(active)} active of ${number(total)}`,
  connect: 'Connect a node',
  connectLead:
    'Set KEYRAIL_SECRET_KEY to a secret key made for a node, which can verify keys and nothing else.',
  secretKeys: 'Secret keys',
  limits: 'Default rate limits',
  limitsLead: 'Applied to every key without its own limits.',
  // The limits apply to both environments, but the other numbers on the page are for the current
  // environment.
  inherit: ({ keys, capped }: Inheriting) =>
    `Keys using these limits, live and test: ${cappedCount(keys, { capped })}.`,
  noLimits: 'No limits.',
  changeLimits: 'Edit limits',
  nodes: 'Nodes',
  nodesFailed: 'Couldn’t load nodes.',
  noNodes: 'No nodes are connected to this project. A node shows up here as soon as it connects.',
  traffic: 'Traffic',
  trafficFailed: 'Couldn’t load traffic.',
  form: {
    name: 'Name',
    editTitle: 'Edit project',
    limitsTitle: 'Default rate limits',
    action: 'Save project',
    done: 'Project saved.',
    limitsAction: 'Save limits',
    limitsDone: 'Limits saved.',
    changes: ({ keys, capped }: Inheriting) =>
      keys === 0 && !capped
        ? 'No keys use these limits, so no keys are affected.'
        : `Keys affected, live and test: ${cappedCount(keys, { capped })}. Every node will reload its full policy.`,
  },
};
