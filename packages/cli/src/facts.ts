// What is shown of an object, said once for lists and for single objects.

import type { Tone } from './style.ts';
import type { Cell } from './table.ts';

export type Shown = string | number | boolean | null | { text: string; tone: Tone };

/** How instants look here: near or exact. */
export type Look = { now: Date; time(iso: string | null): string | null };

export type Fact<T> = {
  title: string;
  of(one: T, look: Look): Shown;
  /** Shown only in a list, or only of a single object. */
  only?: 'list' | 'record';
  /** Left out of a single object when there is nothing to say. */
  ifAny?: true;
  shrink?: true;
  drop?: number;
};

export function cellOf<T>(fact: Fact<T>, one: T, look: Look): Cell {
  const shown = fact.of(one, look);
  if (shown === null || shown === '') return { text: '-', tone: 'dim' };
  return typeof shown === 'object' ? shown : { text: String(shown) };
}

export const isEmpty = (shown: Shown): boolean => shown === null || shown === '';

/** Facts of many objects, by the name of their field. */
export const idFact = { title: 'id', of: (one: { id: string }) => one.id } as const;

export const nameFact = {
  title: 'name',
  of: (one: { name: string | null }) => one.name,
  shrink: true,
} as const;

export const createdFact = {
  title: 'created',
  of: (one: { created_at: string }, look: Look) => look.time(one.created_at),
  drop: 2,
} as const;

export const updatedFact = {
  title: 'updated',
  of: (one: { updated_at: string }, look: Look) => look.time(one.updated_at),
  only: 'record',
} as const;

export const metaFact = {
  title: 'meta',
  of: (one: { meta: Record<string, unknown> }) =>
    Object.keys(one.meta).length > 0 ? JSON.stringify(one.meta) : null,
  only: 'record',
  ifAny: true,
} as const;

type Credential = {
  expires_at: string | null;
  revoked_at: string | null;
  quarantined_at: string | null;
};

/** A credential's state is carried by its instants; the gravest one counts. */
export function stateOf(one: Credential, now: Date): { text: string; tone: Tone } {
  if (one.revoked_at) return { text: 'revoked', tone: 'red' };
  if (one.expires_at && Date.parse(one.expires_at) <= now.getTime()) {
    return { text: 'expired', tone: 'dim' };
  }
  if (one.quarantined_at) return { text: 'quarantined', tone: 'yellow' };
  return { text: 'active', tone: 'green' };
}
