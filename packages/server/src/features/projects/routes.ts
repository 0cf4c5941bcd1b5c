// Projects: the APIs that a vendor protects. Projects don't belong to an environment. A test key
// may read and create projects, but not change them, because a change would affect live keys.
import { projectEndpoints } from '@keyrail/protocol/endpoints/projects.ts';
import { nextAfter, pageOf, positionOf } from '../../http/page.ts';
import { planned, serve } from '../../http/route.ts';
import { loadHead } from '../policy/rows.ts';
import { createProject } from './create-project.ts';
import { deleteProject } from './delete-project.ts';
import { presentDeleted, presentProject } from './present.ts';
import { listProjects, loadProject } from './rows.ts';
import { updateProject } from './update-project.ts';

export const projectRoutes = serve(projectEndpoints, {
  'POST /v1/projects': {
    boundary: 'sharedCreate',
    door: 'write',
    whenQuarantined: 'refuse',
    run: async ({ write, body }) =>
      write(
        (tx) =>
          createProject(tx, {
            name: body.name,
            slug: body.slug,
            defaultRateLimits: body.default_rate_limits,
          }),
        presentProject,
      ),
  },
  'GET /v1/projects': {
    boundary: 'shared',
    door: 'read',
    run: ({ read, query, after }) =>
      pageOf(query.limit, {
        list: (limit) =>
          listProjects(read, {
            slug: query.slug,
            ids: query.id,
            q: query.q,
            after: positionOf(after),
            limit,
          }),
        present: presentProject,
        next: nextAfter,
      }),
  },
  'GET /v1/projects/{id}': {
    boundary: 'shared',
    door: 'read',
    run: async ({ read, params }) => presentProject(await loadProject(read, params.id)),
  },
  'PATCH /v1/projects/{id}': {
    boundary: 'shared',
    door: 'write',
    whenQuarantined: 'refuse',
    plan: ({ read, params, body }) => {
      const patch = { name: body.name, defaultRateLimits: body.default_rate_limits };
      return planned(
        (tx) => updateProject(tx, { id: params.id, patch }),
        presentProject,
        async (shown) => ({ ...shown, policy_version: (await loadHead(read, shown.id)).version }),
      );
    },
  },
  'DELETE /v1/projects/{id}': {
    boundary: 'shared',
    door: 'write',
    whenQuarantined: 'refuse',
    storage: 'reserve',
    patience: 'stepped',
    plan: ({ params }) => planned((tx) => deleteProject(tx, { id: params.id }), presentDeleted),
  },
});
