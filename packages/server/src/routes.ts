// All of the server's routes, grouped by feature, in the contract's order.
import { type AccountParts, accountRoutes } from './features/accounts/routes.ts';
import { auditRoutes } from './features/audit/routes.ts';
import type { IssuingParts } from './features/embed/issue-embed-token.ts';
import { embedRoutes, embedTokenRoutes } from './features/embed/routes.ts';
import { type IdempotencyParts, idempotencyRoutes } from './features/idempotency/routes.ts';
import { type IngestParts, ingestRoutes } from './features/ingest/routes.ts';
import { type KeyParts, keyRoutes } from './features/keys/routes.ts';
import { acceptanceRoutes, type MemberParts, memberRoutes } from './features/members/routes.ts';
import { type PolicyParts, policyRoutes } from './features/policy/routes.ts';
import { projectRoutes } from './features/projects/routes.ts';
import { ratelimitRoutes } from './features/ratelimit/routes.ts';
import type { ScannerKeys } from './features/scanner/public-keys.ts';
import { scannerRoutes } from './features/scanner/routes.ts';
import { searchRoutes } from './features/search/routes.ts';
import { secretKeyRoutes } from './features/secret-keys/routes.ts';
import { sessionRoutes } from './features/sessions/routes.ts';
import {
  deploymentRoutes,
  environmentRoutes,
  probeRoutes,
  type StatusParts,
} from './features/status/routes.ts';
import { tenantRoutes } from './features/tenants/routes.ts';
import { usageRoutes } from './features/usage/routes.ts';
import { type WebhookRouteParts, webhookRoutes } from './features/webhooks/routes.ts';
import { type WorkspaceParts, workspaceRoutes } from './features/workspaces/routes.ts';
import type { ServedRoute } from './http/route.ts';

type RouteParts = AccountParts &
  IdempotencyParts &
  IngestParts &
  KeyParts &
  MemberParts &
  PolicyParts &
  StatusParts &
  WebhookRouteParts &
  WorkspaceParts &
  IssuingParts & { scannerKeys: ScannerKeys };

export const servedRoutes = (parts: RouteParts): ServedRoute[] => [
  ...accountRoutes(parts),
  ...sessionRoutes(parts),
  ...acceptanceRoutes,
  ...workspaceRoutes(parts),
  ...memberRoutes(parts),
  ...projectRoutes,
  ...tenantRoutes,
  ...keyRoutes(parts),
  ...secretKeyRoutes,
  ...embedTokenRoutes(parts),
  ...embedRoutes,
  ...policyRoutes(parts),
  ...ratelimitRoutes,
  ...idempotencyRoutes(parts),
  ...ingestRoutes(parts),
  ...usageRoutes,
  ...environmentRoutes,
  ...searchRoutes,
  ...auditRoutes,
  ...webhookRoutes(parts),
  ...deploymentRoutes(parts),
  ...probeRoutes(parts),
  ...scannerRoutes(parts),
];
