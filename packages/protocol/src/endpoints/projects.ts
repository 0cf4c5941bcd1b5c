// Projects: the APIs a vendor protects.
import { z } from 'zod';
import { endpoints } from '../endpoint.ts';
import { DeletedProject, Project } from '../objects/project.ts';
import { list } from '../objects/wire.ts';
import { byId, paging, search } from '../query.ts';
import { Name, RateLimits, Slug } from '../validators.ts';
import { LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX } from '../wire/limits.ts';

export const projectEndpoints = endpoints({
  'POST /v1/projects': {
    auth: 'vendor',
    permission: 'projects:write',
    allProjects: true,
    summary: 'Create a project',
    description:
      'Create one for each API you protect. Every key belongs to one project and uses its ' +
      'default rate limits unless the key has its own.',
    body: z.strictObject({
      name: Name,
      slug: Slug,
      default_rate_limits: RateLimits.default([]),
    }),
    refusals: { 409: 'The slug is taken.' },
    answers: { 201: Project },
  },
  'GET /v1/projects': {
    auth: 'vendor',
    permission: 'projects:read',
    summary: 'List projects',
    description: 'Newest first. Use `slug` to find the ID of a project you know by name.',
    query: z.strictObject({
      slug: Slug.optional(),
      ...byId,
      ...search('name, slug or ID'),
      ...paging(LIST_LIMIT_MAX, LIST_LIMIT_DEFAULT),
    }),
    list: true,
    answers: { 200: list(Project) },
  },
  'GET /v1/projects/{id}': {
    auth: 'vendor',
    permission: 'projects:read',
    summary: 'Read a project',
    description:
      'Returns its default rate limits and its policy version, which increases with every change ' +
      'to its keys.',
    answers: { 200: Project },
  },
  'PATCH /v1/projects/{id}': {
    auth: 'vendor',
    permission: 'projects:write',
    summary: 'Change a project',
    description:
      'Changes the fields you send. New default rate limits make every node load a full snapshot.',
    body: z.strictObject({
      name: Name.optional(),
      default_rate_limits: RateLimits.optional(),
    }),
    bodyOptional: true,
    dryRun: true,
    answers: { 200: Project },
  },
  'DELETE /v1/projects/{id}': {
    auth: 'vendor',
    permission: 'projects:write',
    summary: 'Delete a project and revoke its keys',
    description: "All of the project's keys stop working on every node. This cannot be undone.",
    dryRun: true,
    answers: { 200: DeletedProject },
  },
});
