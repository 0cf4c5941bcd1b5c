import { cappedCount } from '@keyrail/protocol/wire/capped-count.ts';
import { capitalised } from '../../texts/capitalised.ts';

type Inheriting = { keys: number; capped: boolean };

const sentence = ({ keys, capped }: Inheriting, one: string, several: string): string => {
  const words = keys === 1 && !capped ? `key ${one}` : `keys ${several}`;
  return capitalised(`${cappedCount(keys, { capped })} ${words}`);
};

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
  counted: (active: number, total: number) =>
    `${active.toLocaleString('en')} active of ${total.toLocaleString('en')}`,
  connect: 'Connect a node',
  connectLead: 'KEYRAIL_SECRET_KEY is a secret key of this workspace.',
  secretKeys: 'Secret keys',
  limits: 'Default rate limits',
  limitsLead: 'They apply to every key that has none of its own.',
  inherit: (inheriting: Inheriting) => `${sentence(inheriting, 'inherits', 'inherit')} them.`,
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
    changes: (inheriting: Inheriting) =>
      inheriting.keys === 0 && !inheriting.capped
        ? 'No key inherits them, so none would change.'
        : `${sentence(inheriting, 'would change', 'would change')}. Every node loads the full policy.`,
  },
};
