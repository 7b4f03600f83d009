/**
 * The menu of a chart. Its commands show all values of the chart in a dialog, copy them as a table,
 * or save them as a file.
 * Invariant: the commands use the query on screen and cover all values of the chart, not only the
 * drawn ones. Their code loads on first use.
 */
import { useState } from "preact/hooks";
import { words } from "../../app/words.ts";
import { Menu } from "../../parts/menu.tsx";
import { toast } from "../../parts/toast.tsx";
import { query } from "../query.ts";
import { emptyQuery, type SentSpec, specOf } from "../question.ts";

type Later = typeof import("../../app/later.ts");

/** A request for the numbers of a chart. */
export interface Numbers {
  readonly title: string;
  readonly facets: readonly string[];
  readonly spec: SentSpec;
}

/** The menu of a chart. */
export function NumbersMenu({ title, facets }: Omit<Numbers, "spec">) {
  const { charts, shell } = words.value;
  const [shown, setShown] = useState<{ Shown: Later["NumbersDialog"]; numbers: Numbers } | null>(
    null,
  );
  const run = (command: (part: Later, numbers: Numbers) => void) => () => {
    const numbers = { title, facets, spec: countedSpec(facets) };
    import("../../app/later.ts").then(
      (part) => command(part, numbers),
      () => toast(shell.viewFailed, { kind: "error" }),
    );
  };
  const [all, copy, csv, xlsx] = charts.numbers;
  return (
    <>
      <Menu
        small
        icon="more"
        class="chart-menu"
        label={charts.numbersOf(title)}
        items={[
          ...(facets.includes("municipality")
            ? [
                {
                  label: charts.onMap,
                  icon: "pin" as const,
                  onSelect: run((part, one) =>
                    setShown({ Shown: part.StateMapDialog, numbers: one }),
                  ),
                },
              ]
            : []),
          {
            label: all,
            icon: "list",
            onSelect: run((part, one) => setShown({ Shown: part.NumbersDialog, numbers: one })),
          },
          { label: copy, icon: "copy", onSelect: run((part, one) => void part.copyNumbers(one)) },
          {
            label: csv,
            icon: "file",
            onSelect: run((part, one) => void part.saveNumbers(one, "csv")),
          },
          {
            label: xlsx,
            icon: "table",
            onSelect: run((part, one) => void part.saveNumbers(one, "xlsx")),
          },
        ]}
      />
      {shown !== null && <shown.Shown numbers={shown.numbers} onClose={() => setShown(null)} />}
    </>
  );
}

/**
 * Returns the spec (the query as sent to the server) whose matches the chart counts. The chart of
 * states ignores the query's filters on states and municipalities.
 */
function countedSpec(facets: readonly string[]): SentSpec {
  const spec = specOf(query.peek());
  if (!facets.includes("uf")) return spec;
  const { geo } = emptyQuery().filters;
  const { uf_any_of, municipality_ibge_any_of, municipality_tom_any_of } = geo;
  const own = { uf_any_of, municipality_ibge_any_of, municipality_tom_any_of };
  return { ...spec, filters: { ...spec.filters, geo: { ...spec.filters.geo, ...own } } };
}
