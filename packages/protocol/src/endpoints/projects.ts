// Projects: the APIs that a vendor protects.
import { z } from 'zod';
import { endpoints } from '../endpoint.ts';
import { DeletedProject, Project } from '../objects/project.ts';
import { list } from '../objects/wire.ts';
import { paging, search } from '../query.ts';
import { Name, RateLimits, Slug } from '../validators.ts';
import { LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX } from '../wire/limits.ts';

export const projectEndpoints = endpoints({
  'POST /v1/projects': {
    auth: 'vendor',
    summary: 'Create a project',
    body: z.strictObject({
      name: Name,
      slug: Slug,
      default_rate_limits: RateLimits.default([]),
    }),
    answers: { 201: Project },
  },
  'GET /v1/projects': {
    auth: 'vendor',
    summary: 'List projects',
    query: z.strictObject({
      slug: Slug.optional(),
      ...search('name or slug'),
      ...paging(LIST_LIMIT_MAX, LIST_LIMIT_DEFAULT),
    }),
    list: true,
    answers: { 200: list(Project) },
  },
  'GET /v1/projects/{id}': {
    auth: 'vendor',
    summary: 'Read a project',
    answers: { 200: Project },
  },
  'PATCH /v1/projects/{id}': {
    auth: 'vendor',
    summary: 'Change a project',
    description: 'New default rate limits make every node fetch a full snapshot.',
    body: z.strictObject({
      name: Name.optional(),
      default_rate_limits: RateLimits.optional(),
    }),
    bodyOptional: true,
    answers: { 200: Project },
  },
  'DELETE /v1/projects/{id}': {
    auth: 'vendor',
    summary: 'Delete a project and revoke its keys',
    answers: { 200: DeletedProject },
  },
});
