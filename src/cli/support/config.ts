/**
 * Settings of commands, and `peneira config`: prints every setting with its source, or the table of
 * all settings for the documents.
 * Invariant: the value of a secret is never printed, only that it is set.
 */
import type { Command } from "commander";
import plans from "../../../data/plans.json" with { type: "json" };
import { PLAN_SETTINGS } from "../../access/plans.ts";
import { useFolders } from "../../executable/cachefolder.ts";
import { stdout } from "../../process/terminal.ts";
import {
  type Config,
  type EffectiveSetting,
  loadConfig,
  variableOf,
} from "../../settings/config.ts";
import { SETTINGS, type SettingKey } from "../../settings/settings.ts";
import { expectedOf, type Setting } from "../../settings/settingvalue.ts";

const PLANS = { plans, planSettings: PLAN_SETTINGS };

/** Values of a command's flags, by the key of the setting that each flag sets. */
export type SettingFlags = Partial<Record<SettingKey, string | undefined>>;

/** Reads a command's configuration: its flags, the environment, `--config`, the defaults. */
export function configOf(flags: SettingFlags, file: string | undefined): Config {
  const config = loadConfig({ flags, environment: process.env, file, ...PLANS });
  useFolders({ cacheDir: config.get("cache_dir"), dataDir: config.get("data_dir") });
  return config;
}

interface ConfigOptions {
  readonly config?: string;
  readonly variables?: boolean;
  readonly markdown?: boolean;
  readonly json?: boolean;
}

/** Adds `peneira config` to the program. */
export function registerConfig(program: Command): void {
  program
    .command("config")
    .summary("print every setting with its effective value and source")
    .description("Prints every setting with its effective value and source.")
    .option("--config <file>", "JSON file with settings (default: PENEIRA_CONFIG)")
    .option("--variables", "print the environment variable and the meaning of each setting")
    .option("--markdown", "print key, variable, default and meaning of each setting as a table")
    .option("--json", "print one JSON document")
    .addHelpText(
      "after",
      `
Flags override PENEIRA_* variables, which override the config file, which overrides the defaults.

Examples:
  $ peneira config
  $ PENEIRA_LISTEN=0.0.0.0:8080 peneira config --config peneira.json
  $ peneira config --variables`,
    )
    .action((options: ConfigOptions) => {
      if (options.markdown) {
        stdout.data(settingsTable());
        return;
      }
      const { settings } = configOf({}, options.config);
      if (options.json) stdout.data(`${JSON.stringify(settings.map(asJson))}\n`);
      else if (options.variables) stdout.print(settings.map(describe).join(""));
      else stdout.print(asLines(settings));
    });
}

function shown(setting: EffectiveSetting): unknown {
  return setting.secret && setting.value !== null ? "********" : setting.value;
}

function asJson(setting: EffectiveSetting): object {
  return { ...setting, value: shown(setting), variable: variableOf(setting.key) };
}

/** Formats key, value, and source of each setting, one per line. */
export function asLines(settings: readonly EffectiveSetting[]): string {
  const uws = settings.some(({ key, value }) => key === "transport" && value === "uws");
  const lines = settings.map((setting) => {
    const value = JSON.stringify(shown(setting));
    const { key, source, origin } = setting;
    const from = source === "default" ? source : `${source} ${origin}`;
    const instead = uws && setting.uws !== undefined ? `; uws: ${setting.uws}` : "";
    return `${key.padEnd(36)} ${value}  (${from}${instead})\n`;
  });
  return lines.join("");
}

/** Returns warnings about changed settings that the transport ignores. */
export function ineffectiveSettings(config: Config): string[] {
  if (config.get("transport") !== "uws") return [];
  return config.settings.flatMap(({ key, uws, source, origin }) =>
    uws === undefined || source === "default"
      ? []
      : [`${key} (${source} ${origin}) has no effect with the transport uws: ${uws}.`],
  );
}

/** Returns a warning if all new exports will be refused for lack of disk space. */
export function diskSpaceWarnings(config: Config, freeBytes: number | null): string[] {
  const key = "exports.free_bytes_min";
  const least = config.get(key);
  if (freeBytes === null || freeBytes >= least) return [];
  const { source, origin } = config.settings.find((one) => one.key === key) as EffectiveSetting;
  const from = source === "default" ? source : `${source} ${origin}`;
  return [
    `${key} (${from}) is ${least}, and the disk has ${freeBytes} bytes free: new exports are ` +
      "refused (507) until it has more.",
  ];
}

function describe(setting: EffectiveSetting): string {
  return `${variableOf(setting.key)}\n    ${setting.description}\n`;
}

/** A setting as shown in documents. */
export interface SettingRow {
  readonly key: string;
  readonly variable: string;
  readonly fallback: string;
  readonly meaning: string;
}

/** Returns every setting with its default value. */
export function settingRows(): SettingRow[] {
  return loadConfig(PLANS).settings.map(({ key, value, description }) => {
    const limit = key.split(".")[2] ?? "";
    const type = (SETTINGS as Readonly<Record<string, Setting>>)[key]?.type;
    const may = expectedOf(type ?? (PLAN_SETTINGS[limit] as (typeof PLAN_SETTINGS)[string]).type);
    const fallback = Array.isArray(value) ? value.join(", ") : JSON.stringify(value);
    const meaning = type?.kind === "text" ? description : `${description} Takes ${may}.`;
    return { key, variable: variableOf(key), fallback, meaning };
  });
}

/** Returns `settingRows` as a Markdown table. */
export function settingsTable(): string {
  const rows = settingRows().map(({ key, variable, fallback, meaning }) => {
    return [`\`${key}\``, `\`${variable}\``, `\`${fallback}\``, meaning];
  });
  const lines = [["Key", "Variable", "Default", "Meaning"], ["---", "---", "---", "---"], ...rows];
  return lines.map((cells) => `| ${cells.map(escapeCell).join(" | ")} |\n`).join("");
}

function escapeCell(text: string): string {
  return text.replaceAll("|", "\\|");
}
