/**
 * The temporary folder of an import, beside its output.
 * What comes in: the output's path. What goes out: paths for spill files.
 * Invariant: whatever ends the process short of a kill -9 (an error, Ctrl-C, SIGTERM), the folder
 * and the unfinished snapshot are gone afterwards.
 */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** A temporary folder that removes itself. */
export class Workspace {
  private readonly folder: string;
  private readonly unfinished: string;
  private readonly onExit = (): void => this.remove();
  private readonly onSignal = (signal: NodeJS.Signals): void => {
    process.exit(signal === "SIGINT" ? 130 : 143);
  };

  /** Makes the folder. @throws Error of the file system. */
  constructor(out: string) {
    this.folder = `${out}.${process.pid}.work`;
    this.unfinished = `${out}.${process.pid}.partial`;
    rmSync(this.folder, { recursive: true, force: true });
    mkdirSync(this.folder, { recursive: true });
    process.once("exit", this.onExit);
    process.once("SIGINT", this.onSignal);
    process.once("SIGTERM", this.onSignal);
  }

  /** Path of a file in the folder. */
  file(name: string): string {
    return join(this.folder, name);
  }

  /** Removes everything; safe to call twice. */
  close(): void {
    this.remove();
    process.off("exit", this.onExit);
    process.off("SIGINT", this.onSignal);
    process.off("SIGTERM", this.onSignal);
  }

  private remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
    rmSync(this.unfinished, { force: true });
  }
}
