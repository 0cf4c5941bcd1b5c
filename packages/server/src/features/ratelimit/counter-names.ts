// The counter name of each rule of a check. It starts with the workspace, so that callers can only
// affect their own workspace's counters, even with invented IDs.
import type { RateLimit } from '@keyrail/protocol/validators.ts';
import type { Env } from '../../doors/reach.ts';
import { type Counters, type Owner, partOf, type Rule } from '../../volatile/counters.ts';

export type Subjects = {
  workspaceId: string;
  env: Env;
  projectId: string;
  /**
   * If null (likewise tenantId), the request is counted for one anonymous subject of the project.
   */
  keyId: string | null;
  tenantId: string | null;
};

const ANONYMOUS = '-';

/**
 * A rule with a new window or algorithm gets a new counter; a rule with a new limit keeps its
 * counter.
 */
export const counterName = (subjects: Subjects, rule: RateLimit, slot: string): string =>
  `kr:rl:${slot}${ownerPart(subjects)}/${subjectPart(subjects, rule)}/${rulePart(rule)}`;

const ownerPart = ({ workspaceId, env, projectId }: Subjects): string =>
  `${workspaceId}/${env}/${projectId}`;

const subjectPart = ({ keyId, tenantId }: Subjects, { scope }: RateLimit): string =>
  scope === 'key' ? `k/${keyId ?? ANONYMOUS}` : `t/${tenantId ?? ANONYMOUS}`;

const rulePart = ({ id, algorithm, window_ms: windowMs }: RateLimit): string =>
  `${id}/${algorithm === 'fixed' ? 'f' : 's'}${windowMs}`;

/**
 * The owner whose quota limits the number of counters. On a Redis Cluster, each slot has its own
 * part of the quota.
 */
const ownerName = ({ workspaceId, env }: Subjects, slot: string): string =>
  slot === '' ? `${workspaceId}/${env}` : slot;

/**
 * On a Redis Cluster, all counters of a check and the owner's count of names must be in one slot.
 * So a workspace has a few slots per environment, and a tenant and all its keys use one of them. A
 * key that is checked under two tenants may be counted separately for each.
 */
export function slotOf(
  { workspaceId, env, keyId, tenantId }: Subjects,
  rules: readonly RateLimit[],
): string {
  const isOfTenant = rules.some(({ scope }) => scope === 'tenant');
  const subject = tenantId ?? (isOfTenant ? null : keyId) ?? ANONYMOUS;
  return `{${workspaceId}/${env}/${partOf(subject)}}`;
}

/** The counters of the rules, and the owner whose quota counts their names. */
export function namedRules(
  { isSlotted, namesMax }: Counters,
  subjects: Subjects,
  rules: readonly RateLimit[],
): { owner: Owner; named: Rule[] } {
  const slot = isSlotted ? slotOf(subjects, rules) : '';
  const named = rules.map((rule) => ({
    name: counterName(subjects, rule, slot),
    limit: rule.limit,
    windowMs: rule.window_ms,
    algorithm: rule.algorithm,
  }));
  return { owner: { name: ownerName(subjects, slot), namesMax }, named };
}
