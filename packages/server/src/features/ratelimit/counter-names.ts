// The counter name of each rule of a check. The workspace comes first, so that a caller reaches
// only counters of its own workspace, even with invented ids.
import type { RateLimit } from '@keyrail/protocol/validators.ts';
import type { Env } from '../../doors/reach.ts';
import { partOf } from '../../volatile/counters.ts';

export type Subjects = {
  workspaceId: string;
  env: Env;
  projectId: string;
  /** Null (here and in tenantId) is counted as one anonymous subject of the project. */
  keyId: string | null;
  tenantId: string | null;
};

const ANONYMOUS = '-';

/** A name and its inputs. */
type CachedName = { subjects: Subjects; rule: RateLimit; slot: string; name: string };

/** A cache of recent names: building and hashing a string is slower than comparing its parts. */
const RECENT = 4096;
const recent = new Array<CachedName | undefined>(RECENT).fill(undefined);

/** A new window or algorithm gives a rule a new counter; a new limit keeps the counter. */
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

/** Cache index from the last digits of the subject, and from fields in which rules differ. */
function placeOf({ keyId, tenantId }: Subjects, { id, scope, window_ms: windowMs }: RateLimit) {
  const subject = (scope === 'key' ? keyId : tenantId) ?? ANONYMOUS;
  const end = subject.length;
  const digits =
    (subject.charCodeAt(end - 1) & 0x1f) |
    ((subject.charCodeAt(end - 2) & 0x1f) << 5) |
    ((subject.charCodeAt(end - 3) & 0x1f) << 10);
  return (digits ^ (windowMs * 31) ^ (id.length << 7) ^ id.charCodeAt(0)) & (RECENT - 1);
}

/** Whether the inputs are equal, apart from the id that the scope leaves out of the name. */
const isOf = (cached: CachedName, subjects: Subjects, rule: RateLimit): boolean =>
  cached.rule.scope === rule.scope &&
  cached.rule.window_ms === rule.window_ms &&
  cached.rule.algorithm === rule.algorithm &&
  cached.rule.id === rule.id &&
  cached.subjects.env === subjects.env &&
  (rule.scope === 'key'
    ? cached.subjects.keyId === subjects.keyId
    : cached.subjects.tenantId === subjects.tenantId) &&
  cached.subjects.projectId === subjects.projectId &&
  cached.subjects.workspaceId === subjects.workspaceId;

/** The quota that counts the names of a check. On a Cluster, each slot has its own part of it. */
export const ownerName = ({ workspaceId, env }: Subjects, slot: string): string =>
  slot === '' ? `${workspaceId}/${env}` : slot;

/**
 * On a Cluster, all counters of one check and the owner's count of names must be in one slot. So a
 * workspace has a few slots per environment, and a tenant with all its keys is in one of them. A
 * key that is checked under two tenants may be counted separately under each.
 */
export function slotOf(
  { workspaceId, env, keyId, tenantId }: Subjects,
  rules: readonly RateLimit[],
): string {
  const isOfTenant = rules.some(({ scope }) => scope === 'tenant');
  const subject = tenantId ?? (isOfTenant ? null : keyId) ?? ANONYMOUS;
  return `{${workspaceId}/${env}/${partOf(subject)}}`;
}
