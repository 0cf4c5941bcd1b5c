// The audit log's filters, as stored in the URL.

import { UUID } from '@keyrail/protocol/wire/uuid.ts';
import { actions } from '../../parts/audit-log/actions.ts';
import { targetTypes } from './target-types.ts';

export type AuditSearch = {
  action?: string;
  actor?: string;
  target?: string;
  /** Dates in local time, both inclusive. */
  from?: string;
  to?: string;
};

const DAY = /^\d{4}-\d\d-\d\d$/;

const isAction = (text: string): boolean =>
  Object.hasOwn(actions, text) ||
  (text.endsWith('.*') && Object.hasOwn(targetTypes, text.slice(0, -2)));

export function parseSearch(search: Readonly<Record<string, string>>): AuditSearch {
  const { action = '', actor = '', target = '', from = '', to = '' } = search;
  return {
    ...(isAction(action) && { action }),
    ...(UUID.test(actor) && { actor }),
    ...(UUID.test(target) && { target }),
    ...(isDay(from) && { from }),
    ...(isDay(to) && { to }),
  };
}

const isDay = (text: string): boolean =>
  DAY.test(text) && !Number.isNaN(new Date(`${text}T00:00`).getTime());

/**
 * The query parameters for the API. The end date is inclusive, so the query ends when the next day
 * starts.
 */
export const queryOf = ({ action, actor, target, from, to }: AuditSearch) => ({
  ...(action !== undefined && { action }),
  ...(actor !== undefined && { actor_id: actor }),
  ...(target !== undefined && { target_id: target }),
  ...(from !== undefined && { from: midnightOf(from, 0) }),
  ...(to !== undefined && { to: midnightOf(to, 1) }),
});

function midnightOf(day: string, daysLater: number): string {
  const at = new Date(`${day}T00:00`);
  at.setDate(at.getDate() + daysLater);
  return at.toISOString();
}
