/**
 * `peneira version`: prints the versions that a bug report needs, or the licenses of all parts of
 * the executable.
 * Invariant: if an addon cannot be loaded, the command reports it and still prints the versions for
 * a bug report.
 */
import type { Command } from "commander";
import manifest from "../../../package.json" with { type: "json" };
import { CommandError } from "../../errors.ts";
import { IS_EXECUTABLE, partBytes } from "../../executable/parts.ts";
import { stdout } from "../../process/terminal.ts";

declare const BUILD_COMMIT: string | undefined;
declare const BUILD_DATE: string | undefined;

/** The version of the product, as in package.json. */
export const VERSION: string = manifest.version;

/** Output of `peneira version`. A part that cannot be loaded has the reason as its version. */
export interface Versions {
  readonly peneira: string;
  readonly commit: string;
  readonly date: string;
  /** True for the executable, false for a bundle that Node runs. */
  readonly executable: boolean;
  readonly node: string;
  readonly uws: string;
  readonly simd: string;
  readonly sqlite: string;
  /** Format of the snapshots that this version writes and reads. */
  readonly snapshot_format: number;
  /** Schema of the state that this version writes; older ones are upgraded. */
  readonly state_format: number;
}

/** Titles of lines in the text output. Other lines have the member's name as their title. */
const TITLES: Readonly<Record<string, string>> = {
  uws: "uWebSockets.js",
  sqlite: "SQLite",
  node: "Node",
  snapshot_format: "snapshot format",
  state_format: "state format",
};

/** Adds `peneira version` to the program. */
export function registerVersion(program: Command): void {
  program
    .command("version")
    .summary("print the versions of Peneira and of the parts it runs on")
    .description("Prints the versions of Peneira, of the parts it runs on and of its formats.")
    .option("--json", "print one JSON document")
    .option("--licenses", "print the licenses of everything inside the executable instead")
    .addHelpText(
      "after",
      `
\`peneira --version\` prints the same.

Examples:
  $ peneira version
  $ peneira version --json
  $ peneira version --licenses | less`,
    )
    .action(async (options: { json?: boolean; licenses?: boolean }) => {
      if (options.licenses) return printLicenses(options.json === true);
      const versions = await readVersions();
      stdout.data(options.json ? `${JSON.stringify(versions)}\n` : asLines(versions));
    });
}

function asLines(versions: Versions): string {
  const textOf = (value: unknown) =>
    typeof value === "boolean" ? (value ? "yes" : "no, run by Node") : String(value);
  return Object.entries(versions)
    .map(([name, value]) => `${(TITLES[name] ?? name).padEnd(15)} ${textOf(value)}\n`)
    .join("");
}

function printLicenses(json: boolean): void {
  if (json) throw new CommandError("Pass either --licenses or --json.", 2);
  if (!IS_EXECUTABLE) {
    throw new CommandError(
      "Only the executable carries other people's work inside. Here every package lies in " +
        "node_modules together with its licence; Peneira's own is in the file LICENSE.",
    );
  }
  stdout.data(partBytes("licenses.txt"));
}

async function readVersions(): Promise<Versions> {
  const engine = import("../../../native-index/napi/engine.ts").then((it) => it.nativeVersions());
  const { FORMAT_VERSION } = await import("../../../native-index/format/snapshot/versions.ts");
  const state = await import("../../store/database.ts");
  const sqlite = await import("../../store/sqlite.ts");
  const native = await engine.catch((error: Error) => ({
    simd: notLoaded(error),
  }));
  return {
    peneira: VERSION,
    commit: typeof BUILD_COMMIT === "string" ? BUILD_COMMIT : "not bundled",
    date: typeof BUILD_DATE === "string" ? BUILD_DATE : "not bundled",
    executable: IS_EXECUTABLE,
    node: process.versions.node,
    uws: manifest.dependencies["uWebSockets.js"].replace(/^.*@/, ""),
    simd: native.simd,
    sqlite: sqliteOf(sqlite.sqliteVersion),
    snapshot_format: FORMAT_VERSION,
    state_format: state.SCHEMA_VERSION,
  };
}

function sqliteOf(read: () => string): string {
  try {
    return read();
  } catch (error) {
    return notLoaded(error as Error);
  }
}

function notLoaded(error: Error): string {
  return `not loaded: ${error.message.split("\n")[0]}`;
}
