// The audit log, and the verification of its hash chain.
import { z } from 'zod';
import { endpoints } from '../endpoint.ts';
import { AuditChain, AuditLog } from '../objects/audit.ts';
import { list } from '../objects/wire.ts';
import { paging, queryInteger } from '../query.ts';
import { AUDIT_LIMIT_DEFAULT, AUDIT_LIMIT_MAX } from '../wire/limits.ts';

export const auditEndpoints = endpoints({
  'GET /v1/audit_logs': {
    auth: 'vendor',
    summary: 'List audit rows, oldest first',
    description:
      'Every change with its actor, its target and the hash that links it to the change before. ' +
      'A test credential sees test rows and rows without an environment, so its view of `seq` ' +
      'has gaps.',
    query: z.strictObject({
      after_seq: queryInteger(0, Number.MAX_SAFE_INTEGER).optional(),
      ...paging(AUDIT_LIMIT_MAX, AUDIT_LIMIT_DEFAULT),
    }),
    list: true,
    answers: { 200: list(AuditLog) },
  },
  'GET /v1/audit_logs/chain': {
    auth: 'vendor',
    summary: 'Verify the audit chain',
    description: 'Recomputes every hash and reports the first row that does not match.',
    answers: { 200: AuditChain },
  },
});
