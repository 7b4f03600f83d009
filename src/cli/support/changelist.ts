/**
 * Opens the change list for `peneira diff`, and handles the signals that end its work. Input: two
 * opened snapshots, and optionally a cache folder; SIGINT, SIGTERM, SIGHUP. Output: the opened list
 * of the two snapshots, computed if it is missing. A signal aborts the comparison between two
 * slices of accounts, with a message.
 * Invariant: without a cache folder, the list is removed when it is closed, or when the process
 * ends earlier. A cached list that does not open is replaced. Indexing a plain Arrow file cannot be
 * aborted. During such work, a signal ends the process immediately, but temporary files are still
 * removed.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  buildChangeList,
  type ChangeList,
  ChangeListError,
  ChangeOrderError,
  changeListName,
  openChangeList,
  refuseWrongOrder,
} from "../../changes/list.ts";
import { CommandError } from "../../errors.ts";
import { makeFolders } from "../../files/newfolder.ts";
import { notWritten } from "../../files/storage.ts";
import { stderr } from "../../process/terminal.ts";
import type { Segment } from "../../search/segment.ts";
import { type Progress, progress } from "./progress.ts";

const ENDING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Listens to signals from its construction to `end`. */
export class Interrupts {
  readonly #controller = new AbortController();
  #abortable = false;

  constructor() {
    for (const name of ENDING) process.on(name, this.#hear);
  }

  /**
   * Returns the signal for work that can be aborted. After the first read of this getter, OS
   * signals no longer end the process immediately.
   */
  get signal(): AbortSignal {
    this.#abortable = true;
    return this.#controller.signal;
  }

  check(): void {
    this.#controller.signal.throwIfAborted();
  }

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

/** Opens the change list of two snapshots, or makes it if it is missing. @throws CommandError */
export async function listOfPair(
  pair: { readonly older: Segment; readonly newer: Segment },
  cache: string | undefined,
  interrupts: Interrupts,
): Promise<ChangeList> {
  const { older, newer } = pair;
  refuseOrder(older, newer);
  const place = cache === undefined ? temporaryPlace() : cacheFolder(cache);
  try {
    const path = join(place.folder, changeListName(older, newer));
    const list = openCached(path, older, newer) ?? (await make(path, older, newer, interrupts));
    const close = () => {
      list.close();
      place.leave();
    };
    return { ...list, close };
  } catch (error) {
    place.leave();
    throw error;
  }
}

function refuseOrder(older: Segment, newer: Segment): void {
  try {
    refuseWrongOrder(older, newer);
  } catch (error) {
    if (!(error instanceof ChangeOrderError)) throw error;
    throw new CommandError(`${error.message}: peneira diff OLD NEW.`, 2, error);
  }
}

/** The folder of a change list. `leave` cleans it up. */
interface Place {
  readonly folder: string;
  leave(): void;
}

function temporaryPlace(): Place {
  const folder = mkdtempSync(join(tmpdir(), "peneira-diff-"));
  const leave = (): void => {
    rmSync(folder, { recursive: true, force: true });
    process.off("exit", leave);
  };
  // If the reader closes the pipe, the process exits before the caller can call `leave`.
  process.once("exit", leave);
  return { folder, leave };
}

function cacheFolder(folder: string): Place {
  try {
    makeFolders(folder);
  } catch (error) {
    const { message } = error as Error;
    const reason = notWritten(`--cache ${folder}`, error);
    if (reason !== null) throw new CommandError(reason, 1, error);
    throw new CommandError(`--cache ${folder} is not a writable folder: ${message}`, 2, error);
  }
  return { folder, leave: () => undefined };
}

function openCached(path: string, older: Segment, newer: Segment): ChangeList | null {
  try {
    return openChangeList(path, older, newer);
  } catch (error) {
    if (!(error instanceof ChangeListError)) throw error;
    if (error.problem !== "missing") stderr.print(`warning: ${error.message}; listed again\n`);
    return null;
  }
}

async function make(
  path: string,
  older: Segment,
  newer: Segment,
  interrupts: Interrupts,
): Promise<ChangeList> {
  let display: Progress | null = null;
  const onProgress = (done: number, total: number): void => {
    display ??= progress("compare", total);
    display.update(done);
    if (done === total) display.done();
  };
  try {
    await buildChangeList(older, newer, path, { signal: interrupts.signal, onProgress });
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    const reason = notWritten("The comparison", error);
    throw new CommandError(reason ?? `The comparison was not written: ${message}`, 1, error);
  }
  return openChangeList(path, older, newer);
}
