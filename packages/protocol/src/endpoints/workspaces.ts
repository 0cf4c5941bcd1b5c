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
      'Also creates the first secret key, in environment `env`; its value is shown once. With a ' +
      'session, the caller becomes owner. With the bootstrap token, the workspace has no ' +
      'members.',
    body: z.strictObject({
      name: Name,
      slug: Slug,
      billing_email: Email.optional(),
      env: Env.default('live'),
    }),
    refusals: {
      409: 'The slug is taken, or you already own as many workspaces as a person may create.',
    },
    answers: { 201: FoundedWorkspace },
  },
  'GET /v1/workspace': {
    auth: 'vendor',
    summary: 'Read the workspace',
    description:
      'Returns the workspace of the credential. A simple first request: it shows that a secret ' +
      'key works, and to which workspace it belongs.',
    answers: { 200: Workspace },
  },
  'GET /v1/workspace/summary': {
    auth: 'vendor',
    summary: 'Count what the workspace has, and what needs attention',
    description:
      'Projects, tenants, keys by state, secret keys and nodes, and the times of the first and ' +
      'the last request with a known key. The work is bounded: see `counted_max`.',
    query: z.strictObject({ env: Env.optional() }),
    answers: { 200: WorkspaceSummary },
  },
  'PATCH /v1/workspace': {
    auth: 'vendor',
    summary: 'Change the workspace',
    description:
      'Changes the fields that you send. `embed_origins` replaces the whole list, and an origin ' +
      'that is no longer in it stops working at once.',
    body: z.strictObject({
      name: Name.optional(),
      billing_email: Email.nullable().optional(),
      embed_origins: EmbedOrigins.optional(),
    }),
    bodyOptional: true,
    answers: { 200: Workspace },
  },
});
