export interface CsvRow {
  /** The line on which it begins, from 1. */
  line: number;
  cells: string[];
  /** Set where it is no whole row of a table. */
  fault?: string;
}

const [QUOTE, RETURN, NEWLINE] = [0x22, 0x0d, 0x0a];
const SEPARATORS = [',', ';', '\t'];

/** The separator of a table by its first line: the one that it has most of outside of quotes. */
export function findSeparator(text: string): string {
  const [first = ''] = text.replaceAll(/"[^"]*"/g, '').split(/[\r\n]/, 1);
  const counts = SEPARATORS.map((separator) => first.split(separator).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ',';
}

/**
 * Reads a table of RFC 4180, in pieces of any length: quoted cells may have separators, doubled quotes and line breaks, which are of any
 * system. A quote inside of a cell without quotes is a character like others. Empty lines are no rows.
 */
export class CsvReader {
  readonly #comma: number;
  #state: 'begin' | 'plain' | 'quoted' | 'closed' = 'begin';
  #cell = '';
  #cells: string[] = [];
  #line = 1;
  #begun = 1;
  #afterReturn = false;
  #rows: CsvRow[] = [];
  /** In the piece that is read: where the part begins that is not in the cell yet. */
  #from = 0;

  constructor(separator: string) {
    this.#comma = separator.charCodeAt(0);
  }

  /** Characters of the row that has not ended, with its separators. */
  get pending(): number {
    return this.#cells.reduce((sum, one) => sum + one.length + 1, this.#cell.length);
  }

  /** The rows that end in this piece. */
  read(text: string): CsvRow[] {
    this.#rows = [];
    this.#from = 0;
    for (let at = 0; at < text.length; at += 1) this.#step(text, at, text.charCodeAt(at));
    this.#take(text, text.length);
    return this.#rows;
  }

  end(): CsvRow[] {
    this.#rows = [];
    const isOpen = this.#state === 'quoted';
    if (isOpen) this.#state = 'closed';
    this.#endRow();
    return isOpen ? this.#rows.map((row) => ({ ...row, fault: 'has an unclosed quote' })) : this.#rows;
  }

  #step(text: string, at: number, code: number): void {
    const isEnd = code === RETURN || code === NEWLINE;
    const isSecondHalf = code === NEWLINE && this.#afterReturn;
    this.#afterReturn = code === RETURN;
    if (isEnd && !isSecondHalf) this.#line += 1;
    if (this.#state === 'quoted') {
      if (code !== QUOTE) return;
      this.#take(text, at);
      this.#state = 'closed';
    } else if (isSecondHalf) this.#from = at + 1;
    else if (code === QUOTE && (this.#state === 'begin' || this.#state === 'closed')) {
      if (this.#state === 'closed') this.#cell += '"';
      this.#state = 'quoted';
      this.#from = at + 1;
    } else if (code === this.#comma || isEnd) {
      this.#take(text, at);
      if (isEnd) this.#endRow();
      else this.#endCell();
    } else if (this.#state === 'begin') this.#state = 'plain';
  }

  #take(text: string, to: number): void {
    if (to > this.#from) this.#cell += text.slice(this.#from, to);
    this.#from = to + 1;
  }

  #endCell(): void {
    this.#cells.push(this.#cell);
    this.#cell = '';
    this.#state = 'begin';
  }

  /** A line without anything is no row. */
  #endRow(): void {
    if (this.#cells.length > 0 || this.#cell !== '' || this.#state === 'closed') {
      this.#endCell();
      this.#rows.push({ line: this.#begun, cells: this.#cells });
    }
    this.#cells = [];
    this.#state = 'begin';
    this.#begun = this.#line;
  }
}
