// The last statement of a write: a single call to close_change() assigns policy versions, appends
// to the audit chain and queues webhook deliveries.

import { canonicalJson } from '@keyrail/protocol/wire/audit-chain.ts';
import type { NewId } from '../base/ids.ts';
import type { Answer, Statement } from '../db/database.ts';
import { type Entry, envOf, targetTypeOf } from './actions.ts';
import type { PolicyVersion } from './door.ts';
import type { Actor } from './reach.ts';

type Closing = {
  actor: Actor;
  entries: readonly Entry[];
  policy: readonly string[];
  floors: readonly string[];
  newId: NewId;
};

export const closeChange = ({ actor, entries, policy, floors, newId }: Closing): Statement => ({
  text: 'select project_id, version from close_change($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
  values: [
    actor.type,
    actor.id,
    policy,
    floors,
    entries.map(() => newId()),
    entries.map(({ action }) => action),
    entries.map(({ action }) => targetTypeOf(action)),
    entries.map(({ target }) => target),
    entries.map(envOf),
    entries.map(({ payload }) => canonicalJson(payload)),
  ],
});

export const versionsOf = (answer: Answer | undefined): PolicyVersion[] =>
  (answer?.rows ?? []).map((row) => ({
    projectId: String(row.projectId),
    version: Number(row.version),
  }));
