// Queues a mail to the owners of a workspace when one of its keys was found in public.
import { assert } from '../../base/assert.ts';
import { wireTime } from '../../base/wire-time.ts';
import type { Write } from '../../doors/door.ts';
import type { Env } from '../../doors/reach.ts';
import { insertMail } from '../mail/rows.ts';
import { listOwnerAddresses } from '../members/rows.ts';
import { loadWorkspace } from '../workspaces/rows.ts';

const OWNERS_NOTIFIED_MAX = 1000;

type Leaked = { displayPrefix: string; env: Env; expiresAt: Date | null };

/** If the workspace has no owner, the mail goes to its billing address, if it has one. */
export async function queueLeakNotice(
  tx: Write,
  { displayPrefix, env, expiresAt }: Leaked,
  foundAt: string | null,
): Promise<void> {
  assert(expiresAt !== null, 'a quarantined key without an end');
  const { name, billingEmail } = await loadWorkspace(tx);
  const owners = await listOwnerAddresses(tx, OWNERS_NOTIFIED_MAX);
  const recipients = owners.length === 0 && billingEmail !== null ? [billingEmail] : owners;
  const params = {
    workspace: name,
    display_prefix: displayPrefix,
    env,
    expires_at: expiresAt > tx.now ? wireTime(expiresAt) : '',
    found_at: foundAt ?? '',
  };
  for (const to of recipients) {
    await insertMail(tx, { kind: 'key_quarantined', to, params, token: null });
  }
}
