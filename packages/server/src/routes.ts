// Table of contents: each slice's routes, in the order of the contract, and what is still to come.
import type { Line } from '@keyrail/protocol/endpoint.ts';
import { auditRoutes } from './features/audit/routes.ts';
import { environmentRoutes } from './features/environments/routes.ts';
import { type HealthParts, healthRoutes } from './features/health/routes.ts';
import { secretKeyRoutes } from './features/secret-keys/routes.ts';
import { workspaceRoutes } from './features/workspaces/routes.ts';
import type { ServedRoute } from './http/route.ts';

export const servedRoutes = (health: HealthParts): ServedRoute[] => [
  ...workspaceRoutes,
  ...secretKeyRoutes,
  ...environmentRoutes,
  ...auditRoutes,
  ...healthRoutes(health),
];

/** Lines of the protocol that no slice serves yet. A law fails when one of them is served. */
export const notYetServed: readonly Line[] = [];
