/**
 * Loads the configuration. Input: flags, the environment, a config file, and the plans' defaults.
 * Output: the effective value of every setting with its source.
 * Invariant: flags override PENEIRA_*, which override the file, which overrides defaults. An
 * unknown key is an error with a suggestion; all problems of all sources are reported together.
 */

import { CommandError } from "../errors.ts";
import { kindOf, wrongKindText } from "../files/filekind.ts";
import { FileTooLong, readSmallFile, SMALL_FILE_BYTES } from "../files/smallfile.ts";
import { JsonFault, JsonScanner } from "../text/json-scanner.ts";
import { didYouMean } from "../text/suggest.ts";
import { ORDERED, SETTINGS, type SettingKey, type SettingOf } from "./settings.ts";
import { readSetting, type Setting, type SettingType, type SettingValue } from "./settingvalue.ts";

/** Limits of a plan by name, such as `requests_per_second`; data/plans.json has the defaults. */
type PlanLimits = Readonly<Record<string, SettingValue>>;

type PlanTable = Readonly<Record<string, PlanLimits>>;

/** Where settings can come from. All sources are optional. */
export interface ConfigInputs {
  /** Values of flags by setting key; undefined if the flag was not given. */
  readonly flags?: Readonly<Record<string, string | undefined>>;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Path of a JSON file; the default is PENEIRA_CONFIG. */
  readonly file?: string | undefined;
  /** Default limits of the plans; each becomes a setting `plans.<plan>.<limit>`. */
  readonly plans?: PlanTable;
  /** Types and descriptions of plan limits by name; default: derived from their defaults. */
  readonly planSettings?: Readonly<Record<string, Pick<Setting, "type" | "description">>>;
}

/** The effective value of one setting. `origin` names the flag, variable or file. */
export interface EffectiveSetting {
  readonly key: string;
  readonly value: SettingValue;
  readonly source: "flag" | "environment" | "file" | "default";
  readonly origin: string;
  readonly secret: boolean;
  readonly description: string;
  /** The value that always applies if the transport is uWebSockets.js (`uws`). */
  readonly uws?: string;
}

/** The configuration of a run. */
export interface Config {
  get<Key extends SettingKey>(key: Key): SettingOf<Key>;
  /** The plans with all overrides. */
  readonly plans: PlanTable;
  /** All settings in table order, followed by those of plans. */
  readonly settings: readonly EffectiveSetting[];
}

type Rows = ReadonlyMap<string, Setting>;
type Found = Omit<EffectiveSetting, "key" | "secret" | "description" | "uws">;

/**
 * Variables that begin with `PENEIRA_` but are not settings: the path of the config file, and the
 * addon for tests.
 */
const OTHER_VARIABLES = new Set(["PENEIRA_CONFIG", "PENEIRA_ADDON"]);
/** Matches the plan in a key or a variable. */
const PLAN_PREFIX = /^(?:plans\.|PENEIRA_PLANS_)([^._]+)/;
/** Variables that Kubernetes sets in every container if a service is called peneira. */
const SERVICE_VARIABLE =
  /^PENEIRA_(?:[A-Z0-9_]+_)?(?:SERVICE_HOST|SERVICE_PORT\w*|PORT(?:_\d.*)?)$/;

/**
 * Loads the configuration. Throws a CommandError (exit code 2) that lists every problem: unknown
 * keys, invalid values, unreadable files. Only tests pass another table.
 */
