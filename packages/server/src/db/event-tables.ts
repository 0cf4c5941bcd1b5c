// The columns of the tables of outbound events.
import type { Env } from '@keyrail/protocol/wire/env.ts';
import type { ColumnType } from 'kysely';
import type { Json } from './wire-format.ts';

/** Filled in from the reach. */
type FromReach = ColumnType<string, never, never>;

export type WebhookEndpoints = {
  id: string;
  workspaceId: FromReach;
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
  deletedAt: ColumnType<Date | null, never, Date>;
};

export type WebhookDeliveries = {
  id: string;
  workspaceId: FromReach;
  endpointId: string;
  env: Env | null;
  type: string;
  auditId: string | null;
  notice: Json<Record<string, unknown>> | null;
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
