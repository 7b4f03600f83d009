/**
 * What comes in: the manifest, what build.mjs knew when it bundled, and the loaded addon.
 * What goes out: `peneira version`, the versions one needs for a report of a fault.
 * Invariant: works also where the addon cannot be loaded, and says so, because that is exactly
 * when somebody asks.
 */
import type { Command } from "commander";
import manifest from "../../package.json" with { type: "json" };

declare const BUILD_COMMIT: string | undefined;
declare const BUILD_DATE: string | undefined;

/** The version of the product, as in package.json. */
export const VERSION: string = manifest.version;

/** Everything `peneira version` prints; a part that cannot be loaded says why. */
export interface Versions {
  readonly peneira: string;
  readonly commit: string;
  readonly date: string;
  readonly node: string;
  readonly uws: string;
  readonly croaring: string;
  readonly simd: string;
}

/** Adds `peneira version` to the program. */
export function registerVersion(program: Command): void {
  program
    .command("version")
    .description("print the versions of Peneira and of the parts it runs on")
    .option("--json", "print one JSON document")
    .action(async (options: { json?: boolean }) => {
      const versions = await readVersions();
      const lines = Object.entries(versions).map(([name, value]) => `${name.padEnd(9)} ${value}\n`);
      process.stdout.write(options.json ? `${JSON.stringify(versions)}\n` : lines.join(""));
    });
}

async function readVersions(): Promise<Versions> {
  const native = await import("../../native-index/engine.ts").then(
    (engine) => engine.nativeVersions(),
    (error: Error) => ({
      croaring: `not loaded: ${error.message.split("\n")[0]}`,
      simd: "unknown",
    }),
  );
  return {
    peneira: VERSION,
    commit: typeof BUILD_COMMIT === "string" ? BUILD_COMMIT : "not bundled",
    date: typeof BUILD_DATE === "string" ? BUILD_DATE : "not bundled",
    node: process.versions.node,
    uws: manifest.dependencies["uWebSockets.js"].replace(/^.*@/, ""),
    croaring: native.croaring,
    simd: native.simd,
  };
}