export function loadConfig(
  inputs: ConfigInputs,
  table: Readonly<Record<string, Setting>> = SETTINGS,
): Config {
  const environment = inputs.environment ?? {};
  const plans = inputs.plans ?? {};
  const rows: Rows = new Map([...Object.entries(table), ...planRows(plans, inputs.planSettings)]);
  const problems: string[] = [];
  const wrong = new Set<string>();
  const file = inputs.file ?? environment.PENEIRA_CONFIG;
  const layers = [
    file === undefined ? new Map() : readFile(file, { rows, problems, wrong }),
    readEnvironment(environment, { rows, problems, wrong }),
    readFlags(inputs.flags ?? {}, { rows, problems, wrong }),
  ];
  const settings = [...rows].map(([key, row]): EffectiveSetting => {
    const found: Found = { value: row.fallback, source: "default", origin: "default" };
    const winner = layers.reduce((last, layer) => layer.get(key) ?? last, found);
    const { uws, description } = row;
    const known = { key, ...winner, secret: row.secret === true };
    return uws === undefined
      ? { ...known, description }
      : { ...known, description: `${description} With the transport uws: ${uws}.`, uws };
  });
  problems.push(...misordered(settings, wrong));
  if (problems.length > 0) {
    throw new CommandError(`The configuration is not valid:\n- ${problems.join("\n- ")}`, 2);
  }
  return makeConfig(settings, plans);
}

/** Returns conflicts between settings, ignoring settings that are already invalid. */
function misordered(
  settings: readonly EffectiveSetting[],
  wrong: ReadonlySet<string>,
): readonly string[] {
  const known = new Map(settings.map((one) => [one.key, one]));
  return ORDERED.flatMap(([smaller, larger]) => {
    const [one, other] = [known.get(smaller), known.get(larger)];
    if (wrong.has(smaller) || wrong.has(larger)) return [];
    if (typeof one?.value !== "number" || typeof other?.value !== "number") return [];
    if (one.value <= other.value) return [];
    const [first, second] = [one, other].map(({ origin, value }) => `${value} (${origin})`);
    return [`${smaller} must not be larger than ${larger}; it is ${first} and that is ${second}`];
  });
}

/** Returns the environment variable for a setting: its path in upper case, joined with `_`. */
export function variableOf(key: string): string {
  return `PENEIRA_${key.toUpperCase().replace(/[^A-Z0-9]/g, "_")}`;
}

/** Builds the configuration from loaded settings, for another thread. */
export function configOfSettings(settings: readonly EffectiveSetting[], plans: PlanTable): Config {
  return makeConfig(settings, plans);
}

function makeConfig(settings: readonly EffectiveSetting[], defaults: PlanTable): Config {
  const values = new Map(settings.map(({ key, value }) => [key, value]));
  const plans = Object.entries(defaults).map(([plan, limits]) => [
    plan,
    Object.fromEntries(
      Object.keys(limits).map((limit) => [limit, values.get(`plans.${plan}.${limit}`) ?? null]),
    ),
  ]);
  return {
    get: <Key extends SettingKey>(key: Key) => values.get(key) as SettingOf<Key>,
    plans: Object.fromEntries(plans),
    settings,
  };
}

function planRows(plans: PlanTable, known: ConfigInputs["planSettings"] = {}): [string, Setting][] {
  return Object.entries(plans).flatMap(([plan, limits]) =>
    Object.entries(limits).map(([limit, fallback]): [string, Setting] => {
      const { type = typeOf(fallback), description = limit } = known[limit] ?? {};
      const sentence = `Plan ${plan}: ${description}.`;
      return [`plans.${plan}.${limit}`, { type, fallback, description: sentence }];
    }),
  );
}

/** Infers a plan limit's type from its default. */
function typeOf(fallback: SettingValue): SettingType {
  if (typeof fallback === "boolean") return { kind: "boolean" };
  if (typeof fallback === "number") return { kind: "number", min: 0, max: Number.MAX_VALUE };
  return { kind: "list", or: "all" };
}

interface Context {
  readonly rows: Rows;
  readonly problems: string[];
  /** Keys with a problem. */
  readonly wrong: Set<string>;
}

