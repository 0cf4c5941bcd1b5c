// The columns of the tables that belong to the deployment, not to a workspace.
import type { ColumnType } from 'kysely';
import type { Json } from './wire-format.ts';

export type MailOutbox = {
  id: string;
  kind: string;
  recipient: string;
  params: Json<Record<string, string>>;
  sealedToken: Buffer | null;
  createdAt: Date;
  dueAt: Date;
  attempts: number;
  claim: ColumnType<string | null, never, string | null>;
  claimedUntil: ColumnType<Date | null, never, Date | null>;
  sentAt: ColumnType<Date | null, never, Date>;
  failedAt: ColumnType<Date | null, never, Date>;
  lastError: ColumnType<string | null, never, string>;
};

export type SigningKeys = {
  id: string;
  generation: number;
  publicKey: string;
  sealedPrivate: Buffer;
  createdAt: Date;
  signsFrom: Date;
  endsAt: Date | null;
};

export type WorkerBeats = { workerId: string; seenAt: Date };

export type JobLeases = { name: string; holder: string; leasedUntil: Date; dueAt: Date };

export type ServedSpans = { id: string; beganAt: Date; endedAt: Date };

export type NoticeMarks = { kind: string; until: Date };
