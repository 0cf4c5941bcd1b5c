// What each rule of a check is counted under. The workspace comes first, so that whatever ids a
// caller makes up, it only ever meets its own counters.
import type { RateLimit } from '@keyrail/protocol/validators.ts';
import type { Env } from '../../doors/reach.ts';

export type Subjects = {
  workspaceId: string;
  env: Env;
  projectId: string;
  /** Null is one anonymous subject of the project. */
  keyId: string | null;
  tenantId: string | null;
};

const ANONYMOUS = '-';

/** A rule whose window or algorithm changes is counted anew; one whose limit changes is not. */
export function counterName(
  { workspaceId, env, projectId, keyId, tenantId }: Subjects,
  { id, scope, window_ms: windowMs, algorithm }: RateLimit,
  slot: string,
): string {
  const subject = scope === 'key' ? `k/${keyId ?? ANONYMOUS}` : `t/${tenantId ?? ANONYMOUS}`;
  const shape = `${algorithm === 'fixed' ? 'f' : 's'}${windowMs}`;
  return `kr:rl:${slot}${workspaceId}/${env}/${projectId}/${subject}/${id}/${shape}`;
}

/**
 * On a Cluster all counters of one check must live in one slot: those of a tenant and of its keys
 * do. So a key that is checked under two tenants is counted under each.
 */
export function slotOf({ workspaceId, keyId, tenantId }: Subjects, rules: readonly RateLimit[]) {
  if (tenantId !== null) return `{${workspaceId}/t/${tenantId}}`;
  const isOfTenant = rules.some(({ scope }) => scope === 'tenant');
  return `{${workspaceId}/k/${isOfTenant || keyId === null ? ANONYMOUS : keyId}}`;
}
