// Names the counter for each rule of a check. Each name starts with the workspace ID, so that
// callers can't affect another workspace's counters, even by inventing IDs.
import type { RateLimit } from '@keyrail/protocol/validators.ts';
import type { Env } from '../../doors/reach.ts';
import { type Counters, type Owner, partOf, type Rule } from '../../volatile/counters.ts';

export type Subjects = {
  workspaceId: string;
  env: Env;
  projectId: string;
  /**
   * For each rule, all of a project's requests without a key ID share one counter, and so do all
   * requests without a tenant ID.
   */
  keyId: string | null;
  tenantId: string | null;
};

const ANONYMOUS = '-';

/**
 * If a rule's window or algorithm changes, the rule gets a new counter. If only its limit changes,
 * it keeps its counter.
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
 * The owner of a check's counters: the workspace and environment or, on Redis Cluster, the slot.
 * Each owner has a quota that limits how many counters it may have.
 */
const ownerName = ({ workspaceId, env }: Subjects, slot: string): string =>
  slot === '' ? `${workspaceId}/${env}` : slot;

/**
 * On a Redis Cluster, all of a check's counters, and the count of their owner's counters, must be
 * in the same slot. So a workspace has a few slots per environment, and a tenant and all of its
 * keys share one. A key checked under two tenants may be counted separately for each.
 */
export function slotOf(
  { workspaceId, env, keyId, tenantId }: Subjects,
  rules: readonly RateLimit[],
): string {
  const isOfTenant = rules.some(({ scope }) => scope === 'tenant');
  const subject = tenantId ?? (isOfTenant ? null : keyId) ?? ANONYMOUS;
  return `{${workspaceId}/${env}/${partOf(subject)}}`;
}

/** Returns the rules' counters, and the owner whose quota they count towards. */
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
