// The columns of the tables that a vendor's traffic fills through the record door, unaudited.
import type { Env } from '@keyrail/protocol/wire/env.ts';
import type { ColumnType } from 'kysely';

/** Set by the database from the reach of the transaction. */
type FromReach = ColumnType<string, never, never>;

type IdempotencyScope = {
  workspaceId: FromReach;
  env: Env;
  scopeHash: Buffer;
  fingerprint: Buffer;
};
type IdempotencyLock = { lockToken: string | null; lockedUntil: Date; expiresAt: Date };
type IdempotencyAnswer = {
  status: number | null;
  headers: ColumnType<Record<string, unknown>, string, string> | null;
  body: Buffer | null;
  sealed: Buffer | null;
  storedBytes: number;
};
type IdempotencyRecords = IdempotencyScope & IdempotencyLock & IdempotencyAnswer;

type IdempotencyTotals = { workspaceId: FromReach; env: Env; stripe: number; bytes: number };

type IngestBudgets = { workspaceId: FromReach; minute: number; charged: number };

type IngestBatches = {
  workspaceId: FromReach;
  env: Env;
  batchId: string;
  accepted: number;
  eventsDropped: number;
  receivedAt: Date;
};

type UsageKeyDays = {
  workspaceId: FromReach;
  keyId: string;
  day: string;
  requests: number;
  errors: number;
  lastAt: Date | null;
};

type UsageTenantMonths = {
  workspaceId: FromReach;
  tenantId: string;
  projectId: string;
  env: Env;
  month: string;
  requestCount: number;
  firstSeenAt: Date;
  lastSeenAt: Date;
};

type TenantMonthTotals = { workspaceId: FromReach; months: number };

type TrafficSpans = { workspaceId: FromReach; env: Env; firstAt: Date; lastAt: Date };

type UsageHours = {
  workspaceId: FromReach;
  projectId: string;
  env: Env;
  hour: Date;
  requests: number;
  errors: number;
  degraded: number;
  latency: number[];
};

type UsageDenials = {
  workspaceId: FromReach;
  projectId: string;
  env: Env;
  hour: Date;
  reason: string;
  requests: number;
};

export type TrafficTables = {
  idempotencyRecords: IdempotencyRecords;
  idempotencyTotals: IdempotencyTotals;
  ingestBudgets: IngestBudgets;
  ingestBatches: IngestBatches;
  usageKeyDays: UsageKeyDays;
  usageTenantMonths: UsageTenantMonths;
  tenantMonthTotals: TenantMonthTotals;
  trafficSpans: TrafficSpans;
  usageHours: UsageHours;
  usageDenials: UsageDenials;
};
