// Composes the email to a workspace's owners about a leaked key.
import { assert } from '../../base/assert.ts';
import { wireTime } from '../../base/wire-time.ts';
import type { Env } from '../../doors/reach.ts';
import type { MailParams } from '../mail/kinds.ts';

type Leaked = { displayPrefix: string; env: Env; expiresAt: Date | null };

type LeakMail = { kind: 'key_quarantined'; params: MailParams['key_quarantined'] };

export function leakMail(
  { displayPrefix, env, expiresAt }: Leaked,
  { workspace, foundAt, now }: { workspace: string; foundAt: string | null; now: Date },
): LeakMail {
  assert(expiresAt !== null, 'a quarantined key has no expiry');
  return {
    kind: 'key_quarantined',
    params: {
      workspace,
      display_prefix: displayPrefix,
      env,
      expires_at: expiresAt > now ? wireTime(expiresAt) : '',
      found_at: foundAt ?? '',
    },
  };
}
