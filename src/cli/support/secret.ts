/**
 * Printing a secret that is shown once: a new key, or a password that was made up.
 * Invariant: the secret is printed inside the transaction that makes it. If standard output cannot
 * be written, the transaction is undone, so no secret is live that nobody has seen.
 */
import { CommandError } from "../../errors.ts";
import { storageWords } from "../../files/storage.ts";
import { stderr, stdout } from "../../process/terminal.ts";

/** Prints one secret, and reports what became of it. */
export class SecretPrint {
  readonly #undone: string;
  #printed = false;

  /** `undone` says what was not done if the secret cannot be printed: "No key was made". */
  constructor(undone: string) {
    this.#undone = undone;
  }

  /** Prints the secret alone, for people. @throws CommandError if it cannot be written */
  text(secret: string): void {
    this.#print(() => stdout.printNow(`${secret}\n`));
  }

  /** Prints a document with the secret. @throws CommandError if it cannot be written */
  document(document: object): void {
    this.#print(() => stdout.dataNow(`${JSON.stringify(document)}\n`));
  }

  /** Says so if a failure undid the work after the secret was printed. Returns the failure. */
  undone(error: unknown): unknown {
    if (this.#printed) stderr.print(`${this.#undone}: what was printed does not work.\n`);
    return error;
  }

  #print(write: () => void): void {
    try {
      write();
      this.#printed = true;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const broken =
        code === "EPIPE" ? "its reader has ended (EPIPE). Run the command again." : null;
      const why = storageWords(error) ?? broken ?? `${message}.`;
      // Without a cause: the disk's would be taken for that of the state.
      throw new CommandError(
        `${this.#undone}, because it could not be shown. Standard output was not written: ${why}`,
      );
    }
  }
}
