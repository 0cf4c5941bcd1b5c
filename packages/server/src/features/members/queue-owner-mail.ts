// Queues an email to a workspace's owners.
import type { Read, Write } from '../../doors/door.ts';
import type { MailKind, MailParams } from '../mail/kinds.ts';
import { insertMail } from '../mail/rows.ts';
import { loadWorkspace } from '../workspaces/rows.ts';
import { listOwnerAddresses } from './rows.ts';

const OWNERS_NOTIFIED_MAX = 1000;

type OwnerMail = { [K in MailKind]: { kind: K; params: MailParams[K] } }[MailKind];

type Recipients = { workspace: string; addresses: readonly string[] };

/** If the workspace has no owner, its billing address is used instead, if there is one. */
export async function listRecipients(tx: Read): Promise<Recipients> {
  const { name, billingEmail } = await loadWorkspace(tx);
  const owners = await listOwnerAddresses(tx, OWNERS_NOTIFIED_MAX);
  const addresses = owners.length === 0 && billingEmail !== null ? [billingEmail] : owners;
  return { workspace: name, addresses };
}

export async function queueOwnerMail(
  tx: Write,
  mailFor: (workspaceName: string) => OwnerMail,
): Promise<void> {
  const { workspace, addresses } = await listRecipients(tx);
  const mail = mailFor(workspace);
  for (const to of addresses) await insertMail<MailKind>(tx, { ...mail, to, token: null });
}
