// Every table's columns, as statements use them. A test compares them with the database catalogue.

import type { RateLimit } from '@keyrail/protocol/validators.ts';
import type { Env } from '@keyrail/protocol/wire/env.ts';
import type { Permission } from '@keyrail/protocol/wire/permissions.ts';
import type { Role } from '@keyrail/protocol/wire/roles.ts';
import type { SigningPurpose } from '@keyrail/protocol/wire/signing-purposes.ts';

type Meta = Record<string, unknown>;

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
  isLive: boolean;
};

type SecretKeys = {
  id: string;
  workspaceId: string;
  env: Env;
  lookupHash: Buffer;
  displayPrefix: string;
  name: string | null;
  meta: Meta;
  expiresAt: Date | null;
  vendorExpiresAt: Date | null;
  revokedAt: Date | null;
  revokedReason: string | null;
  quarantinedAt: Date | null;
  quarantineReason: string | null;
  rotatedFrom: string | null;
  createdAt: Date;
  authority: 'owner' | 'admin';
  createdBy: string | null;
  metaBytes: number;
  permissions: Permission[] | null;
  projectIds: string[] | null;
  networks: string[] | null;
};

type Projects = {
  id: string;
  workspaceId: string;
  name: string;
  slug: string;
  defaultRateLimits: RateLimit[];
  createdAt: Date;
  updatedAt: Date;
  deletedAt: Date | null;
  nameKey: string | null;
  slugKey: string | null;
};

type Tenants = {
  id: string;
  workspaceId: string;
  externalId: string;
  name: string | null;
  meta: Meta;
  embedEpoch: number;
  createdAt: Date;
  updatedAt: Date;
  deletedAt: Date | null;
  metaBytes: number;
  nameKey: string | null;
  externalIdKey: string | null;
};

type ApiKeys = {
  id: string;
  workspaceId: string;
  projectId: string;
  tenantId: string;
  env: Env;
  lookupHash: Buffer;
  displayPrefix: string;
  name: string | null;
  scopes: string[];
  meta: Meta;
  rateLimits: RateLimit[] | null;
  expiresAt: Date | null;
  vendorExpiresAt: Date | null;
  revokedAt: Date | null;
  revokedReason: string | null;
  quarantinedAt: Date | null;
  quarantineReason: string | null;
  disabledAt: Date | null;
  disabledReason: string | null;
  rotatedFrom: string | null;
  imported: boolean;
  createdAt: Date;
  changeId: string;
  retiredAt: Date | null;
  shelf: number;
  stateShelf: number;
  endsAt: Date;
  metaBytes: number;
  nameKey: string | null;
  prefixKey: string;
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
  endedAt: Date | null;
  userAgent: string | null;
};

type Invites = {
  id: string;
  workspaceId: string;
  email: string;
  role: Role;
  invitedBy: string | null;
  invitedByKey: string | null;
  tokenHash: Buffer;
  mailTokenHash: Buffer;
  createdAt: Date;
  expiresAt: Date;
  acceptedAt: Date | null;
  revokedAt: Date | null;
};

type WebhookEndpoints = {
  id: string;
  workspaceId: string;
  env: Env | null;
  url: string;
  events: string[];
  description: string | null;
  sealedSecret: Buffer;
  sealedOldSecret: Buffer | null;
  oldSecretUntil: Date | null;
  disabledAt: Date | null;
  disabledReason: string | null;
  failingSince: Date | null;
  createdAt: Date;
  updatedAt: Date;
  deletedAt: Date | null;
};

type WebhookDeliveries = {
  id: string;
  workspaceId: string;
  endpointId: string;
  env: Env | null;
  type: string;
  auditId: string | null;
  notice: Record<string, unknown> | null;
  state: 'pending' | 'delivered' | 'failed';
  attempts: number;
  dueAt: Date;
  claim: string | null;
  claimedUntil: Date | null;
  lastStatus: number | null;
  lastError: string | null;
  durationMs: number | null;
  createdAt: Date;
  deliveredAt: Date | null;
};

type MailOutbox = {
  id: string;
  kind: string;
  recipient: string;
  params: Record<string, string>;
  sealedToken: Buffer | null;
  createdAt: Date;
  dueAt: Date;
  attempts: number;
  claim: string | null;
  claimedUntil: Date | null;
  sentAt: Date | null;
  failedAt: Date | null;
  lastError: string | null;
};

type SigningKeys = {
  id: string;
  purpose: SigningPurpose;
  generation: number;
  publicKey: string;
  sealedPrivate: Buffer | null;
  createdAt: Date;
  signsFrom: Date;
  endsAt: Date | null;
};

export type Tables = {
  workspaces: Workspaces;
  auditLogs: AuditLogs;
  secretKeys: SecretKeys;
  projects: Projects;
  tenants: Tenants;
  apiKeys: ApiKeys;
  users: Users;
  sessions: Sessions;
  invites: Invites;
  webhookEndpoints: WebhookEndpoints;
  webhookDeliveries: WebhookDeliveries;
  mailOutbox: MailOutbox;
  signingKeys: SigningKeys;
};
