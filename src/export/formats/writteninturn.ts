/**
 * Pieces of a file that are made beside each other and written one after the other. What comes in:
 * pieces, made or being made. What goes out: the same, in the order in which they came.
 * Invariant: a bounded number of pieces is being made or waits; one that cannot be made ends the
 * work when it is its turn, and none behind it is written. Apart because it keeps the order alone.
 */

/** Two keep two processors busy while the third piece is hashed and written. */
const AHEAD = 2;

/** Writes pieces in turn; a piece is its bytes, or what says more of them. */
export class WrittenInTurn<Piece extends object = Uint8Array> {
  readonly #write: (piece: Piece) => void;
  readonly #pieces: Promise<Piece>[] = [];

  constructor(write: (piece: Piece) => void) {
    this.#write = write;
  }

  /** Takes a piece that is being made; waits for the oldest where there are too many. */
  later(piece: Promise<Piece>): void | Promise<void> {
    // Whoever waits for it hears of its failure; without this, nobody waiting ends the process.
    piece.catch(() => {});
    this.#pieces.push(piece);
    if (this.#pieces.length > AHEAD) return this.#oldest();
  }

  /** Makes a piece and writes it, behind all that came before. */
  now(make: () => Piece): void | Promise<void> {
    if (this.#pieces.length === 0) return this.#write(make());
    return this.rest().then(() => this.#write(make()));
  }

  /** Writes what is still being made. */
  async rest(): Promise<void> {
    while (this.#pieces.length > 0) await this.#oldest();
  }

  async #oldest(): Promise<void> {
    const piece = await this.#pieces.shift();
    if (piece !== undefined) this.#write(piece);
  }
}
