// Time limits for nodes, such as how long after its last poll a node is counted or shown as
// connected. Its silence is measured in served time, which excludes outages of the server: see
// served_since() in the migrations.
import { NODE_SEEN_WITHIN_MS, REVOKE_WAIT_MS_MAX } from '@keyrail/protocol/wire/limits.ts';
import { DAY_MS, SECOND_MS } from '../../base/duration.ts';

/** A poll is not recorded if less time than this has passed since the last recorded poll. */
export const RECORDED_APART_MS = 10 * SECOND_MS;

/**
 * How long a node counts as live after its last recorded poll. Includes RECORDED_APART_MS, because
 * a later poll may not have been recorded.
 */
export const NODE_COUNTED_MS = NODE_SEEN_WITHIN_MS + RECORDED_APART_MS;

/**
 * How long a silent node's record is kept. This is longer than any wait that counted the node can
 * last, so if a record disappears during a wait, its node must have left.
 */
export const NODE_KEPT_MS = NODE_COUNTED_MS + 2 * REVOKE_WAIT_MS_MAX;

/** How late a poll may be before its node no longer counts as connected. */
const POLL_LATE_MS = 5 * SECOND_MS;

/**
 * How long a node counts as connected after a recorded poll, even if its next poll isn't recorded.
 */
export const connectedMs = (nextPollMs: number): number =>
  nextPollMs + RECORDED_APART_MS + POLL_LATE_MS;

/**
 * How long a node that has left is remembered. This is longer than it can take to record a poll,
 * even through a relay.
 */
export const NODE_LEFT_MS = 60 * SECOND_MS;

/**
 * These two are measured by the wall clock: how long a node is reported as silent, and when its
 * record is deleted.
 */
export const NODE_SILENT_MS_MAX = DAY_MS;
export const NODE_FORGOTTEN_AFTER_MS = 7 * DAY_MS;
