// The two environments are constants. They can be listed so that clients do not have to hard-code
// which one is billable.
import { z } from 'zod';
import { endpoints } from '../endpoint.ts';
import { Environment } from '../objects/environment.ts';
import { list } from '../objects/wire.ts';
import { paging } from '../query.ts';
import { LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX } from '../wire/limits.ts';

export const environmentEndpoints = endpoints({
  'GET /v1/environments': {
    auth: 'vendor',
    permission: 'workspace:read',
    summary: 'List the environments',
    description:
      'Shows which environments exist and which one is billable. The list never changes.',
    query: z.strictObject(paging(LIST_LIMIT_MAX, LIST_LIMIT_DEFAULT)),
    list: true,
    answers: { 200: list(Environment) },
  },
});
