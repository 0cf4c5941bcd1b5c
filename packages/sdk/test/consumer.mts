// Compiled by node-20.test.ts as a vendor's TypeScript would be: ESM.
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
// @ts-expect-error an option that there is not
createKeyrail({ url: '', secretKey: '', projectId: '', projctId: '' });
// @ts-expect-error a decision has to be looked at before its context is
decision.context;
