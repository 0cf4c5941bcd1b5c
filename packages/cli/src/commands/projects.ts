// Projects: the APIs a vendor protects.
import type { Answer } from '@keyrail/client';
import {
  changeCommand,
  confirmedCommand,
  foreseeable,
  type Group,
  listCommand,
  requireChange,
  showCommand,
} from '../command.ts';
import type { Given } from '../input/given.ts';
import { nameOption, searchOption } from '../input/options.ts';
import {
  type RateLimit,
  rateLimitOf,
  rateLimitOption,
  rateLimitTexts,
} from '../input/rate-limits.ts';
import { projectIdOf } from '../input/resolve-ids.ts';
import { createdField, type Field, idField, nameField, updatedField } from '../output/fields.ts';

type Project = Answer<'GET /v1/projects/{id}'>;

const fields: readonly Field<Project>[] = [
  idField,
  { title: 'slug', of: (project) => project.slug },
  nameField,
  { title: 'policy', of: (project) => project.policy_version, only: 'record' },
  {
    title: 'rate limits',
    of: (project) => rateLimitTexts(project.default_rate_limits),
    only: 'record',
  },
  createdField,
  updatedField,
];

const projectArg = { name: 'project', about: 'project, by ID or slug' } as const;

const limitsOf = (given: Given): RateLimit[] | undefined =>
  given.flag('unlimited') ? [] : given.list('rateLimit')?.map(rateLimitOf);

export const projects: Group = {
  name: 'projects',
  summary: 'projects, one for each API you protect',
  commands: [
    listCommand({
      summary: 'list projects',
      options: [searchOption('name, slug or ID')],
      examples: ['keyrail projects list'],
      pageMax: 1000,
      pages: (client, given, page) =>
        client.pages('GET /v1/projects', {
          ...page,
          query: { ...page.query, q: given.maybe('search') },
        }),
      fields,
      empty: 'No projects.',
    }),
    showCommand({
      name: 'get',
      summary: 'show a project',
      args: [projectArg],
      examples: ['keyrail projects get payments'],
      request: async (client, given) => {
        const id = await projectIdOf(client, given.text('project'));
        return client.call('GET /v1/projects/{id}', { params: { id } });
      },
      fields,
    }),
    changeCommand({
      name: 'create',
      summary: 'create a project',
      options: [
        { ...nameOption, required: true },
        { flags: '--slug <slug>', about: 'short unique name', required: true },
        { ...rateLimitOption, about: `default for its keys: ${rateLimitOption.about}` },
      ],
      examples: ['keyrail projects create --name Payments --slug payments --rate-limit m=600/1m'],
      request: (client, given) =>
        client.call('POST /v1/projects', {
          body: {
            name: given.text('name'),
            slug: given.text('slug'),
            default_rate_limits: limitsOf(given),
          },
        }),
      fields,
    }),
    changeCommand({
      name: 'update',
      summary: 'change a project',
      args: [projectArg],
      options: [
        nameOption,
        { ...rateLimitOption, about: `default for its keys: ${rateLimitOption.about}` },
        { flags: '--unlimited', about: 'no default rate limits' },
      ],
      examples: ['keyrail projects update payments --rate-limit minute=1200/1m'],
      ...foreseeable((client) => client.projects.update)(async (client, given) => {
        const body = requireChange({
          name: given.maybe('name'),
          default_rate_limits: limitsOf(given),
        });
        return [await projectIdOf(client, given.text('project')), { body }];
      }),
      fields,
    }),
    confirmedCommand({
      name: 'delete',
      summary: 'delete a project and revoke its keys',
      args: [projectArg],
      examples: ['keyrail projects delete payments'],
      question: (given) => `Delete project ${given.text('project')} and revoke its keys?`,
      ...foreseeable((client) => client.projects.delete)(async (client, given) => [
        await projectIdOf(client, given.text('project')),
      ]),
      message: (gone) => `Deleted project ${gone.id}; keys revoked: ${gone.revoked_keys}.`,
    }),
  ],
};
