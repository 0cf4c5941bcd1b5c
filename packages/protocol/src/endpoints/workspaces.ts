// Creating, reading and changing a workspace.
import { z } from 'zod';
import { endpoints } from '../endpoint.ts';
import { WorkspaceSummary } from '../objects/summary.ts';
import { FoundedWorkspace, Workspace } from '../objects/workspace.ts';
import { Email, EmbedOrigins, Env, Name, Slug } from '../validators.ts';

export const workspaceEndpoints = endpoints({
  'POST /v1/workspaces': {
    auth: 'founder',
    summary: 'Create a workspace',
    description:
      'Also creates the first secret key, in the environment `env`; the key is shown once. With ' +
      'a session, you become the owner. With the bootstrap token, the workspace has no members.',
    body: z.strictObject({
      name: Name,
      slug: Slug,
      billing_email: Email.optional(),
      env: Env.default('live'),
    }),
    refusals: {
      409: 'The slug is taken, or you already own the maximum number of workspaces.',
    },
    answers: { 201: FoundedWorkspace },
  },
  'GET /v1/workspace': {
    auth: 'vendor',
    permission: 'workspace:read',
    summary: 'Read the workspace',
    description:
      "Returns the credential's workspace. A good first request: it shows that a secret key " +
      'works and which workspace it belongs to.',
    answers: { 200: Workspace },
  },
  'GET /v1/workspace/summary': {
    auth: 'vendor',
    permission: 'workspace:read',
    summary: 'Summarise the workspace and what needs attention',
    description:
      'Counts projects, tenants, keys by state, secret keys and nodes, and shows when the first ' +
      'and the last request with a known key was made. Counting is bounded; see `counted_max`.',
    query: z.strictObject({ env: Env.optional() }),
    answers: { 200: WorkspaceSummary },
  },
  'PATCH /v1/workspace': {
    auth: 'vendor',
    permission: 'workspace:write',
    allProjects: true,
    summary: 'Change the workspace',
    description:
      'Changes the fields you send. `embed_origins` replaces the whole list; origins that are no ' +
      'longer in it stop working immediately.',
    body: z.strictObject({
      name: Name.optional(),
      billing_email: Email.nullable().optional(),
      embed_origins: EmbedOrigins.optional(),
    }),
    bodyOptional: true,
    answers: { 200: Workspace },
  },
});
