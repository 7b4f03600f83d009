/**
 * A request body over uWebSockets.js whose end another parser may see elsewhere: the library takes
 * any two bytes for the end of a chunk, and stops reading headers at one without a name, so that a
 * length after it is not seen.
 * Invariant: such a request is executed, and its only answer sent, after the library has parsed
 * all bytes that came with the end of the body; that answer is the last of its connection. If more
 * came than the body, the library closes the connection and the request is not executed.
 */

/** How long a refusal waits for the end of the body, in milliseconds. */
const REFUSAL_MS = 1_000;

/** An answer that waits, and the way to drop it. */
interface KeptAnswer {
  send(): void;
  cut(): void;
}

/** Returns true if nothing may be read on the connection after the body of such a request. */
export function endIsUnsure(method: string, coding?: string, length?: string): boolean {
  const hasBody = method === "POST" || method === "PATCH";
  return coding !== undefined || (hasBody && length === undefined);
}

/** The end of one such body. */
export class OpenBody {
  /** True if the body comes in chunks; otherwise nothing says that there is one. */
  readonly chunked: boolean;
  readonly #gone: () => boolean;
  #over = false;
  #refusal: KeptAnswer | null = null;
  #late: NodeJS.Timeout | undefined;

  constructor(chunked: boolean, gone: () => boolean) {
    this.chunked = chunked;
    this.#gone = gone;
  }

  /** True once the body has ended, or was waited for long enough: answers may leave. */
  get over(): boolean {
    return this.#over;
  }

  /**
   * Keeps a refusal until the end of the body, or for a while: a client that is still sending when
   * its connection closes may not get to read why.
   */
  keep(refusal: KeptAnswer): void {
    this.#refusal = refusal;
    this.#late = setTimeout(() => this.#finish(() => {}), REFUSAL_MS);
  }

  /** Marks the end of the body; then sends the refusal, or calls `whole` if there is none. */
  end(whole: () => void): void {
    setImmediate(() => this.#finish(whole));
  }

  /** Drops the refusal of a client that is gone. */
  cut(): void {
    clearTimeout(this.#late);
    if (!this.#over) this.#refusal?.cut();
  }

  #finish(whole: () => void): void {
    if (this.#gone() || this.#over) return;
    this.#over = true;
    clearTimeout(this.#late);
    if (this.#refusal === null) whole();
    else this.#refusal.send();
  }
}
