/**
 * `peneira plan`: prints the plans with their limits, as this configuration sets them.
 * Invariant: nothing is changed. The program defines the plans, and settings can change their
 * limits. `peneira key update` and `peneira tenant update` choose a plan.
 */
import type { Command } from "commander";
import { PLAN_NAMES } from "../../../access/plannames.ts";
import {
  loadPlans,
  PLAN_LIMITS,
  PLAN_SETTINGS,
  type Plan,
  type PlanLimit,
} from "../../../access/plans.ts";
import { stdout } from "../../../process/terminal.ts";
import { OUTPUT_FIELD_NAMES } from "../../../spec/fields.ts";
import { configOf } from "../../support/config.ts";
import { explain } from "../../support/helptext.ts";
import { printTable } from "../../support/print.ts";

interface PlanOptions {
  readonly config?: string;
  readonly json?: true;
}

/** Columns of the list: the limits that differ most between plans. */
const LISTED: readonly PlanLimit[] = [
  ...(["requests_per_second", "concurrent_requests", "search_limit", "export_rows"] as const),
  ...(["export_rows_per_day", "lists", "list_entries"] as const),
];

/** Limits for which 0 means no limit. */
const ZERO_IS_UNLIMITED: ReadonlySet<string> = new Set<PlanLimit>([
  ...(["export_rows_per_day", "export_bytes", "saved_bytes"] as const),
]);

/** Adds `peneira plan` with its two commands to the program. */
export function registerPlan(program: Command): void {
  const plan = explain(program.command("plan"), {
    summary: "list plans and show their limits",
    description: "Prints the plans and their limits, as changed by the configuration.",
    examples: ["peneira plan list", "peneira plan show growth --config peneira.json"],
  });
  common(
    explain(plan.command("list"), {
      summary: "list the plans with their main limits",
      description: "Lists the plans, from the smallest to the largest, with their main limits.",
      examples: ["peneira plan list", "peneira plan list --json"],
    }),
  ).action(list);
  const shown = explain(plan.command("show"), {
    summary: "show all limits of a plan",
    description: "Prints every limit of a plan, its meaning, and the setting that changes it.",
    examples: ["peneira plan show growth"],
  });
  shown.addArgument(shown.createArgument("<plan>", "name of the plan").choices(PLAN_NAMES));
  common(shown).action(show);
}

function common(command: Command): Command {
  return command
    .option("--config <file>", "JSON file with settings (default: PENEIRA_CONFIG)")
    .option("--json", "print one JSON document");
}

function list(options: PlanOptions): void {
  const plans = plansOf(options);
  if (options.json) {
    print({ plans: plans.map(documentOf) });
    return;
  }
  const rows = plans.map((plan) => {
    const limits = LISTED.map((limit) => [limit, amountOf(limit, plan.limits[limit])]);
    return { plan: plan.name, ...Object.fromEntries(limits) };
  });
  stdout.print(printTable(rows, ["plan", ...LISTED], Number.POSITIVE_INFINITY));
}

function show(name: string, options: PlanOptions): void {
  const plan = plansOf(options).find((one) => one.name === name) as Plan;
  if (options.json) {
    print(documentOf(plan));
    return;
  }
  const values: Readonly<Record<string, unknown>> = documentOf(plan);
  const rows = Object.entries(PLAN_SETTINGS).map(([limit, { description }]) => ({
    limit,
    value: amountOf(limit, values[limit]),
    meaning: description,
  }));
  stdout.print(printTable(rows, ["limit", "value", "meaning"], Number.POSITIVE_INFINITY));
  stdout.print(`Change a limit with the setting plans.${name}.<limit>.\n`);
}

function plansOf({ config }: PlanOptions): Plan[] {
  const plans = loadPlans(configOf({}, config).plans);
  return PLAN_NAMES.map((name) => plans[name]);
}

/** Returns a plan in the format of the configuration. */
function documentOf({ name, limits, secondaryCnaeFull, fields }: Plan) {
  const all = fields.length === OUTPUT_FIELD_NAMES.length;
  return {
    name,
    ...(Object.fromEntries(
      Object.keys(PLAN_LIMITS).map((limit) => [limit, limits[limit as PlanLimit]]),
    ) as Record<PlanLimit, number>),
    secondary_cnae_full: secondaryCnaeFull,
    fields: all ? "all" : fields,
  };
}

function amountOf(limit: string, value: unknown): string {
  if (value === 0 && ZERO_IS_UNLIMITED.has(limit)) return "unlimited";
  if (typeof value === "number") return value.toLocaleString("en-US");
  return Array.isArray(value) ? `${value.length} fields` : String(value);
}

function print(document: object): void {
  stdout.data(`${JSON.stringify(document)}\n`);
}
