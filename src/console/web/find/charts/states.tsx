/**
 * The chart of matches by state: a map, and counts of matches abroad or without a state. The facet
 * `uf` counts them without the query's filter on states.
 * Invariant: the map's space is reserved while the outlines of the states load. If loading fails, a
 * table replaces the map. The table has a row for every state and for EX (abroad), even without
 * matches.
 */
import { useEffect } from "preact/hooks";
import { UFS } from "../../../../spec/fields.ts";
import { STATE_NAMES } from "../../../../spec/states.ts";
import { number } from "../../app/format.ts";
import { words } from "../../app/words.ts";
import { change } from "../query.ts";
import { toggleState } from "./choice.ts";
import { type ChartData, CheckMark, DataTable, Frame } from "./frame.tsx";
import type { ListProps } from "./lists.tsx";
import { BrazilMap, loadOutlines, outlines } from "./map.tsx";
import { rowsOf } from "./rows.ts";

/** Shows the chart of states. */
export function States({ facet, filters, size }: ListProps & { size: "small" | "large" }) {
  const { charts } = words.value;
  useEffect(() => void loadOutlines(), []);
  const shapes = outlines.value;
  const data = stateData(facet, filters.geo.uf_any_of);
  return (
    <Frame
      area={`states chart-states-${size}`}
      title={charts.states}
      what={charts.state}
      data={data}
      facets={["uf"]}
    >
      {shapes === "failed" ? (
        <DataTable title={charts.states} what={charts.state} data={data} />
      ) : (
        <>
          <div class={`map-room map-room-${size}`}>
            {shapes !== null && <BrazilMap data={data} size={size} shapes={shapes} />}
          </div>
          <NotOnMap data={data} />
        </>
      )}
    </Frame>
  );
}

/** Shows the counts of matches abroad and without a state, which the map lacks. */
function NotOnMap({ data }: { data: ChartData }) {
  const { charts } = words.value;
  const abroad = data.rows.find(({ key }) => key === "EX");
  return (
    <div class="map-others">
      {abroad !== undefined && (
        <button
          type="button"
          class="chart-name"
          aria-pressed={abroad.chosen}
          onClick={abroad.press}
        >
          <CheckMark />
          <span>{abroad.label}</span>
          <span class="bar-count">{number(abroad.count ?? 0)}</span>
        </button>
      )}
      {data.missing > 0 && (
        <span>
          <span>{charts.missing}</span>
          <span class="bar-count">{number(data.missing)}</span>
        </span>
      )}
    </div>
  );
}

function stateData(facet: ListProps["facet"], selected: readonly string[]): ChartData {
  const { charts } = words.value;
  const chosen = (uf: string) => selected.includes(uf);
  const found = rowsOf(facet, { rowsMax: UFS.length, chosen, all: UFS });
  const rows = found.rows
    .map((row) => ({
      ...row,
      key: row.value,
      code: row.value,
      label: STATE_NAMES[row.value] ?? charts.abroad,
      count: row.count ?? 0,
      press: () => change((draft) => toggleState(draft, row.value)),
    }))
    .sort((a, b) => b.count - a.count);
  return { ...found, rows };
}
