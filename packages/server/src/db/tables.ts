// The columns of every table, as statements see them: held against the catalogue by a law.
import type { ColumnType } from 'kysely';

type Env = 'live' | 'test';

/** Read as the parsed value, written as its JSON text: an array would pass for an SQL array. */
type Json<T> = ColumnType<T, string, string>;

/** Filled in by the database from the reach of the transaction. */
type FromReach = ColumnType<string, never, never>;

type Meta = Record<string, unknown>;

export type RateLimit = {
  id: string;
  limit: number;
  window_ms: number;
  algorithm: 'sliding' | 'fixed';
  scope: 'key' | 'tenant';
};

type Workspaces = {
  id: string;
  name: string;
  slug: string;
  billingEmail: string | null;
  embedOrigins: string[];
  createdAt: Date;
  updatedAt: Date;
};

type AuditLogs = {
  id: string;
  workspaceId: string;
  seq: number;
  occurredAt: Date;
  actorType: 'user' | 'secret_key' | 'bootstrap' | 'embed' | 'scanner' | 'system';
  actorId: string | null;
  action: string;
  targetType: string;
  targetId: string;
  env: Env | null;
  payload: string;
  prevHash: string;
  hash: string;
};

type AuditHeads = {
  workspaceId: string;
  seq: number;
  hash: string;
  occurredAt: Date;
  changeId: string;
};

/** What API keys and secret keys have in common. */
type Credential = {
  id: string;
  workspaceId: FromReach;
  env: Env;
  lookupHash: Buffer;
  displayPrefix: string;
  name: string | null;
  meta: Json<Meta>;
  expiresAt: Date | null;
  vendorExpiresAt: Date | null;
  revokedAt: ColumnType<Date | null, never, Date | null>;
  revokedReason: ColumnType<string | null, never, string | null>;
  quarantinedAt: ColumnType<Date | null, never, Date | null>;
  quarantineReason: ColumnType<string | null, never, string | null>;
  rotatedFrom: string | null;
  createdAt: Date;
};

type SecretKeys = Credential & { authority: 'owner' | 'admin' };

type SecretKeyUses = { secretKeyId: string; workspaceId: string; usedAt: Date };

type Projects = {
  id: string;
  workspaceId: FromReach;
  name: string;
  slug: string;
  defaultRateLimits: Json<RateLimit[]>;
  createdAt: Date;
  updatedAt: Date;
  deletedAt: ColumnType<Date | null, never, Date | null>;
};

type Tenants = {
  id: string;
  workspaceId: FromReach;
  externalId: string;
  name: string | null;
  meta: Json<Meta>;
  embedEpoch: number;
  createdAt: Date;
  updatedAt: Date;
  deletedAt: ColumnType<Date | null, never, Date | null>;
};

type ApiKeys = Credential & {
  projectId: string;
  tenantId: string;
  scopes: string[];
  rateLimits: Json<RateLimit[]> | null;
  /** Set by the database; no statement of ours writes it. */
  changeId: ColumnType<string, never, never>;
};

/** Written by the database alone, when a change is closed. */
type ProjectVersions = {
  projectId: string;
  workspaceId: string;
  version: number;
  floor: number;
};

type PolicyChanges = {
  projectId: string;
  version: number;
  workspaceId: string;
  changeId: string;
};

export type Tables = {
  workspaces: Workspaces;
  auditLogs: AuditLogs;
  auditHeads: AuditHeads;
  secretKeys: SecretKeys;
  secretKeyUses: SecretKeyUses;
  projects: Projects;
  tenants: Tenants;
  apiKeys: ApiKeys;
  projectVersions: ProjectVersions;
  policyChanges: PolicyChanges;
};
