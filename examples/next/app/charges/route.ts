import { protect } from '@keyrail/sdk/next';
import { charge } from '../../../ledger.ts';
import { keyrail } from '../../keyrail.ts';

export const POST = protect(
  keyrail,
  { scopes: ['charges:write'], idempotency: true, name: '/charges' },
  async (request, { keyrail: { tenantId } }) =>
    Response.json(await charge(tenantId, await request.json()), { status: 201 }),
);
