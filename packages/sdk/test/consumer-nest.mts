// The same with the Nest guard only: it declares the `keyrail` field of Express's request.
import { createKeyrail } from '@keyrail/sdk';
import { protect } from '@keyrail/sdk/nest';
import type { Request } from 'express';

const keyrail = createKeyrail({ url: '', secretKey: '', projectId: '' });
export const guard = protect(keyrail, { scopes: ['a'] });
export const tenantOf = (request: Request): string | null => request.keyrail.tenantId;
