// Reads CSV (RFC 4180) piece by piece, with limited memory. Lines may end in CRLF or LF. Anything
// that other programs might parse differently is rejected, with its line number.

/** A row and the number of the line on which it starts. */
export type CsvRow = { line: number; cells: string[] };

/** An error that makes the rest of the file unreadable. */
export class UnreadableLine extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/**
 * The maximum length of a row, so that a missing quotation mark doesn't cause the whole file to be
 * buffered.
 */
export const ROW_CHARS_MAX = 1_048_576;

/**
 * `closed`: after a quotation mark in a quoted cell, which either closes the cell or is the first
 * of a pair.
 */
type State = 'start' | 'plain' | 'quoted' | 'closed' | 'return';

export class CsvReader {
  #state: State = 'start';
  #line = 1;
  #rowLine = 1;
  #chars = 0;
  #cell = '';
  #cells: string[] = [];

  /** Adds a piece of text, and returns the rows it completes. */
  push(text: string): CsvRow[] {
    const rows: CsvRow[] = [];
    for (const char of text) {
      const row = this.#take(char);
      if (row) rows.push(row);
    }
    return rows;
  }

  /** Returns the last row if it does not end in a line break. */
  end(): CsvRow[] {
    if (this.#state === 'quoted') throw this.#fault("a quoted cell isn't closed", this.#rowLine);
    const isEmpty = this.#state === 'start' && this.#cells.length === 0;
    return isEmpty ? [] : [this.#endRow()];
  }

  #take(char: string): CsvRow | null {
    this.#chars += char.length;
    if (this.#chars > ROW_CHARS_MAX) {
      throw this.#fault(`a row has more than ${ROW_CHARS_MAX} characters`, this.#rowLine);
    }
    if (this.#state === 'quoted') {
      if (char === '"') this.#state = 'closed';
      else this.#cell += char;
      if (char === '\n') this.#line += 1;
      return null;
    }
    if (this.#state === 'closed' && char === '"') {
      this.#cell += char;
      this.#state = 'quoted';
      return null;
    }
    return this.#takeOutside(char);
  }

  /** Handles a character outside quotation marks. Returns the row if the character ends it. */
  #takeOutside(char: string): CsvRow | null {
    if (char === '\n') {
      this.#line += 1;
      return this.#endRow();
    }
    if (this.#state === 'return') throw this.#fault('a carriage return without a line feed');
    if (char === ',') this.#endCell();
    else if (char === '\r') this.#state = 'return';
    else if (this.#state === 'closed') throw this.#fault('text after a quoted cell');
    else if (char !== '"') {
      this.#cell += char;
      this.#state = 'plain';
    } else if (this.#state === 'start') this.#state = 'quoted';
    else throw this.#fault('a quotation mark inside an unquoted cell');
    return null;
  }

  #endCell(): void {
    this.#cells.push(this.#cell);
    this.#cell = '';
    this.#state = 'start';
  }

  #endRow(): CsvRow {
    this.#endCell();
    const row = { line: this.#rowLine, cells: this.#cells };
    this.#cells = [];
    this.#chars = 0;
    this.#rowLine = this.#line;
    return row;
  }

  #fault(message: string, line = this.#line): UnreadableLine {
    return new UnreadableLine(line, message);
  }
}
