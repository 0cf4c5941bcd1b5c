// Notices about keys. They identify the key with the same fields as an audit log entry, and omit
// the fields that only make sense for a change.
import type { NoticeType } from '@keyrail/protocol/wire/event-types.ts';
import { UNUSED_NOTICE_DAYS } from '@keyrail/protocol/wire/limits.ts';
import { wireTime, wireTimeOrNull } from '../../base/wire-time.ts';
import type { EndingKey, UnusedKey } from '../keys/ending.rows.ts';
import type { Notice } from './notices.rows.ts';

/** `daysLeft` is the number of days until the key expires; 0 means that it has just expired. */
export function endingNotice(key: EndingKey, daysLeft: number): Notice {
  const kind = daysLeft === 0 ? 'expired' : 'expiring';
  const type: NoticeType =
    key.projectId === null ? 'secret_key.expiring' : (`api_key.${kind}` as const);
  const expires_at = wireTime(key.expiresAt);
  return noticeOf(key, type, {
    once: `${expires_at} ${daysLeft}`,
    more: daysLeft === 0 ? { expires_at } : { expires_at, days_left: daysLeft },
  });
}

/** `since` is the day the key was last used or, if it has never been used, created. */
export const unusedNotice = (key: UnusedKey, since: string): Notice =>
  noticeOf(key, 'api_key.unused', {
    once: since,
    more: { last_used_at: wireTimeOrNull(key.lastUsedAt), days: UNUSED_NOTICE_DAYS },
  });

type Subject = Omit<EndingKey, 'expiresAt' | 'isHeard'>;

function noticeOf(
  { id, env, projectId, tenantId, displayPrefix }: Subject,
  type: NoticeType,
  { once, more }: { once: string; more: Record<string, unknown> },
): Notice {
  return {
    event: `${type} ${id} ${once}`,
    type,
    env,
    data: {
      object: 'notice',
      target_type: type.slice(0, type.indexOf('.')),
      target_id: id,
      payload: {
        env,
        ...(projectId !== null && { project_id: projectId, tenant_id: tenantId }),
        display_prefix: displayPrefix,
        ...more,
      },
    },
  };
}
