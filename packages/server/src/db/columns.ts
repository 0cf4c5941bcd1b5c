// Kinds of columns that tables share.
import type { ColumnType } from 'kysely';

/** Read as the parsed value, written as its JSON text: an array would pass for an SQL array. */
export type Json<T> = ColumnType<T, string, string>;
