/**
 * Draws a chart of stacked columns, one for each day. The chart fills the available width and
 * reports the day under the pointer.
 * Invariant: layers are stacked in order, and the axis begins at zero. Every number is also shown
 * elsewhere.
 */
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { compact } from "../app/format.ts";
import { labelledDays, stacked } from "./layers.ts";

/** The props. */
interface PlotProps {
  /** Labels of the days, oldest first. */
  readonly days: readonly string[];
  /** Layers of the chart, lowest first. `colour` counts from 1. */
  readonly layers: readonly { readonly colour: number; readonly values: readonly number[] }[];
  /** Describes the chart to screen readers. */
  readonly label: string;
  readonly onDay: (day: number | null) => void;
}

const HEIGHT = 168;
/** Pixels for the axes (left and bottom), and margins above and to the right of the columns. */
const EDGE = { left: 56, bottom: 28, top: 12, right: 20 } as const;
/** Width of a label such as "12 de nov." with its margins. */
const LABEL_ROOM = 64;
const COLUMN = { share: 0.72, max: 40 } as const;

/** Draws a chart of the usage view. */
export function Plot({ days, layers, label, onDay }: PlotProps): VNode {
  const room = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [at, setAt] = useState<number | null>(null);
  useEffect(() => {
    const { current } = room;
    if (current === null) return;
    const observer = new ResizeObserver(() => setWidth(current.clientWidth));
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  const point = (day: number | null) => {
    setAt(day);
    onDay(day);
  };
  const step = Math.max(0, width - EDGE.left - EDGE.right) / Math.max(1, days.length);
  const dayAt = ({ clientX }: PointerEvent) => {
    const from = (room.current?.getBoundingClientRect().left ?? 0) + EDGE.left;
    const day = Math.floor((clientX - from) / Math.max(step, 1));
    return day >= 0 && day < days.length ? day : null;
  };
  return (
    <div ref={room} class="plot">
      {width > 0 && (
        <svg
          width={width}
          height={HEIGHT}
          viewBox={`0 0 ${width} ${HEIGHT}`}
          role="img"
          aria-label={label}
          onPointerMove={(event) => point(dayAt(event))}
          onPointerLeave={() => point(null)}
        >
          <Columns
            edges={stacked(layers.map(({ values }) => values))}
            {...{ layers, step, width }}
          />
          {at !== null && (
            <path class="plot-at" d={`M${middle(at, step)} ${EDGE.top}V${HEIGHT - EDGE.bottom}`} />
          )}
          {labelledDays(days.length, step * days.length, LABEL_ROOM).map((day) => (
            <text key={day} class="plot-day" x={middle(day, step)} y={HEIGHT - 10}>
              {days[day]}
            </text>
          ))}
        </svg>
      )}
    </div>
  );
}

/** Returns the horizontal position of the middle of a day's column. */
function middle(day: number, step: number): number {
  return EDGE.left + (day + 0.5) * step;
}

interface ColumnsProps extends Pick<PlotProps, "layers"> {
  readonly edges: readonly (readonly number[])[];
  readonly step: number;
  readonly width: number;
}

function Columns({ layers, edges, step, width }: ColumnsProps): VNode {
  const most = Math.max(1, ...(edges.at(-1) ?? []));
  const foot = HEIGHT - EDGE.bottom;
  const y = (value: number) => foot - (value / most) * (foot - EDGE.top);
  const column = Math.min(step * COLUMN.share, COLUMN.max);
  return (
    <>
      {wholeSteps(most).map((value) => (
        <g key={value}>
          <path class="plot-line" d={`M${EDGE.left} ${y(value)}H${width - EDGE.right}`} />
          <text class="plot-value" x={EDGE.left - 8} y={y(value)}>
            {compact(value)}
          </text>
        </g>
      ))}
      {layers.map(({ colour, values }, layer) => (
        <g key={colour} class="plot-layer" data-layer={colour}>
          {values.map((value, day) =>
            value === 0 ? null : (
              <rect
                key={day}
                x={middle(day, step) - column / 2}
                y={y(edges[layer]?.[day] ?? 0)}
                width={column}
                height={y(0) - y(value)}
              />
            ),
          )}
        </g>
      ))}
    </>
  );
}

/** Returns round whole numbers from 0 for the axis, three to five of them. */
function wholeSteps(most: number): number[] {
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
  const round = power < 10 ? [1, 2, 5, 10] : [1, 2, 2.5, 5, 10];
  const step = round.map((times) => times * power).find((one) => one >= rough) ?? power;
  const steps: number[] = [];
  for (let value = 0; value <= most; value += step) steps.push(value);
  return steps;
}
