// The fields that are printed for an object, defined once for both lists and single objects.
import type { Tone } from '../terminal/style.ts';
import type { Cell } from './table.ts';

export type FieldValue = string | number | boolean | null | { text: string; tone: Tone };

/** How to print times (relative or exact) and IDs (by name, if known). */
export type Format = {
  now: Date;
  time(iso: string | null): string | null;
  nameOf(id: string): string;
};

export type Field<T> = {
  title: string;
  of(one: T, format: Format): FieldValue;
  /** Set if the field is printed only in lists, or only for a single object. */
  only?: 'list' | 'record';
  /** Leaves the field out of a single object if it is empty. */
  ifAny?: true;
  shrink?: true;
  drop?: number;
};

export function cellOf<T>(field: Field<T>, one: T, format: Format): Cell {
  const value = field.of(one, format);
  if (value === null || value === '') return { text: '-', tone: 'dim' };
  return typeof value === 'object' ? value : { text: String(value) };
}

export const isEmpty = (value: FieldValue): boolean => value === null || value === '';

/** Fields that many kinds of object have. */
export const idField = { title: 'id', of: (one: { id: string }) => one.id } as const;

export const nameField = {
  title: 'name',
  of: (one: { name: string | null }) => one.name,
  shrink: true,
} as const;

export const createdField = {
  title: 'created',
  of: (one: { created_at: string }, format: Format) => format.time(one.created_at),
  drop: 2,
} as const;

export const updatedField = {
  title: 'updated',
  of: (one: { updated_at: string }, format: Format) => format.time(one.updated_at),
  only: 'record',
} as const;

export const metaField = {
  title: 'meta',
  of: (one: { meta: Record<string, unknown> }) =>
    Object.keys(one.meta).length > 0 ? JSON.stringify(one.meta) : null,
  only: 'record',
  ifAny: true,
} as const;
