/**
 * The activities of the matches as bars, by division, section, or subclass; a click selects an
 * activity or all activities of a branch (a division or section).
 * Invariant: branches are shown until an activity is selected, then subclasses, unless the user
 * chose the level. Selecting a branch selects its subclasses in the snapshot.
 */
import { useSignal } from "@preact/signals";
import type { FacetAnswer, Filters } from "../../app/answers.ts";
import { words } from "../../app/words.ts";
import { catalog, loadCatalog, shortActivity } from "../catalog.ts";
import { change } from "../query.ts";
import { Bars } from "./bars.tsx";
import { branchChosen, onlyActivity, toggleActivity, toggleBranch } from "./choice.ts";
import { type ChartData, Frame } from "./frame.tsx";
import { rowsOf } from "./rows.ts";
import { sharedBeginning, withoutBeginning } from "./sharedbeginning.ts";

const ROWS_MAX = 40;

/** Shows the branches or the activities of the matches. */
export function Activities({
  facets,
  filters,
}: {
  facets: Record<string, FacetAnswer>;
  filters: Filters;
}) {
  const picked = useSignal<"branches" | "activities" | null>(null);
  const { charts } = words.value;
  const selected = filters.industry.cnae_any_of;
  const level = picked.value ?? (selected.length === 0 ? "branches" : "activities");
  const { beginning, ...data } =
    level === "branches"
      ? { beginning: "", ...branchData(facets.cnae_division, filters) }
      : activityData(facets.cnae_subclass, selected);
  const levels = [
    ["branches", charts.divisions],
    ["activities", charts.activities],
  ] as const;
  const action = (
    <span class="chart-levels">
      {levels.map(([name, label]) => (
        <button
          key={name}
          type="button"
          aria-pressed={level === name}
          onClick={() => {
            picked.value = name;
          }}
        >
          {label}
        </button>
      ))}
    </span>
  );
  return (
    <Frame
      area="activities"
      title={charts.activities}
      what={level === "branches" ? charts.divisions : charts.activity}
      data={data}
      action={action}
      facets={[level === "branches" ? "cnae_division" : "cnae_subclass"]}
    >
      <Bars data={data} />
      {beginning !== "" && <p class="field-hint">{charts.beginning(beginning)}</p>}
    </Frame>
  );
}

/** Sections of the whole register, for the overview. */
export function Sections({ facet, filters }: { facet: FacetAnswer | undefined; filters: Filters }) {
  const { charts } = words.value;
  const data = branchData(facet, filters);
  const { sections, section } = charts.overview;
  return (
    <Frame area="sections" title={sections} what={section} data={data} facets={["cnae_section"]}>
      <Bars data={data} />
    </Frame>
  );
}

function branchData(facet: FacetAnswer | undefined, filters: Filters): ChartData {
  const book = catalog.value;
  const { charts } = words.value;
  const chosen = (value: string) => book !== null && branchChosen(filters, book.activities(value));
  const found = rowsOf(facet, { rowsMax: ROWS_MAX, chosen });
  const rows = found.rows.map((row) => ({
    ...row,
    key: row.value,
    code: row.value,
    label: charts.branches[row.value] ?? row.label ?? row.value,
    press: () => void pressBranch(row.value),
  }));
  return { ...found, rows };
}

/** Returns the activities with short names, without a beginning that all names share. */
function activityData(
  facet: FacetAnswer | undefined,
  selected: readonly string[],
): ChartData & { readonly beginning: string } {
  const wanted = new Set(selected);
  const chosen = (value: string) => wanted.has(value);
  const found = rowsOf(facet, { rowsMax: ROWS_MAX, chosen });
  const labels = found.rows.map(({ value, label = value }) => shortActivity(value, label));
  const beginning = sharedBeginning(
    found.rows.flatMap(({ label }, at) => (label === labels[at] ? [label ?? ""] : [])),
  );
  const rows = found.rows.map((row, at) => ({
    ...row,
    key: row.value,
    code: row.value,
    label: labels[at] as string,
    shown: withoutBeginning(labels[at] as string, beginning),
    full: row.label,
    press: () => change((draft) => toggleActivity(draft, row.value)),
    only:
      row.chosen && selected.length > 1
        ? () => change((draft) => onlyActivity(draft, row.value))
        : undefined,
  }));
  return { ...found, rows, beginning };
}

async function pressBranch(code: string): Promise<void> {
  // Without the catalog, the subclasses of a branch are unknown, so nothing changes. The pickers
  // report that it failed to load.
  const book = await loadCatalog().catch(() => null);
  if (book !== null) change((draft) => toggleBranch(draft, book.activities(code)));
}
