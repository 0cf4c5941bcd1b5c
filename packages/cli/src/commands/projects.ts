// Projects: the APIs that a vendor protects.
import type { Answer } from '@keyrail/client/types.ts';
import { changing, ending, type Group, listing, showing, someOf } from '../command.ts';
import { createdFact, type Fact, idFact, nameFact, updatedFact } from '../facts.ts';
import type { Given } from '../given.ts';
import { projectIdOf } from '../names.ts';
import { nameOption } from '../options.ts';
import { type RateLimit, rateLimitOf, rateLimitOption, rateLimitTexts } from '../rate-limits.ts';

type Project = Answer<'GET /v1/projects/{id}'>;

const facts: readonly Fact<Project>[] = [
  idFact,
  { title: 'slug', of: (project) => project.slug },
  nameFact,
  { title: 'policy', of: (project) => project.policy_version, only: 'record' },
  {
    title: 'rate limits',
    of: (project) => rateLimitTexts(project.default_rate_limits),
    only: 'record',
  },
  createdFact,
  updatedFact,
];

const projectArg = { name: 'project', about: 'project, by id or slug' } as const;

const limitsOf = (given: Given): RateLimit[] | undefined =>
  given.flag('unlimited') ? [] : given.list('rateLimit')?.map(rateLimitOf);

export const projects: Group = {
  name: 'projects',
  summary: 'projects, the APIs that you protect',
  commands: [
    listing({
      summary: 'list projects',
      examples: ['keyrail projects list'],
      pageMax: 1000,
      walk: (client, _, page) => client.pages('GET /v1/projects', page),
      facts,
      empty: 'No projects.',
    }),
    showing({
      name: 'get',
      summary: 'show a project',
      args: [projectArg],
      examples: ['keyrail projects get payments'],
      ask: async (client, given) => {
        const id = await projectIdOf(client, given.text('project'));
        return client.call('GET /v1/projects/{id}', { params: { id } });
      },
      facts,
    }),
    changing({
      name: 'create',
      summary: 'create a project',
      options: [
        { ...nameOption, required: true },
        { flags: '--slug <slug>', about: 'short name for addresses, unique', required: true },
        { ...rateLimitOption, about: `default of its keys: ${rateLimitOption.about}` },
      ],
      examples: ['keyrail projects create --name Payments --slug payments --rate-limit m=600/1m'],
      ask: (client, given) =>
        client.call('POST /v1/projects', {
          body: {
            name: given.text('name'),
            slug: given.text('slug'),
            default_rate_limits: limitsOf(given),
          },
        }),
      facts,
    }),
    changing({
      name: 'update',
      summary: 'change a project',
      args: [projectArg],
      options: [
        nameOption,
        { ...rateLimitOption, about: `default of its keys: ${rateLimitOption.about}` },
        { flags: '--unlimited', about: 'no default rate limits' },
      ],
      examples: ['keyrail projects update payments --rate-limit minute=1200/1m'],
      ask: async (client, given) => {
        const body = someOf({ name: given.maybe('name'), default_rate_limits: limitsOf(given) });
        const id = await projectIdOf(client, given.text('project'));
        return client.call('PATCH /v1/projects/{id}', { params: { id }, body });
      },
      facts,
    }),
    ending({
      name: 'delete',
      summary: 'delete a project and revoke its keys',
      args: [projectArg],
      examples: ['keyrail projects delete payments'],
      question: (given) => `Delete the project ${given.text('project')} and revoke its keys?`,
      ask: async (client, given) => {
        const id = await projectIdOf(client, given.text('project'));
        return client.call('DELETE /v1/projects/{id}', { params: { id } });
      },
      says: (gone) => `Deleted project ${gone.id}; keys revoked: ${gone.revoked_keys}.`,
    }),
  ],
};
