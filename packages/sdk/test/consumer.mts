// node-20.test.ts compiles this file as a vendor would, as ESM.
import { createKeyrail, type Decision, type RequestContext } from '@keyrail/sdk';
import { protect } from '@keyrail/sdk/web';

type Resources = { database: string };
const keyrail = createKeyrail<Resources>({
  url: 'https://keys.example.com',
  secretKey: 'krsk_live_…',
  projectId: '00000000-0000-4000-8000-000000000000',
  resources: { live: { database: 'live' } },
});
type Context = RequestContext<Resources>;
const decision: Decision<Context> = keyrail.verify('kr_live_…', { scopes: ['a'] });
export const tenantId: string | null = decision.allowed ? decision.context.tenantId : null;
export const database = (context: Context): string | undefined => context.resources?.database;
// @ts-expect-error an unknown option
createKeyrail({ url: '', secretKey: '', projectId: '', projctId: '' });
// @ts-expect-error a decision must be checked before its context is read
decision.context;

const open = keyrail.verify('kr_live_…', { onNoPolicy: 'allow' });
if (open.allowed) {
  // @ts-expect-error an unverified key has no tenant
  open.context.tenantId satisfies string;
  if (open.context.verified) open.context.tenantId satisfies string;
}
protect(keyrail, { scopes: ['a'] }, (_request, context) => {
  const database = context.resources?.database;
  return new Response(`${context.tenantId satisfies string} ${database}`);
});
protect(keyrail, { onNoPolicy: 'allow' }, (_request, context) => {
  // @ts-expect-error a fail-open route must check that the key is verified
  context.tenantId satisfies string;
  return new Response(context?.verified ? context.tenantId : null);
});
// @ts-expect-error an unknown option of a route
protect(keyrail, { scopes: ['a'], onNoPolcy: 'allow' }, () => new Response());
