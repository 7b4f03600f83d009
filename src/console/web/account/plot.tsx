/**
 * Stacked columns per day, drawn by uPlot. What comes in: days, layers with their numbers, colours
 * as names of custom properties. What goes out: a canvas with axes that follows the width of its
 * room, and the day under the pointer.
 * Invariant: the only importer of uPlot, loaded on its own; drawn anew when numbers, language or
 * colours change, so that it never shows an old theme. No number is shown here alone.
 */
import "../app/kit.ts";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { compact } from "../app/format.ts";
import { labelledDays, stacked } from "./layers.ts";

/** What is drawn. */
export interface PlotProps {
  /** Labels of the days, oldest first. */
  readonly days: readonly string[];
  /** The lowest layer first; `colour` is a number from 1 on. */
  readonly layers: readonly { readonly colour: number; readonly values: readonly number[] }[];
  /** Says what is drawn, for readers of the picture. */
  readonly label: string;
  /** Changes with whatever changes the colours or the language. */
  readonly look: string;
  readonly onDay: (day: number | null) => void;
}

const HEIGHT = 168;
/** A label such as "12 de nov." with air around it. */
const LABEL_ROOM = 64;
const COLUMN_MAX = 40;

/** One chart of the usage view. */
export function Plot({ days, layers, label, look, onDay }: PlotProps) {
  const room = useRef<HTMLDivElement>(null);
  const day = useRef(onDay);
  day.current = onDay;
  const values = JSON.stringify(layers);
  // `values` and `look` stand for everything that is drawn.
  useEffect(() => {
    const element = room.current;
    if (element === null) return;
    const chart = draw(element, { days, layers }, (at) => day.current(at));
    const observer = new ResizeObserver(() => {
      const width = element.clientWidth;
      if (width > 0 && width !== chart.width) chart.setSize({ width, height: HEIGHT });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [values, look, days.join()]);
  return <div ref={room} class="plot" role="img" aria-label={label} />;
}

function draw(
  element: HTMLElement,
  { days, layers }: Pick<PlotProps, "days" | "layers">,
  onDay: (day: number | null) => void,
): uPlot {
  const style = getComputedStyle(element);
  const colour = resolver(element);
  const edges = stacked(layers.map((layer) => layer.values));
  // The top edge is drawn first, so that every lower layer covers its part of it.
  const order = layers.map((_, at) => layers.length - 1 - at);
  const fills = order.map((at) => colour(`--layer-${layers[at]?.colour ?? 1}`));
  const most = Math.max(1, ...(edges.at(-1) ?? []));
  const options: uPlot.Options = {
    width: Math.max(element.clientWidth, 1),
    height: HEIGHT,
    padding: [12, 20, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: {
      x: { time: false, range: [-0.5, days.length - 0.5] },
      y: { range: [0, most * 1.04] },
    },
    axes: axesOf(days, { ink: colour("--plot-ink"), grid: colour("--plot-grid"), font: style }),
    series: [{}, ...fills.map(seriesOf)],
    hooks: { setCursor: [(chart) => onDay(chart.cursor.idx ?? null)] },
  };
  const at = days.map((_, index) => index);
  return new uPlot(options, [at, ...order.map((layer) => edges[layer] as number[])], element);
}

/** A canvas knows no custom properties nor light-dark(); the browser resolves them for it. */
function resolver(element: HTMLElement): (property: string) => string {
  return (property) => {
    const probe = document.createElement("span");
    probe.style.color = `var(${property})`;
    element.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
}

function seriesOf(fill: string): uPlot.Series {
  const paths = uPlot.paths.bars?.({ size: [0.72, COLUMN_MAX], radius: 0 });
  return { fill, width: 0, points: { show: false }, ...(paths === undefined ? {} : { paths }) };
}

interface AxisLook {
  readonly ink: string;
  readonly grid: string;
  readonly font: CSSStyleDeclaration;
}

function axesOf(days: readonly string[], { ink, grid, font }: AxisLook): uPlot.Axis[] {
  const common = { stroke: ink, font: `12px ${font.fontFamily}`, ticks: { show: false } };
  return [
    {
      ...common,
      size: 28,
      grid: { show: false },
      splits: (chart) => labelledDays(days.length, chart.bbox.width / devicePixelRatio, LABEL_ROOM),
      values: (_, splits) => splits.map((day) => days[day] ?? ""),
    },
    {
      ...common,
      size: 56,
      grid: { stroke: grid, width: 1 },
      space: 36,
      // Halves of a request mean nothing.
      splits: (_chart, _axis, _min, most) => wholeSteps(most),
      values: (_, splits) => splits.map((value) => compact(value)),
    },
  ];
}

/** Three to five round numbers from 0 on. */
function wholeSteps(most: number): number[] {
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
  const round = power < 10 ? [1, 2, 5, 10] : [1, 2, 2.5, 5, 10];
  const step = round.map((times) => times * power).find((one) => one >= rough) ?? power;
  const steps: number[] = [];
  for (let value = 0; value <= most; value += step) steps.push(value);
  return steps;
}
