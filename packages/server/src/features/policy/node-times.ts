// For how long a silent node is waited for. Silence is measured in served time: see served_since()
// in the migrations.
import { NODE_SEEN_WITHIN_MS } from '@keyrail/protocol/limits.ts';
import { REVOKE_WAIT_MS_MAX } from '../../base/deadline.ts';
import { DAY_MS, SECOND_MS } from '../../base/duration.ts';

/** A poll this soon after the last noted one is not noted. */
export const NOTED_APART_MS = 10 * SECOND_MS;

/** Longer by what is not noted: a node that polled within the promised time is always counted. */
export const NODE_COUNTED_MS = NODE_SEEN_WITHIN_MS + NOTED_APART_MS;

/**
 * A record that may be removed because of silence was not counted during any wait that may still
 * run. So a wait knows that a record which is gone belongs to a node that has left.
 */
export const NODE_KEPT_MS = NODE_COUNTED_MS + 2 * REVOKE_WAIT_MS_MAX;

/** By the clock: which nodes are reported as silent, and when silent ones are forgotten. */
export const NODE_SILENT_MS_MAX = DAY_MS;
export const NODE_FORGOTTEN_AFTER_MS = 7 * DAY_MS;
