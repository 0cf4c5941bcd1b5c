// Queues a mail to the owners of a workspace when one of its keys was found in public.
import { assert } from '../../base/assert.ts';
import { wireTime } from '../../base/wire-time.ts';
import type { Write } from '../../doors/door.ts';
import type { Env } from '../../doors/reach.ts';
import { mailOwners } from '../members/mail-owners.ts';

type Leaked = { displayPrefix: string; env: Env; expiresAt: Date | null };

export async function queueLeakNotice(
  tx: Write,
  { displayPrefix, env, expiresAt }: Leaked,
  foundAt: string | null,
): Promise<void> {
  assert(expiresAt !== null, 'a quarantined key without an end');
  await mailOwners(tx, 'key_quarantined', (workspace) => ({
    workspace,
    display_prefix: displayPrefix,
    env,
    expires_at: expiresAt > tx.now ? wireTime(expiresAt) : '',
    found_at: foundAt ?? '',
  }));
}
