/**
 * What one connection has under way. What comes in: that a request came, what was answered to it,
 * that its answer is out. What goes out: whether the connection asks for too much at once.
 * Invariant: counted by turns of the event loop, because all that has arrived on a connection is
 * worked off in one of them: nobody else is answered before it ends. Asking one after the other,
 * however fast, is never too much.
 */

/** Requests of one connection in one turn, and requests of it whose answers are not out. */
export const REQUESTS_AT_ONCE_MAX = 16;
/** Bytes of answers that one connection is given in one turn; what exceeds them is the last. */
export const BYTES_AT_ONCE_MAX = 262_144;

/** About what a head takes; answers without a body are to be counted as well. */
const HEAD_BYTES = 1_024;

let turn = 0;
let planned = false;

/** The number of this turn of the event loop. */
function thisTurn(): number {
  if (!planned) {
    planned = true;
    setImmediate(() => {
      planned = false;
      turn++;
    });
  }
  return turn;
}

/** The requests of one connection. */
export class Pipeline {
  /** Called when there is room again for requests of which too many were under way. */
  onRoom: () => void = () => {};
  #turn = -1;
  #requests = 0;
  #bytes = 0;
  #open = 0;

  /** A request has come. */
  begin(): void {
    this.#look();
    this.#requests++;
    this.#open++;
  }

  /** Its answer is out, or given up. */
  end(): void {
    this.#open--;
    if (this.#open === REQUESTS_AT_ONCE_MAX - 1) this.onRoom();
  }

  /** An answer is handed over, without its head. */
  answered(bytes: number): void {
    this.#look();
    this.#bytes += bytes + HEAD_BYTES;
  }

  /** Requests whose answers are not out. */
  get open(): number {
    return this.#open;
  }

  /** Requests that have come in this turn. */
  get requests(): number {
    this.#look();
    return this.#requests;
  }

  /** Whether no further request is to be taken in this turn. */
  get turnOver(): boolean {
    return this.requests >= REQUESTS_AT_ONCE_MAX || this.#bytes >= BYTES_AT_ONCE_MAX;
  }

  /** Whether no further request is to be taken until an answer is out. */
  get crowded(): boolean {
    return this.#open >= REQUESTS_AT_ONCE_MAX;
  }

  #look(): void {
    const now = thisTurn();
    if (now === this.#turn) return;
    this.#turn = now;
    this.#requests = 0;
    this.#bytes = 0;
  }
}