/** Reads one value into a layer (the values of one source). Problems name only the source. */
function take(
  layer: Map<string, Found>,
  entry: { key: string; raw: unknown; source: Found["source"]; origin: string },
  { rows, problems, wrong }: Context,
): void {
  const row = rows.get(entry.key);
  if (row === undefined) return;
  const read = readSetting(row, entry.raw);
  const open = entry.source === "environment" ? null : openly(row, entry.raw);
  if (open !== null) {
    wrong.add(entry.key);
    problems.push(`${entry.origin}: ${entry.key} ${open}; set ${variableOf(entry.key)} instead`);
    return;
  }
  if ("value" in read) {
    layer.set(entry.key, { value: read.value, source: entry.source, origin: entry.origin });
    return;
  }
  wrong.add(entry.key);
  if ("unknown" in read) {
    const otherwise = "; `peneira config --markdown` lists what there is";
    for (const item of read.unknown) {
      const suggested = didYouMean(item, read.known, otherwise);
      problems.push(`${entry.origin}: ${entry.key} knows no ${JSON.stringify(item)}${suggested}`);
    }
  } else {
    const given = row.secret ? "another value" : withoutSecrets(JSON.stringify(entry.raw));
    problems.push(`${entry.origin}: ${entry.key} must be ${read.expected}, not ${given}`);
  }
}

/** Returns the problem with a value from a place that others can read, or null. */
function openly({ inTheOpen }: Setting, raw: unknown): string | null {
  return typeof raw === "string" && inTheOpen !== undefined ? inTheOpen(raw) : null;
}

/** Removes the parts of a refused URL that may be secret: password, query, and fragment. */
function withoutSecrets(text: string): string {
  return text
    .replace(/:\/\/([^/@\s"]*):[^/@\s"]*@/g, "://$1:…@")
    .replace(/(:\/\/[^\s"?#]*[?#])[^\s"]+/g, "$1…");
}

function readFlags(flags: Readonly<Record<string, string | undefined>>, context: Context) {
  const layer = new Map<string, Found>();
  for (const [key, raw] of Object.entries(flags)) {
    if (raw === undefined) continue;
    // Flags omit the group of a setting: the flag of `download.url` is --url.
    const origin = `--${key.replace(/^.*\./, "").replaceAll("_", "-")}`;
    if (!context.rows.has(key)) context.problems.push(`${origin}: unknown setting "${key}"`);
    take(layer, { key, raw, source: "flag", origin }, context);
  }
  return layer;
}

function readEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  context: Context,
) {
  const layer = new Map<string, Found>();
  const keys = new Map([...context.rows.keys()].map((key) => [variableOf(key), key]));
  for (const [name, text] of Object.entries(environment)) {
    if (!name.startsWith("PENEIRA_") || text === undefined) continue;
    const key = keys.get(name);
    // Settings are recognized first, because the variable of the mail server's port looks like
    // one that Kubernetes sets.
    if (key !== undefined) {
      take(layer, { key, raw: text, source: "environment", origin: name }, context);
      continue;
    }
    if (OTHER_VARIABLES.has(name) || SERVICE_VARIABLE.test(name)) continue;
    const secretKey = keys.get(name.replace(/_FILE$/, ""));
    if (secretKey !== undefined && context.rows.get(secretKey)?.secret === true) {
      const plain = variableOf(secretKey);
      if (environment[plain] !== undefined) {
        context.problems.push(`${name}: ${secretKey} is given twice, also as ${plain}`);
      }
      readSecretFile(layer, { key: secretKey, name, file: text }, context);
      continue;
    }
    context.problems.push(`${name}: unknown variable${hint(name, [...keys.keys()], context)}`);
  }
  return layer;
}

/** Reads a secret from the file named by `PENEIRA_X_FILE`, and trims white space. */
function readSecretFile(
  layer: Map<string, Found>,
  { key, name, file }: { key: string; name: string; file: string },
  context: Context,
): void {
  try {
    const raw = readSmallFile(file, SMALL_FILE_BYTES.secret).toString("utf8").trim();
    take(layer, { key, raw, source: "environment", origin: name }, context);
  } catch (error) {
    context.problems.push(`${name}: ${file} ${unreadable(error)}`);
  }
}

/**
 * Reads a JSON object from a file: `{"http": {"body_max_bytes": 1}}` sets `http.body_max_bytes`.
 */
function readFile(file: string, context: Context) {
  const layer = new Map<string, Found>();
  const content = parseFile(file, context.problems);
  if (content === undefined) return layer;
  if (!isObject(content)) {
    context.problems.push(`${file}: must be one JSON object`);
    return layer;
  }
  const seen = new Set<string>();
  for (const [key, raw] of leaves(content, "")) {
    if (isObject(raw) && isGroup(key, context)) continue;
    if (seen.has(key)) {
      context.problems.push(
        `${file}: ${key} is given twice, with a dot and as an object; keep one`,
      );
    } else if (!context.rows.has(key)) {
      const suggested = hint(key, [...context.rows.keys()], context);
      context.problems.push(`${file}: unknown key "${key}"${suggested}`);
    }
    seen.add(key);
    take(layer, { key, raw, source: "file", origin: file }, context);
  }
  return layer;
}

/** Parses a JSON file without duplicate names; returns undefined on a problem. */
function parseFile(file: string, problems: string[]): unknown {
  try {
    const bytes = readSmallFile(file, SMALL_FILE_BYTES.settings);
    const kind = kindOf(bytes);
    if (kind !== null) {
      problems.push(`${file}: ${wrongKindText(kind, "JSON in UTF-8")}; check the path`);
      return undefined;
    }
    const text = bytes.toString("utf8").replace(/^\ufeff/, "");
    new JsonScanner(text).scan();
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof JsonFault) {
      const { line, column, problem } = error;
      problems.push(`${file}, line ${line}, column ${column}: ${problem}; correct the file there`);
    } else {
      problems.push(`${file}: ${unreadable(error)}`);
    }
    return undefined;
  }
}

