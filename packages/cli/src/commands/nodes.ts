// Nodes: the processes that verify keys with the SDK.
import type { Answer } from '@keyrail/client';
import { LIST_LIMIT_MAX } from '@keyrail/protocol/wire/limits.ts';
import { type Group, listCommand } from '../command.ts';
import { envOf, envOption, projectOption } from '../input/options.ts';
import { projectIdOf } from '../input/resolve-ids.ts';
import type { Field } from '../output/fields.ts';

type Node = Answer<'GET /v1/policy/nodes'>['data'][number];

const tones = { current: 'green', behind: 'yellow', silent: 'red' } as const;

const fields: readonly Field<Node>[] = [
  { title: 'node', of: (node) => node.node_id },
  { title: 'state', of: ({ state }) => ({ text: state, tone: tones[state] }) },
  { title: 'env', of: (node) => node.env_scope },
  { title: 'version', of: (node) => `${node.version} of ${node.current_version}` },
  { title: 'sdk', of: ({ sdk }) => (sdk ? `${sdk.name} ${sdk.version}` : null), drop: 2 },
  { title: 'last seen', of: (node, format) => format.time(node.last_seen_at) },
  { title: 'first seen', of: (node, format) => format.time(node.first_seen_at), drop: 1 },
];

export const nodes: Group = {
  name: 'nodes',
  summary: 'processes that verify keys with the SDK',
  commands: [
    listCommand({
      summary: "list a project's nodes, most recently seen first",
      options: [{ ...projectOption, required: true }, envOption],
      examples: [
        'keyrail nodes list --project payments',
        'keyrail nodes list --project payments --json',
      ],
      notes: `A node is silent if it hasn't polled for 90 seconds. Revocations don't wait for
silent nodes.`,
      pageMax: LIST_LIMIT_MAX,
      pages: async (client, given, page) =>
        client.pages('GET /v1/policy/nodes', {
          ...page,
          query: {
            ...page.query,
            project_id: await projectIdOf(client, given.text('project')),
            env: envOf(given),
          },
        }),
      fields,
      empty: 'No nodes.',
    }),
  ],
};
