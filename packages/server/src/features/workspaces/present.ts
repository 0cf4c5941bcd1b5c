// Rows → workspace objects.
import type { FoundedWorkspace, Workspace } from '@keyrail/protocol/objects/workspace.ts';
import { wireTime } from '../../base/wire-time.ts';
import { presentSecretKey } from '../secret-keys/present.ts';
import type { CreatedWorkspace } from './create-workspace.ts';
import type { WorkspaceRow } from './rows.ts';

export const presentWorkspace = (row: WorkspaceRow): Workspace => ({
  object: 'workspace',
  id: row.id,
  name: row.name,
  slug: row.slug,
  billing_email: row.billingEmail,
  embed_origins: row.embedOrigins,
  created_at: wireTime(row.createdAt),
  updated_at: wireTime(row.updatedAt),
});

export const presentCreatedWorkspace = ({
  workspace,
  secretKey,
  ownerId,
}: CreatedWorkspace): FoundedWorkspace => ({
  workspace: presentWorkspace(workspace),
  secret_key: {
    ...presentSecretKey(secretKey.row),
    key: secretKey.secret.reveal(),
    key_shown_once: true,
  },
  membership: ownerId === null ? null : { user_id: ownerId, role: 'owner' },
});