/** Returns why a file named by a setting cannot be read, and the remedy. */
function unreadable(error: unknown): string {
  if (error instanceof FileTooLong) return `is too long: ${error.message}; check the path`;
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR") return "there is no such file; check the path";
  if (code === "EISDIR") return "is a folder; name a file in it";
  return `cannot be read (${code ?? "unknown reason"}); check who may read it`;
}

/**
 * Returns all values inside an object, with their paths, such as `http.body_max_bytes`. An empty
 * object counts as a value, so that no part of the file is ignored.
 */
function leaves(value: Readonly<Record<string, unknown>>, prefix: string): [string, unknown][] {
  return Object.entries(value).flatMap(([name, inner]) =>
    isObject(inner) && Object.keys(inner).length > 0
      ? leaves(inner, `${prefix}${name}.`)
      : [[`${prefix}${name}`, inner]],
  );
}

/** True if there are settings below a path. */
function isGroup(path: string, { rows }: Context): boolean {
  return [...rows.keys()].some((key) => key.startsWith(`${path}.`));
}

/** Suggests a known key or variable for an unknown one; within a plan, only limits of the plan. */
function hint(word: string, known: readonly string[], { rows }: Context): string {
  const otherwise = "; `peneira config` lists all settings";
  const plans = [...rows.keys()].flatMap((key) => PLAN_PREFIX.exec(key)?.[1] ?? []);
  const [prefix, plan] = PLAN_PREFIX.exec(word) ?? [];
  if (prefix === undefined || plan === undefined || plans.length === 0) {
    return didYouMean(word, known, otherwise);
  }
  if (!plans.includes(plan.toLowerCase())) {
    return `; there is no plan ${plan.toLowerCase()} (plans: ${[...new Set(plans)].join(", ")})`;
  }
  const own = known.filter((candidate) => candidate.startsWith(prefix));
  return didYouMean(word, own, otherwise);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
