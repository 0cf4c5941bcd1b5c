// Compiled by node-20.test.ts with only the Nest guard, which declares the `keyrail` field of
// Express's request.
import { createKeyrail } from '@keyrail/sdk';
import { contextOf, protect } from '@keyrail/sdk/nest';
import type { Request } from 'express';

const resources = { live: { database: 'live' } };
const keyrail = createKeyrail({ url: '', secretKey: '', projectId: '', resources });
export const guard = protect(keyrail, { scopes: ['a'] });
export const tenantOf = (request: Request): string => contextOf(keyrail, request).tenantId;
export const databaseOf = (request: Request): string | undefined =>
  contextOf(keyrail, request).resources?.database;
// @ts-expect-error a route without `protect` has no context
export const unguarded = (request: Request): string => request.keyrail.tenantId;
