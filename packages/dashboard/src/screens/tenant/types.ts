import type { Answer } from '@keyrail/client';

export type Tenant = Answer<'GET /v1/tenants/{id}'>;
