// What each rule of a check is counted under. The workspace comes first, so that whatever ids a
// caller makes up, it only ever meets its own counters.
import type { RateLimit } from '@keyrail/protocol/validators.ts';
import type { Env } from '../../doors/reach.ts';
import { partOf } from '../../volatile/counters.ts';

export type Subjects = {
  workspaceId: string;
  env: Env;
  projectId: string;
  /** Null is one anonymous subject of the project. */
  keyId: string | null;
  tenantId: string | null;
};

const ANONYMOUS = '-';

/** A name, and all that it was made of. */
type Made = { subjects: Subjects; rule: RateLimit; slot: string; name: string };

/** The names made last: to make one, and to look it up, takes far longer than to know it again. */
const RECENT = 4096;
const recent = new Array<Made | undefined>(RECENT).fill(undefined);

/** A rule whose window or algorithm changes is counted anew; one whose limit changes is not. */
export function counterName(subjects: Subjects, rule: RateLimit, slot: string): string {
  const place = placeOf(subjects, rule);
  const known = recent[place];
  if (known !== undefined && known.slot === slot && isOf(known, subjects, rule)) return known.name;
  const name = `kr:rl:${slot}${ownerPart(subjects)}/${subjectPart(subjects, rule)}/${rulePart(rule)}`;
  recent[place] = { subjects, rule, slot, name };
  return name;
}

const ownerPart = ({ workspaceId, env, projectId }: Subjects): string =>
  `${workspaceId}/${env}/${projectId}`;

const subjectPart = ({ keyId, tenantId }: Subjects, { scope }: RateLimit): string =>
  scope === 'key' ? `k/${keyId ?? ANONYMOUS}` : `t/${tenantId ?? ANONYMOUS}`;

const rulePart = ({ id, algorithm, window_ms: windowMs }: RateLimit): string =>
  `${id}/${algorithm === 'fixed' ? 'f' : 's'}${windowMs}`;

/** By the last digits of the subject, and by what two rules of one check differ in. */
function placeOf({ keyId, tenantId }: Subjects, { id, scope, window_ms: windowMs }: RateLimit) {
  const subject = (scope === 'key' ? keyId : tenantId) ?? ANONYMOUS;
  const end = subject.length;
  const digits =
    (subject.charCodeAt(end - 1) & 0x1f) |
    ((subject.charCodeAt(end - 2) & 0x1f) << 5) |
    ((subject.charCodeAt(end - 3) & 0x1f) << 10);
  return (digits ^ (windowMs * 31) ^ (id.length << 7) ^ id.charCodeAt(0)) & (RECENT - 1);
}

/** Whether it was made of the same; what the scope leaves out of a name need not be. */
const isOf = ({ subjects: made, rule: by }: Made, subjects: Subjects, rule: RateLimit): boolean =>
  by.scope === rule.scope &&
  by.window_ms === rule.window_ms &&
  by.algorithm === rule.algorithm &&
  by.id === rule.id &&
  made.env === subjects.env &&
  (rule.scope === 'key' ? made.keyId === subjects.keyId : made.tenantId === subjects.tenantId) &&
  made.projectId === subjects.projectId &&
  made.workspaceId === subjects.workspaceId;

/** Whose quota the names of a check count against; on a Cluster, a part of it in their slot. */
export const ownerName = ({ workspaceId, env }: Subjects, slot: string): string =>
  slot === '' ? `${workspaceId}/${env}` : slot;

/**
 * On a Cluster all counters of one check must be in one slot, and the count of their owner's names
 * with them. So a workspace has a few slots in each environment, and a tenant with all its keys is
 * in one of them. A key that is checked under two tenants may be counted under each.
 */
export function slotOf(
  { workspaceId, env, keyId, tenantId }: Subjects,
  rules: readonly RateLimit[],
): string {
  const isOfTenant = rules.some(({ scope }) => scope === 'tenant');
  const subject = tenantId ?? (isOfTenant ? null : keyId) ?? ANONYMOUS;
  return `{${workspaceId}/${env}/${partOf(subject)}}`;
}
