// The columns of every table, as statements use them. A law compares them with the catalogue.

import type { Env } from '@keyrail/protocol/wire/env.ts';
import type { Role } from '@keyrail/protocol/wire/roles.ts';
import type { ColumnType } from 'kysely';
import type { DeploymentTables } from './deployment-tables.ts';
import type { WebhookDeliveries, WebhookEndpoints } from './event-tables.ts';
import type { TrafficTables } from './traffic-tables.ts';
import type { Json } from './wire-format.ts';

/** Set by the database from the reach of the transaction. */
type FromReach = ColumnType<string, never, never>;

/** Another column in lower case, computed by the database; searches compare it. */
type FoldedText<Text> = ColumnType<Text, never, never>;

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
  createdBy: string | null;
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
  /** Computed by the database. */
  isLive: ColumnType<boolean, never, never>;
};

type AuditHeads = {
  workspaceId: string;
  seq: number;
  hash: string;
  occurredAt: Date;
  changeId: string;
  /** Whether a webhook endpoint of the workspace receives events. Set by the database. */
  listens: ColumnType<boolean, never, never>;
};

/** Columns that API keys and secret keys share. */
type Credential = {
  id: string;
  workspaceId: FromReach;
  env: Env;
  lookupHash: Buffer;
  displayPrefix: string;
  name: string | null;
  meta: Json<Meta>;
  /** Computed by the database. */
  metaBytes: ColumnType<number, never, never>;
  expiresAt: Date | null;
  vendorExpiresAt: Date | null;
  revokedAt: ColumnType<Date | null, never, Date | null>;
  revokedReason: ColumnType<string | null, never, string | null>;
  quarantinedAt: ColumnType<Date | null, never, Date | null>;
  quarantineReason: ColumnType<string | null, never, string | null>;
  rotatedFrom: string | null;
  createdAt: Date;
};

type SecretKeys = Credential & { authority: 'owner' | 'admin'; createdBy: string | null };

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
  nameKey: FoldedText<string | null>;
  slugKey: FoldedText<string | null>;
};

type Tenants = {
  id: string;
  workspaceId: FromReach;
  externalId: string;
  name: string | null;
  meta: Json<Meta>;
  metaBytes: ColumnType<number, never, never>;
  embedEpoch: number;
  createdAt: Date;
  updatedAt: Date;
  deletedAt: ColumnType<Date | null, never, Date | null>;
  nameKey: FoldedText<string | null>;
  externalIdKey: FoldedText<string | null>;
};

type ApiKeys = Credential & {
  projectId: string;
  tenantId: string;
  scopes: string[];
  rateLimits: Json<RateLimit[]> | null;
  disabledAt: ColumnType<Date | null, never, Date | null>;
  disabledReason: ColumnType<string | null, never, string | null>;
  /** Another product issued the key. */
  imported: ColumnType<boolean, never, never>;
  /** Set by the database only. */
  changeId: ColumnType<string, never, never>;
  retiredAt: ColumnType<Date | null, never, Date>;
  shelf: ColumnType<number, never, never>;
  stateShelf: ColumnType<number, never, never>;
  endsAt: ColumnType<Date, never, never>;
  nameKey: FoldedText<string | null>;
  prefixKey: FoldedText<string>;
};

/** Written only by the database, when a change is closed. */
type MetaTotals = { workspaceId: string; bytes: number };

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
  changedAt: Date;
};

type PolicyNodes = {
  projectId: string;
  nodeId: string;
  envScope: string;
  workspaceId: FromReach;
  ackedVersion: number;
  lastSeenAt: Date;
  firstSeenAt: Date | null;
  sdkName: string | null;
  sdkVersion: string | null;
  leftAt: Date | null;
  nodeName: string | null;
  nextPollBy: Date | null;
  replacedAt: Date | null;
  scopeRank: ColumnType<number, never, never>;
};

type Users = {
  id: string;
  email: string;
  emailKey: string;
  emailVerifiedAt: Date | null;
  name: string | null;
  passwordHash: string;
  lastWorkspaceId: string | null;
  createdAt: Date;
  lastLoginAt: Date | null;
};

type Memberships = {
  id: string;
  workspaceId: FromReach;
  userId: string;
  role: Role;
  createdAt: Date;
  updatedAt: Date;
  removedAt: ColumnType<Date | null, never, Date>;
};

type Sessions = {
  id: string;
  userId: string;
  lookupHash: Buffer;
  displayPrefix: string;
  activeWorkspaceId: string | null;
  createdAt: Date;
  lastSeenAt: Date;
  expiresAt: Date;
  absoluteExpiresAt: Date;
  endedAt: ColumnType<Date | null, never, Date>;
  userAgent: string | null;
};

type OneTimeTokens = {
  id: string;
  userId: string;
  purpose: 'verify_email' | 'password_reset';
  tokenHash: Buffer;
  createdAt: Date;
  expiresAt: Date;
  endedAt: Date | null;
};

type Invites = {
  id: string;
  workspaceId: FromReach;
  email: string;
  role: Role;
  invitedBy: string | null;
  invitedByKey: string | null;
  tokenHash: Buffer;
  mailTokenHash: Buffer;
  createdAt: Date;
  expiresAt: Date;
  acceptedAt: ColumnType<Date | null, never, Date>;
  revokedAt: ColumnType<Date | null, never, Date>;
};

/** Written only by functions of the database; the worker removes expired rows. */
type KeptResponses = {
  workspaceId: FromReach;
  env: Env;
  keyHash: Buffer;
  fingerprint: Buffer;
  response: string;
  endsSecretKeys: string[];
  keptAt: Date;
  expiresAt: Date;
  isTest: ColumnType<boolean, never, never>;
};

type KeptResponseTotals = { workspaceId: FromReach; env: Env; bytes: number };

type WorkspaceTables = {
  workspaces: Workspaces;
  auditLogs: AuditLogs;
  auditHeads: AuditHeads;
  secretKeys: SecretKeys;
  secretKeyUses: SecretKeyUses;
  projects: Projects;
  tenants: Tenants;
  apiKeys: ApiKeys;
  metaTotals: MetaTotals;
  webhookEndpoints: WebhookEndpoints;
  webhookDeliveries: WebhookDeliveries;
  keptResponses: KeptResponses;
  keptResponseTotals: KeptResponseTotals;
  projectVersions: ProjectVersions;
  policyChanges: PolicyChanges;
  policyNodes: PolicyNodes;
  users: Users;
  voidSignUps: Users;
  memberships: Memberships;
  sessions: Sessions;
  oneTimeTokens: OneTimeTokens;
  invites: Invites;
};

export type Tables = TrafficTables & DeploymentTables & WorkspaceTables;
