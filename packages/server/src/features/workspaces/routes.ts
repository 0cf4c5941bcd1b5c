// Creates, shows and updates workspaces. Each vendor's account is a workspace.
import { workspaceEndpoints } from '@keyrail/protocol/endpoints/workspaces.ts';
import type { Principal } from '../../access/principal.ts';
import { allEnvs } from '../../doors/reach.ts';
import { type ServedRoute, serve } from '../../http/route.ts';
import { createWorkspace } from './create-workspace.ts';
import { presentCreatedWorkspace, presentSummary, presentWorkspace } from './present.ts';
import { readSummary } from './read-summary.ts';
import { loadWorkspace } from './rows.ts';
import { updateWorkspace } from './update-workspace.ts';

export type WorkspaceParts = {
  workspacesPerPersonMax: number;
};

export const workspaceRoutes = ({ workspacesPerPersonMax }: WorkspaceParts): ServedRoute[] =>
  serve(workspaceEndpoints, {
    'POST /v1/workspaces': {
      boundary: 'none',
      door: 'gate',
      verifiedPerson: true,
      run: async ({ newId, writeIn, body, principal }) => {
        const creator = creatorOf(principal);
        const write = writeIn({
          workspaceId: newId(),
          envs: allEnvs,
          actor: creator ? { type: 'user', id: creator.userId } : { type: 'bootstrap', id: null },
          authority: 'owner',
        });
        return presentCreatedWorkspace(
          await write((tx) =>
            createWorkspace(tx, {
              name: body.name,
              slug: body.slug,
              billingEmail: body.billing_email ?? null,
              env: body.env,
              creator,
              perPersonMax: workspacesPerPersonMax,
            }),
          ),
        );
      },
    },
    'GET /v1/workspace': {
      boundary: 'shared',
      door: 'read',
      run: async ({ read }) => presentWorkspace(await loadWorkspace(read)),
    },
    'GET /v1/workspace/summary': {
      boundary: 'rows',
      door: 'read',
      run: async ({ read, query }) => presentSummary(await readSummary(read, query.env)),
    },
    'PATCH /v1/workspace': {
      boundary: 'shared',
      door: 'write',
      whenQuarantined: 'refuse',
      run: async ({ write, body }) =>
        presentWorkspace(
          await write((tx) =>
            updateWorkspace(tx, {
              name: body.name,
              billingEmail: body.billing_email,
              embedOrigins: body.embed_origins,
            }),
          ),
        ),
    },
  });

const creatorOf = (principal: Principal) =>
  principal.kind === 'session'
    ? {
        userId: principal.userId,
        sessionId: principal.sessionId,
        becomesActive: principal.reach === null,
      }
    : null;
