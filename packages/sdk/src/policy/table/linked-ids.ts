// The IDs of all keys. Each record in the table has a link to a row, either for native keys or for
// imported keys. Only rows for imported keys have room for the details that an imported key's text
// does not contain, so native keys need no memory for them.
import type { Env } from '../../api/context.ts';
import { Ids } from './ids.ts';
import { IMPORTED_WORDS, importedWords } from './imported.ts';

/** A key's properties that never change. */
type Identity = { keyId: string; tenantId: string; env: Env; importedPrefix?: string };

/** Which rows are in use, for native and for imported keys. */
export type RowMarks = { native: Uint8Array; imported: Uint8Array };

/** A link is never zero, because zero marks an empty record. */
const linkTo = (row: number, imported: boolean): number => (imported ? -1 - row : row + 1);
export const isImported = (link: number): boolean => link < 0;
export const rowOf = (link: number): number => (link < 0 ? -1 - link : link - 1);

export class LinkedIds {
  readonly native = new Ids();
  readonly imported = new Ids(IMPORTED_WORDS);
  #importedSize = 0;

  /** The number of links to imported keys. */
  get importedSize(): number {
    return this.#importedSize;
  }

  get bytes(): number {
    return this.native.bytes + this.imported.bytes;
  }

  /** Returns the ID table that a link points to; the row in it is `rowOf(link)`. */
  of(link: number): Ids {
    return link < 0 ? this.imported : this.native;
  }

  /** Stores the IDs of a key and returns the link to them. */
  add({ keyId, tenantId, env, importedPrefix }: Identity): number {
    if (importedPrefix === undefined) return linkTo(this.native.add(keyId, tenantId), false);
    this.#importedSize += 1;
    const more = importedWords(env, importedPrefix);
    return linkTo(this.imported.add(keyId, tenantId, more), true);
  }

  /** Whether a link points to exactly this key. */
  holds(link: number, key: Identity): boolean {
    const { env, importedPrefix } = key;
    if (isImported(link) !== (importedPrefix !== undefined)) return false;
    const more = importedPrefix === undefined ? undefined : importedWords(env, importedPrefix);
    return this.of(link).holds(rowOf(link), key, more);
  }

  remove(link: number): void {
    if (isImported(link)) this.#importedSize -= 1;
    this.of(link).remove(rowOf(link));
  }

  /** Marks the row that a link points to as used, in a table restored with `adopt`. */
  mark(link: number, marks: RowMarks): void {
    if (isImported(link)) this.#importedSize += 1;
    (isImported(link) ? marks.imported : marks.native)[rowOf(link)] = 1;
  }

  /**
   * Returns whichever of the two ID tables have many unused rows, each with its number of keys.
   * `keys` is the number of all keys.
   */
  sparse(keys: number): { ids: Ids; keys: number }[] {
    const all = [
      { ids: this.native, keys: keys - this.#importedSize },
      { ids: this.imported, keys: this.#importedSize },
    ];
    return all.filter((each) => each.ids.isSparse(each.keys));
  }

  /** Moves a key's row if `ids` is being reduced to fewer chunks, and returns the key's link. */
  move(link: number, ids: Ids): number {
    return this.of(link) === ids ? linkTo(ids.move(rowOf(link)), isImported(link)) : link;
  }
}
