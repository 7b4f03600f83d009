/**
 * Shows charts as lists of bars: sizes, statuses, municipalities, and tax regimes.
 * Invariant: if a chart has a fixed set of values, it shows all of them in code order, so that
 * users can add excluded values. The other charts show the most frequent values.
 */
import type { FacetAnswer, Filters } from "../../app/answers.ts";
import { words } from "../../app/words.ts";
import { change } from "../query.ts";
import { Bars } from "./bars.tsx";
import { toggleMunicipality, toggleOptIn, toggleSize, toggleStatus } from "./choice.ts";
import { type ChartData, Frame } from "./frame.tsx";
import { rowsOf } from "./rows.ts";

/** Props of a list chart: the facet, undefined until loaded, and the filters of the query. */
export interface ListProps {
  readonly facet: FacetAnswer | undefined;
  readonly filters: Filters;
}

const SIZES = ["01", "03", "05", "00"];
const STATUSES = ["2", "8", "4", "3", "1"];
const OPTIONS = ["true", "false"];
const MUNICIPALITIES_MAX = 40;

/** Company sizes. */
export function Sizes({ facet, filters }: ListProps) {
  const { charts, codes } = words.value;
  const selected = filters.company.company_size_code_any_of;
  const chosen = (value: string) => selected.includes(value);
  const found = rowsOf(facet, { rowsMax: SIZES.length, chosen, all: SIZES });
  const rows = found.rows.map((row) => ({
    ...row,
    key: row.value,
    label: codes.sizes[row.value] ?? row.value,
    shown: charts.sizesShort[row.value],
    press: () => change((draft) => toggleSize(draft, row.value)),
  }));
  const data = { ...found, rows };
  return (
    <Frame
      area="sizes"
      title={charts.sizes}
      what={charts.size}
      data={data}
      facets={["company_size"]}
    >
      <Bars data={data} />
    </Frame>
  );
}

/** Registration statuses. */
export function Statuses({ facet, filters }: ListProps) {
  const { charts, codes } = words.value;
  const selected = filters.company.registration_status_any_of;
  const chosen = (value: string) => selected.includes(Number(value));
  const found = rowsOf(facet, { rowsMax: STATUSES.length, chosen, all: STATUSES });
  const rows = found.rows.map((row) => ({
    ...row,
    key: row.value,
    label: codes.statuses[row.value] ?? row.value,
    press: () => change((draft) => toggleStatus(draft, Number(row.value))),
  }));
  const data = { ...found, rows };
  return (
    <Frame
      area="statuses"
      title={charts.status}
      what={charts.statusOne}
      data={data}
      facets={["registration_status"]}
    >
      <Bars data={data} />
    </Frame>
  );
}

/** Municipalities by IBGE code. */
export function Municipalities({ facet, filters }: ListProps) {
  const { charts } = words.value;
  const selected = filters.geo.municipality_ibge_any_of;
  const chosen = (value: string) => selected.includes(value);
  const found = rowsOf(facet, { rowsMax: MUNICIPALITIES_MAX, chosen });
  const rows = found.rows.map((row) => ({
    ...row,
    key: row.value,
    label: row.label ?? row.value,
    press: () => change((draft) => toggleMunicipality(draft, row.value)),
  }));
  const data = { ...found, rows };
  return (
    <Frame
      area="municipalities"
      title={charts.municipalities}
      what={charts.municipality}
      data={data}
      facets={["municipality"]}
    >
      <Bars data={data} />
    </Frame>
  );
}

/** Shows Simples Nacional and MEI, which are two dimensions, in one frame. */
export function OptIns({
  facets,
  filters,
}: {
  facets: Record<string, FacetAnswer>;
  filters: Filters;
}) {
  const { charts } = words.value;
  const simples = optInData(facets.simples, filters, "simples");
  const mei = optInData(facets.mei, filters, "mei");
  const both = { ...simples, rows: [...named(simples, charts.simples), ...named(mei, charts.mei)] };
  return (
    <Frame
      area="optins"
      title={charts.optIns}
      what={charts.optIn}
      data={both}
      facets={["simples", "mei"]}
    >
      <h4>{charts.simples}</h4>
      <Bars data={simples} />
      <h4>{charts.mei}</h4>
      <Bars data={mei} />
    </Frame>
  );
}

function optInData(
  facet: FacetAnswer | undefined,
  filters: Filters,
  which: "simples" | "mei",
): ChartData {
  const { charts } = words.value;
  const selected =
    which === "simples" ? filters.company.simples_opt_in : filters.company.mei_opt_in;
  const chosen = (value: string) => selected !== null && String(selected) === value;
  const found = rowsOf(facet, { rowsMax: OPTIONS.length, chosen, all: OPTIONS });
  const rows = found.rows.map((row) => ({
    ...row,
    key: `${which} ${row.value}`,
    label: row.value === "true" ? charts.yes : charts.no,
    press: () => change((draft) => toggleOptIn(draft, which, row.value === "true")),
  }));
  return { ...found, rows };
}

/** Puts "Simples" or "MEI" before each label, because one table shows the rows of both. */
function named(data: ChartData, question: string): ChartData["rows"] {
  return data.rows.map((row) => ({ ...row, label: `${question}: ${row.label}` }));
}
