// Compiled by node-20.test.ts like a vendor's TypeScript, as ESM.
import { createKeyrail, type Decision, type RequestContext } from '@keyrail/sdk';

type Resources = { database: string };
const keyrail = createKeyrail<Resources>({
  url: 'https://keys.example.com',
  secretKey: 'krsk_live_…',
  projectId: '00000000-0000-4000-8000-000000000000',
  resources: { live: { database: 'live' } },
});
const decision: Decision<Resources> = keyrail.verify('kr_live_…', { scopes: ['a'] });
export const tenantId: string | null = decision.allowed ? decision.context.tenantId : null;
export const database = (context: RequestContext<Resources>): string | undefined =>
  context.resources?.database;
// @ts-expect-error an unknown option
createKeyrail({ url: '', secretKey: '', projectId: '', projctId: '' });
// @ts-expect-error a decision must be checked before its context is read
decision.context;
