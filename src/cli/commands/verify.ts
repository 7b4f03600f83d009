/**
 * `peneira verify`: checks every checksum of a snapshot. If all are right, the exit code is 0.
 * Otherwise it is 1, and every damaged block is named with its section.
 * Invariant: the whole file is read once, and nothing is trusted before it is verified.
 */
import type { Command } from "commander";
import { CommandError } from "../../errors.ts";
import { stderr, stdout } from "../../process/terminal.ts";
import { wordFor } from "../../text/amounts.ts";
import { progress } from "../support/progress.ts";
import { sectionName } from "./inspect.ts";

/** Adds `peneira verify` to the program. */
export function registerVerify(program: Command): void {
  program
    .command("verify")
    .summary("check every checksum of a snapshot")
    .description("Reads the whole snapshot and compares every checksum in it.")
    .argument("<file>", "the snapshot")
    .addHelpText(
      "after",
      `
Exits with 0 if all checksums match. Otherwise it lists the damaged places and exits with 1.

Example:
  $ peneira verify 2026-10.peneira`,
    )
    .action(async (path: string) => stdout.print(`${await verifyFile(path)}\n`));
}

/** Verifies a snapshot and describes the result. @throws CommandError naming the damage */
export async function verifyFile(path: string): Promise<string> {
  const { openSnapshot } = await import("../../../native-index/format/snapshot/snapshot.ts");
  const { verifySnapshot } = await import("../../../native-index/format/snapshot/verify.ts");
  const snapshot = await openSnapshot(path);
  const total = Math.ceil(snapshot.bytes / 2 ** 16);
  const display = progress("verify", total, stderr, "blocks");
  const { blocks, damaged, footerAgrees } = await verifySnapshot(snapshot, display.update);
  if (damaged.length > 0) {
    const places = damaged.map(({ block, offset, section }) => {
      const name = section === null ? "Arrow columns" : `section ${sectionName(section)}`;
      return `block ${block} at byte ${offset} (${name})`;
    });
    throw new CommandError(`${path} is damaged:\n- ${places.join("\n- ")}`);
  }
  if (!footerAgrees) {
    throw new CommandError(
      `${path} is damaged: its footer, at byte ${snapshot.footerOffset}, is not as it was ` +
        "written. Copy the file again, or import the dump again",
    );
  }
  const { rowCount } = snapshot;
  const accounts = `${rowCount.toLocaleString("en-US")} ${wordFor(rowCount, "account")}`;
  const checked = `${blocks} ${wordFor(blocks, "block")}`;
  return `${path}: ${accounts}, ${checked}, all checksums right`;
}
