// The audit log, and the verification of its hash chain.
import { z } from 'zod';
import { endpoints } from '../endpoint.ts';
import { AuditAnchor, AuditChain, AuditLog } from '../objects/audit.ts';
import { list } from '../objects/wire.ts';
import { paging, QueryTime, queryInteger } from '../query.ts';
import { text } from '../text.ts';
import { Uuid } from '../validators.ts';
import {
  AUDIT_ACTOR_CHARS_MAX,
  AUDIT_LIMIT_DEFAULT,
  AUDIT_LIMIT_MAX,
  AUDIT_NAME_CHARS_MAX,
} from '../wire/limits.ts';

export const auditEndpoints = endpoints({
  'GET /v1/audit_logs': {
    auth: 'vendor',
    permission: 'audit:read',
    summary: 'List audit log entries, oldest first',
    description:
      'Every change with its actor, its target and the hash that links it to the previous ' +
      'change. Filters can be combined. A test credential only sees entries for test and entries ' +
      'without an environment, so `seq` has gaps for it.',
    query: z.strictObject({
      after_seq: queryInteger(0, Number.MAX_SAFE_INTEGER).optional(),
      order: z.enum(['asc', 'desc']).default('asc').meta({
        description: 'By `seq`. `desc` lists the newest entries first.',
      }),
      action: z
        .string()
        .max(AUDIT_NAME_CHARS_MAX)
        .regex(/^[a-z_]+\.([a-z_]+|\*)$/, 'must be an action, or a type followed by .*')
        .optional()
        .meta({
          description: 'An action such as `api_key.revoked`, or `api_key.*` for all of one type.',
        }),
      actor_id: text(1, AUDIT_ACTOR_CHARS_MAX).optional(),
      target_type: z
        .string()
        .max(AUDIT_NAME_CHARS_MAX)
        .regex(/^[a-z_]+$/, 'must be a type, such as api_key')
        .optional(),
      target_id: Uuid.optional(),
      from: QueryTime.optional().meta({ description: 'Only entries at or after this time.' }),
      to: QueryTime.optional().meta({ description: 'Only entries before this time.' }),
      ...paging(AUDIT_LIMIT_MAX, AUDIT_LIMIT_DEFAULT),
    }),
    list: true,
    answers: { 200: list(AuditLog) },
  },
  'GET /v1/audit_logs/chain': {
    auth: 'vendor',
    permission: 'audit:read',
    allProjects: true,
    summary: 'Verify the audit chain',
    description: 'Recomputes every hash and reports the first entry that does not match.',
    answers: { 200: AuditChain },
  },
  'GET /v1/audit_logs/anchor': {
    auth: 'vendor',
    permission: 'audit:read',
    allProjects: true,
    summary: 'Read the latest anchor of the audit chain',
    description:
      'The latest signed entry of the chain. Keep it outside Keyrail, and you can later prove ' +
      'that no entry up to it was removed or rewritten. A growing chain gets an anchor every ' +
      'minute; before the first one, the response is 404.',
    refusals: { 404: 'The chain has no anchor yet.' },
    answers: { 200: AuditAnchor },
  },
});
