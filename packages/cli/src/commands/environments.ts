// The live and test environments.
import { type Group, listCommand } from '../command.ts';

export const environments: Group = {
  name: 'environments',
  summary: 'the live and test environments',
  commands: [
    listCommand({
      summary: 'list the environments',
      examples: ['keyrail environments list'],
      pageMax: 1000,
      pages: (client, _, page) => client.pages('GET /v1/environments', page),
      fields: [
        { title: 'name', of: (one) => one.name },
        { title: 'billable', of: (one) => (one.billable ? 'yes' : 'no') },
      ],
      empty: 'No environments.',
    }),
  ],
};
