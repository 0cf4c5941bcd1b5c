// The two environments.
import { type Group, listing } from '../command.ts';

export const environments: Group = {
  name: 'environments',
  summary: 'live and test',
  commands: [
    listing({
      summary: 'list the environments',
      examples: ['keyrail environments list'],
      pageMax: 1000,
      walk: (client, _, page) => client.pages('GET /v1/environments', page),
      facts: [
        { title: 'name', of: (one) => one.name },
        { title: 'billable', of: (one) => (one.billable ? 'yes' : 'no') },
      ],
      empty: 'No environments.',
    }),
  ],
};
