// Turns rows into project objects.
import type { DeletedProject as DeletedBody, Project } from '@keyrail/protocol/objects/project.ts';
import { wireTime } from '../../base/wire-time.ts';
import type { DeletedProject } from './delete-project.ts';
import type { ProjectRow } from './rows.ts';

export const presentProject = (row: ProjectRow): Project => ({
  object: 'project',
  id: row.id,
  name: row.name,
  slug: row.slug,
  policy_version: row.policyVersion,
  default_rate_limits: row.defaultRateLimits,
  created_at: wireTime(row.createdAt),
  updated_at: wireTime(row.updatedAt),
});

export const presentDeleted = ({ id, revokedKeys }: DeletedProject): DeletedBody => ({
  object: 'project',
  id,
  deleted: true,
  revoked_keys: revokedKeys,
});
