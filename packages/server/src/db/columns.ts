// Column types that tables share.
import type { ColumnType } from 'kysely';

/** Read as a parsed value, written as JSON text: an array would become an SQL array. */
export type Json<T> = ColumnType<T, string, string>;
