// All endpoints, in the order of the API reference.
import { accountEndpoints } from './accounts.ts';
import { auditEndpoints } from './audit.ts';
import { deploymentEndpoints } from './deployment.ts';
import { embedEndpoints, embedTokenEndpoints } from './embed.ts';
import { environmentEndpoints } from './environments.ts';
import { idempotencyEndpoints } from './idempotency.ts';
import { ingestEndpoints } from './ingest.ts';
import { keyImportEndpoints } from './key-import.ts';
import { keyEndpoints } from './keys.ts';
import { memberEndpoints } from './members.ts';
import { policyEndpoints } from './policy.ts';
import { probeEndpoints } from './probes.ts';
import { projectEndpoints } from './projects.ts';
import { ratelimitEndpoints } from './ratelimit.ts';
import { scannerEndpoints } from './scanner.ts';
import { searchEndpoints } from './search.ts';
import { secretKeyEndpoints } from './secret-keys.ts';
import { tenantEndpoints } from './tenants.ts';
import { usageEndpoints } from './usage.ts';
import { webhookEndpoints } from './webhooks.ts';
import { workspaceEndpoints } from './workspaces.ts';

/** The endpoints, grouped under their headings in the API reference. */
export const endpointGroups = {
  Accounts: accountEndpoints,
  Workspace: workspaceEndpoints,
  Members: memberEndpoints,
  Projects: projectEndpoints,
  Tenants: tenantEndpoints,
  'API keys': { ...keyEndpoints, ...keyImportEndpoints },
  'Secret keys': secretKeyEndpoints,
  'Embed tokens': embedTokenEndpoints,
  'Embed API': embedEndpoints,
  'Policy feed': policyEndpoints,
  'Rate limits': ratelimitEndpoints,
  Idempotency: idempotencyEndpoints,
  Telemetry: ingestEndpoints,
  Usage: usageEndpoints,
  Environments: environmentEndpoints,
  Search: searchEndpoints,
  Audit: auditEndpoints,
  Events: webhookEndpoints,
  Deployment: deploymentEndpoints,
  Probes: probeEndpoints,
  Scanner: scannerEndpoints,
};

export const allEndpoints = {
  ...accountEndpoints,
  ...workspaceEndpoints,
  ...memberEndpoints,
  ...projectEndpoints,
  ...tenantEndpoints,
  ...keyEndpoints,
  ...keyImportEndpoints,
  ...secretKeyEndpoints,
  ...embedTokenEndpoints,
  ...embedEndpoints,
  ...policyEndpoints,
  ...ratelimitEndpoints,
  ...idempotencyEndpoints,
  ...ingestEndpoints,
  ...usageEndpoints,
  ...environmentEndpoints,
  ...searchEndpoints,
  ...auditEndpoints,
  ...webhookEndpoints,
  ...deploymentEndpoints,
  ...probeEndpoints,
  ...scannerEndpoints,
};

export type AnyLine = keyof typeof allEndpoints;
