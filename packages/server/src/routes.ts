// Table of contents: each slice's routes, in the order of the contract, and what is still to come.
import type { Line } from '@keyrail/protocol/endpoint.ts';
import { type AccountParts, accountRoutes } from './features/accounts/routes.ts';
import { auditRoutes } from './features/audit/routes.ts';
import { environmentRoutes } from './features/environments/routes.ts';
import { type HealthParts, healthRoutes } from './features/health/routes.ts';
import { type IdempotencyParts, idempotencyRoutes } from './features/idempotency/routes.ts';
import { type IngestParts, ingestRoutes } from './features/ingest/routes.ts';
import { type KeyParts, keyRoutes } from './features/keys/routes.ts';
import { acceptanceRoutes, memberRoutes } from './features/members/routes.ts';
import { type PolicyParts, policyRoutes } from './features/policy/routes.ts';
import { projectRoutes } from './features/projects/routes.ts';
import { ratelimitRoutes } from './features/ratelimit/routes.ts';
import { secretKeyRoutes } from './features/secret-keys/routes.ts';
import { sessionRoutes } from './features/sessions/routes.ts';
import { tenantRoutes } from './features/tenants/routes.ts';
import { usageRoutes } from './features/usage/routes.ts';
import { workspaceRoutes } from './features/workspaces/routes.ts';
import type { ServedRoute } from './http/route.ts';

export type RouteParts = AccountParts &
  HealthParts &
  IdempotencyParts &
  IngestParts &
  KeyParts &
  PolicyParts;

export const servedRoutes = (parts: RouteParts): ServedRoute[] => [
  ...accountRoutes(parts),
  ...sessionRoutes(parts),
  ...acceptanceRoutes,
  ...workspaceRoutes,
  ...memberRoutes,
  ...projectRoutes,
  ...tenantRoutes,
  ...keyRoutes(parts),
  ...secretKeyRoutes,
  ...policyRoutes(parts),
  ...ratelimitRoutes,
  ...idempotencyRoutes(parts),
  ...ingestRoutes(parts),
  ...usageRoutes,
  ...environmentRoutes,
  ...auditRoutes,
  ...healthRoutes(parts),
];

/** Lines of the protocol that no slice serves yet. A law fails when one of them is served. */
export const notYetServed: readonly Line[] = [
  'POST /v1/embed_tokens',
  'GET /v1/embed/session',
  'GET /v1/embed/keys',
  'POST /v1/embed/keys',
  'POST /v1/embed/keys/{id}/rotate',
  'POST /v1/embed/keys/{id}/revoke',
  'GET /v1/embed/keys/{id}/usage',
  'GET /.well-known/jwks.json',
  'POST /v1/webhooks/scanner/secret_scanning',
];
