/**
 * Writes rows of the dump's format into one reused buffer: every field quoted, `;` between them, LF
 * at the end, ISO-8859-1.
 * Invariant: words are already in the file's encoding and contain no quotes. Texts that may contain
 * quotes are written by `quoted`.
 */

/** Returns the bytes of a text in ISO-8859-1. */
export function latin1(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, "latin1"));
}

/** Splits text into words at white space. `_` stands for a space inside a word. */
export function words(text: string): Uint8Array[] {
  return text
    .trim()
    .split(/\s+/)
    .map((word) => latin1(word.replaceAll("_", " ")));
}

const BILLION = 1_000_000_000;

/** Buffer for rows. The caller clears it by setting `length` to 0. */
export class RowBytes {
  bytes: Uint8Array;
  length = 0;

  /** `capacity` must hold all rows between two clears. A row never exceeds 4 KiB. */
  constructor(capacity: number) {
    this.bytes = new Uint8Array(capacity);
  }

  /** Writes one byte. */
  byte(value: number): void {
    this.bytes[this.length++] = value;
  }

  /** Opens the row's first field. */
  open(): void {
    this.bytes[this.length++] = 34;
  }

  /** Ends a field and opens the next. */
  next(): void {
    const { bytes, length } = this;
    bytes[length] = 34;
    bytes[length + 1] = 59;
    bytes[length + 2] = 34;
    this.length = length + 3;
  }

  /** Ends the last field and the row. */
  close(): void {
    this.bytes[this.length++] = 34;
    this.bytes[this.length++] = 10;
  }

  /** Writes a word unchanged. */
  word(word: Uint8Array): void {
    const { bytes } = this;
    let at = this.length;
    for (let i = 0; i < word.length; i++) bytes[at++] = word[i] as number;
    this.length = at;
  }

  /** Writes a blank and a word. */
  spaced(word: Uint8Array): void {
    this.bytes[this.length++] = 32;
    this.word(word);
  }

  /** Writes a word in lower case (ASCII). */
  lower(word: Uint8Array): void {
    for (let i = 0; i < word.length; i++) {
      const byte = word[i] as number;
      this.bytes[this.length++] = byte >= 65 && byte <= 90 ? byte + 32 : byte;
    }
  }

  /** Writes the last `width` digits of the integer part, which must be below 2^31. */
  digits(value: number, width: number): void {
    const { bytes, length } = this;
    let rest = value | 0;
    for (let i = length + width - 1; i >= length; i--) {
      const tenth = (rest / 10) | 0;
      bytes[i] = 48 + rest - tenth * 10;
      rest = tenth;
    }
    this.length = length + width;
  }

  /** Writes a whole number without leading zeros. */
  integer(value: number): void {
    if (value >= BILLION) {
      this.integer(Math.floor(value / BILLION));
      this.digits(value % BILLION, 9);
      return;
    }
    let width = 1;
    for (let limit = 10; value >= limit; limit *= 10) width++;
    this.digits(value, width);
  }

  /** Writes text that may hold quotes, which are doubled. */
  quoted(text: string): void {
    this.word(latin1(text.replaceAll('"', '""')));
  }

  /** Writes days since 1970-01-01 as `YYYYMMDD`. The date must be after the year 0. */
  date(days: number): void {
    // Civil calendar from a day count, after H. Hinnant, "chrono-compatible date algorithms".
    const shifted = days + 719468;
    const era = (shifted / 146097) | 0;
    const dayOfEra = shifted - era * 146097;
    const yearOfEra =
      ((dayOfEra - ((dayOfEra / 1460) | 0) + ((dayOfEra / 36524) | 0) - ((dayOfEra / 146096) | 0)) /
        365) |
      0;
    const dayOfYear =
      dayOfEra - (365 * yearOfEra + ((yearOfEra / 4) | 0) - ((yearOfEra / 100) | 0));
    const shiftedMonth = ((5 * dayOfYear + 2) / 153) | 0;
    const day = dayOfYear - (((153 * shiftedMonth + 2) / 5) | 0) + 1;
    const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
    this.digits((yearOfEra + era * 400 + (month <= 2 ? 1 : 0)) * 10000 + month * 100 + day, 8);
  }

  /** Appends a copy of written bytes, such as a whole row. */
  repeat(start: number, end: number): void {
    this.bytes.copyWithin(this.length, start, end);
    this.length += end - start;
  }
}
