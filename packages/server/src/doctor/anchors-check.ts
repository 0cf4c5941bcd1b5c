// Checks that each audit chain still matches its last anchor, that a chain which has grown gets a
// new anchor in time, and that anchors can be written to every destination.
import { MINUTE_MS } from '../base/duration.ts';
import { fault, listed, type Outcome, orFine, warning } from './finding.ts';
import type { Inspection } from './inspection.ts';

/** The worker signs anchors every minute. */
const LATE_MINUTES = 10;
const CHAINS_MAX = 1000;

export async function checkAnchors(inspection: Inspection): Promise<Outcome[]> {
  const ask = <Row>(text: string, values: readonly unknown[]) =>
    inspection.queryAs<Row>('kr_worker', text, values);
  const broken = await ask<{ id: string }>(BROKEN, [CHAINS_MAX]);
  const late = await ask<{ id: string }>(LATE, [LATE_MINUTES * MINUTE_MS, CHAINS_MAX]);
  const places = await ask<{ label: string; reason: string }>(FAILING_PLACES, []);
  const found = [
    ...brokenFaults(broken.map(({ id }) => id)),
    ...lateFaults(late.length),
    ...places.map(({ label, reason }) =>
      warning(
        `Can't write audit anchors to ${label}: ${reason}`,
        'Make that destination writable, or fix KEYRAIL_AUDIT_ANCHORS.',
      ),
    ),
  ];
  return orFine(found, 'Every audit chain has a recent anchor at every destination.');
}

const brokenFaults = (ids: readonly string[]): Outcome[] =>
  ids.length === 0
    ? []
    : [
        fault(
          `Some audit chains no longer match their last anchor: workspaces ${listed(ids)}.`,
          'Entries were removed or rewritten. Run keyrail-server audit verify --anchors <file>.',
        ),
      ];

const lateFaults = (count: number): Outcome[] =>
  count === 0
    ? []
    : [
        warning(
          `${count} audit chains have grown but haven't been anchored for ${LATE_MINUTES} minutes.`,
          'Run a worker: keyrail-server worker, or keyrail-server start.',
        ),
      ];

const COMPARED = `
  select head.workspace_id as id from audit_heads head
    left join audit_anchors anchor on anchor.workspace_id = head.workspace_id`;

const BROKEN = `${COMPARED}
  where head.seq < anchor.seq or (head.seq = anchor.seq and head.hash <> anchor.hash)
  limit $1`;

const LATE = `${COMPARED}
  where (anchor.seq is null or head.seq > anchor.seq)
    and head.occurred_at < app_now() - $1 * interval '1 millisecond'
  limit $2`;

const FAILING_PLACES = `
  select label, last_error as reason from audit_anchor_places
  where last_error is not null order by label limit 100`;
