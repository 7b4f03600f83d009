/**
 * Signals that end `peneira diff`. What comes in: SIGINT, SIGTERM, SIGHUP. What goes out: an abort
 * that work between two slices hears, and the message of the end.
 * Invariant: while something is under way that cannot be aborted (a plain Arrow file is indexed),
 * the process ends at once, in a way that still lets temporary files be removed.
 */
import { CommandError } from "../../errors.ts";
import { stderr } from "../../process/terminal.ts";

const ENDING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Listens from its making to `end`. */
export class Interrupts {
  readonly #controller = new AbortController();
  #abortable = false;

  constructor() {
    for (const name of ENDING) process.on(name, this.#hear);
  }

  /** For work that aborts; from now on a signal does not end the process at once. */
  get signal(): AbortSignal {
    this.#abortable = true;
    return this.#controller.signal;
  }

  /** Throws once a signal came. */
  check(): void {
    this.#controller.signal.throwIfAborted();
  }

  /** Stops to listen. */
  end(): void {
    for (const name of ENDING) process.off(name, this.#hear);
  }

  readonly #hear = (name: NodeJS.Signals): void => {
    const message = `${name} ended the comparison`;
    if (this.#abortable) {
      this.#controller.abort(new CommandError(message));
      return;
    }
    stderr.print(`peneira: ${message}\n`);
    process.exit(1);
  };
}
