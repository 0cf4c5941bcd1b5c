import { protect } from '@keyrail/sdk/next';
import { chargesOf } from '../../../ledger.ts';
import { keyrail } from '../../keyrail.ts';

export const GET = protect(
  keyrail,
  { scopes: ['invoices:read'], name: '/invoices' },
  (_request, { keyrail: { tenantId, env } }) =>
    Response.json({ env, invoices: chargesOf(tenantId) }),
);
