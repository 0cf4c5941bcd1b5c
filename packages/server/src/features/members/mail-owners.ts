// Queues a mail to the owners of a workspace.
import type { Write } from '../../doors/door.ts';
import type { MailKind, MailParams } from '../mail/kinds.ts';
import { insertMail } from '../mail/rows.ts';
import { loadWorkspace } from '../workspaces/rows.ts';
import { listOwnerAddresses } from './rows.ts';

const OWNERS_NOTIFIED_MAX = 1000;

/** If the workspace has no owner, the mail goes to its billing address, if it has one. */
export async function mailOwners<K extends MailKind>(
  tx: Write,
  kind: K,
  paramsFor: (workspaceName: string) => MailParams[K],
): Promise<void> {
  const { name, billingEmail } = await loadWorkspace(tx);
  const owners = await listOwnerAddresses(tx, OWNERS_NOTIFIED_MAX);
  const recipients = owners.length === 0 && billingEmail !== null ? [billingEmail] : owners;
  for (const to of recipients) {
    await insertMail<MailKind>(tx, { kind, to, params: paramsFor(name), token: null });
  }
}
