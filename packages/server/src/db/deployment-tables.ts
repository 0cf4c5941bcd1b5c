// The columns of the tables that belong to the deployment, not to a workspace, and of the anchors,
// which the deployment signs for every workspace.
import type { SigningPurpose } from '@keyrail/protocol/wire/signing-purposes.ts';
import type { ColumnType } from 'kysely';
import type { Json } from './wire-format.ts';

type MailOutbox = {
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

type WorkerBeats = { workerId: string; seenAt: Date };

type JobLeases = { name: string; holder: string; leasedUntil: Date; dueAt: Date };

type BackupRuns = {
  id: string;
  kind: 'backup' | 'restore_test';
  backupId: string | null;
  startedAt: Date;
  endedAt: Date;
  passed: boolean;
  reason: string | null;
  bytes: number | null;
};

type AuditAnchors = {
  workspaceId: string;
  number: number;
  seq: number;
  hash: string;
  occurredAt: Date;
  count: number;
  anchoredAt: Date;
  kid: string;
  signature: string;
};

type AuditAnchorPlaces = {
  place: string;
  label: string;
  number: number;
  beganAt: Date;
  triedAt: Date;
  deliveredAt: Date | null;
  lastError: string | null;
};

type ServedSpans = { id: string; beganAt: Date; endedAt: Date };

type RecentRestores = { restoredAt: Date };

type NoticeMarks = { kind: string; until: Date };

export type DeploymentTables = {
  mailOutbox: MailOutbox;
  signingKeys: SigningKeys;
  workerBeats: WorkerBeats;
  jobLeases: JobLeases;
  backupRuns: BackupRuns;
  noticeMarks: NoticeMarks;
  servedSpans: ServedSpans;
  recentRestores: RecentRestores;
  auditAnchors: AuditAnchors;
  auditAnchorPlaces: AuditAnchorPlaces;
};
