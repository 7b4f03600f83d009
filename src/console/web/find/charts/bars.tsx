/**
 * Bars of a chart. Each bar is a button with a name, a count, and a share. Below the bars are the
 * counts of values that have no bar.
 * Invariant: bars are relative to the largest count. A chosen bar has a check mark, so that color
 * is never the only cue. If the filter excludes the value of a bar, the bar shows "+" instead of a
 * count.
 */
import { number, percent } from "../../app/format.ts";
import { words } from "../../app/words.ts";
import { type ChartData, type ChartRow, CheckMark, countsWithoutRow } from "./frame.tsx";

/** The bars of a chart, or a note that there are none. */
export function Bars({ data }: { data: ChartData }) {
  const { charts } = words.value;
  if (data.rows.length === 0) return <p class="chart-empty">{charts.nothing}</p>;
  return (
    <ul class="bars">
      {data.rows.map((row) => (
        <li key={row.key} class="bar-row" data-chosen={row.chosen}>
          <Bar row={row} most={data.most} />
          {row.only !== undefined && (
            <button
              type="button"
              class="bar-only"
              aria-label={charts.onlyThis(row.label)}
              onClick={row.only}
            >
              {charts.only}
            </button>
          )}
        </li>
      ))}
      {countsWithoutRow(data).map(([name, count]) => (
        <li key={name} class="bar-rest">
          <Numbers label={name} count={count} share={count / data.total} />
        </li>
      ))}
    </ul>
  );
}

function Bar({ row, most }: { row: ChartRow; most: number }) {
  const { charts } = words.value;
  const { label, shown, full = label, code, count, share } = row;
  const inside = (
    <>
      <span
        class="bar-fill"
        style={{ width: `${most === 0 ? 0 : ((count ?? 0) / most) * 100}%` }}
      />
      <CheckMark />
      <Numbers label={label} shown={shown} count={count} share={share} />
    </>
  );
  if (row.press === undefined) return <div class="bar">{inside}</div>;
  return (
    <button
      type="button"
      class="bar"
      aria-pressed={row.chosen}
      title={count === null ? charts.notCounted : code === undefined ? label : `${code} ${full}`}
      onClick={row.press}
    >
      {inside}
    </button>
  );
}

interface NumbersProps {
  readonly label: string;
  readonly shown?: string | undefined;
  readonly count: number | null;
  readonly share: number;
}

function Numbers({ label, shown, count, share }: NumbersProps) {
  const { charts } = words.value;
  return (
    <>
      <span class="bar-label">
        {shown === undefined ? (
          label
        ) : (
          <>
            <span aria-hidden="true">{shown}</span>
            <span class="visually-hidden">{label}</span>
          </>
        )}
      </span>
      <span class="bar-count">{count === null ? "+" : number(count)}</span>
      <span class="bar-share">{count === null ? "" : percent(share)}</span>
      {count === null && <span class="visually-hidden">{charts.notCounted}</span>}
    </>
  );
}
