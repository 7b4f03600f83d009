/**
 * The map of Brazil by state: states are buttons, with a legend and the exact numbers of the
 * current state.
 * Invariant: the map is one tab stop, with arrow keys inside. A chosen state has a thick outline
 * and a check mark, so that color is never the only cue. The outlines (brazil.json) come from the
 * package @svg-maps/brazil (CC BY 4.0) with fewer points; its authors are credited. They are a
 * separate file, fetched on first use.
 */
import { signal, useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { compact, number, percent } from "../../app/format.ts";
import { words } from "../../app/words.ts";
import file from "./brazil.json";
import type { ChartData, ChartRow } from "./frame.tsx";
import { neighbour, shadeOf, shareBounds, stepOf, upperBound } from "./mapnumbers.ts";

interface Outline {
  readonly path: string;
  readonly x: number;
  readonly y: number;
  /** Distance from the label's position to the nearest border. */
  readonly room: number;
}

type Outlines = ReadonlyMap<string, Outline>;

/** Outlines by state; `failed` if the fetch failed, null before. */
export const outlines = signal<Outlines | "failed" | null>(null);

/** Fetches the outlines, once. */
export async function loadOutlines(): Promise<void> {
  if (outlines.peek() !== null && outlines.peek() !== "failed") return;
  try {
    // In the bundle, this import is the address of the file. Without bundling, it is the content.
    const answer = await fetch(new URL(file as unknown as string, import.meta.url));
    outlines.value = new Map(Object.entries((await answer.json()) as Record<string, Outline>));
  } catch {
    outlines.value = "failed";
  }
}

/** The initial tab stop. */
const FIRST = "SP";

interface MapProps {
  readonly data: ChartData;
  readonly size: "small" | "large";
}

interface OutlinedProps extends MapProps {
  readonly shapes: Outlines;
}

/** Min distance from the border that a state's label needs. */
const LETTERS_ROOM = { small: 58, large: 30 } as const;

/**
 * Label positions for states that are too small for their labels. Each label is outside its state,
 * mostly at sea, at the end of a line. That of Brasília (DF) is next to the Federal District.
 */
const AT_SEA: Readonly<Record<string, readonly [x: number, y: number]>> = {
  RN: [1300, 296],
  PB: [1300, 362],
  PE: [1300, 428],
  AL: [1300, 494],
  SE: [1300, 560],
  ES: [1160, 790],
  DF: [1160, 700],
  RJ: [1120, 900],
  SC: [880, 1060],
  RO: [250, 590],
  AC: [110, 560],
  CE: [1110, 190],
  PI: [1000, 190],
  AP: [810, 90],
  RR: [330, 40],
};

/** Distance from a line's end to the center of its label. */
const SEA_GAP = { small: 46, large: 26 } as const;

/** Scale of check marks, in map units per pixel: a check mark is 1.5 times as high as a label. */
const CHECK_SCALE = { small: 5.4, large: 2.4 } as const;

/** The map with legend and numbers. */
export function BrazilMap({ data, size, shapes }: OutlinedProps) {
  const at = useSignal<string | null>(null);
  const stop = useSignal(FIRST);
  const svg = useRef<SVGSVGElement>(null);
  const { charts } = words.value;
  const rows = new Map(data.rows.map((row) => [row.key, row]));
  const bounds = shareBounds([...shapes.keys()].map((uf) => rows.get(uf)?.count ?? 0));
  const move = (event: KeyboardEvent, uf: string) => {
    const next = neighbour(shapes, uf, event.key);
    if (next !== null) {
      event.preventDefault();
      stop.value = next;
      svg.current?.querySelector<SVGElement>(`[data-uf="${next}"]`)?.focus();
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      rows.get(uf)?.press?.();
    }
  };
  const marked = [...shapes].filter(([uf]) => rows.get(uf)?.chosen || uf === at.value);
  return (
    <div class={`map map-${size}`}>
      {/* biome-ignore lint/a11y/useSemanticElements: a picture has no fieldset */}
      <svg ref={svg} viewBox="0 0 1350 1280" role="group" aria-label={charts.mapOf}>
        {[...shapes].map(([uf, { path }]) => (
          <State
            key={uf}
            row={rows.get(uf) ?? blank(uf)}
            path={path}
            shade={shadeOf(stepOf(rows.get(uf)?.count ?? 0, bounds), bounds)}
            tabIndex={uf === stop.value ? 0 : -1}
            onKey={(event) => move(event, uf)}
            onAt={(here) => {
              if (here) at.value = uf;
              else if (at.value === uf) at.value = null;
            }}
          />
        ))}
        {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it is focusable */}
        <g class="map-over" aria-hidden="true">
          {marked.map(([uf, { path }]) => (
            <g key={uf} class={rows.get(uf)?.chosen ? "map-chosen" : "map-at"}>
              <path d={path} />
              <path d={path} />
            </g>
          ))}
          {[...shapes].map(([uf, outline]) => (
            <Letters
              key={uf}
              uf={uf}
              outline={outline}
              size={size}
              chosen={rows.get(uf)?.chosen ?? false}
              shade={shadeOf(stepOf(rows.get(uf)?.count ?? 0, bounds), bounds)}
            />
          ))}
        </g>
      </svg>
      <Legend bounds={bounds} data={data} size={size} />
      <Readout row={at.value === null ? null : (rows.get(at.value) ?? blank(at.value))} />
      <Attribution />
    </div>
  );
}

interface LettersProps {
  readonly uf: string;
  readonly outline: Outline;
  readonly size: MapProps["size"];
  readonly chosen: boolean;
  readonly shade: number;
}

/**
 * Draws a state's label, inside the state or at sea. A selected state gets a check mark instead.
 */
function Letters({ uf, outline: { x, y, room }, size, chosen, shade }: LettersProps) {
  if (chosen) {
    return (
      <g class="map-check" transform={`translate(${x} ${y}) scale(${CHECK_SCALE[size]})`}>
        <circle r="9" />
        <path d="M-4 0.5 -1 3.5 4.5 -3.5" />
      </g>
    );
  }
  const sea = room < LETTERS_ROOM[size] ? AT_SEA[uf] : undefined;
  if (sea !== undefined) {
    const [atX, atY] = sea;
    return (
      <g class="map-sea">
        <path d={`M${x} ${y}L${atX - Math.sign(atX - x) * SEA_GAP[size]} ${atY}`} />
        <text x={atX} y={atY}>
          {uf}
        </text>
      </g>
    );
  }
  return (
    <text x={x} y={y} data-shade={shade}>
      {uf}
    </text>
  );
}

interface StateProps {
  readonly row: ChartRow;
  readonly path: string;
  readonly shade: number;
  readonly tabIndex: number;
  readonly onKey: (event: KeyboardEvent) => void;
  readonly onAt: (here: boolean) => void;
}

function State({ row, path, shade, tabIndex, onKey, onAt }: StateProps) {
  const { charts } = words.value;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a picture has no button elements
    <path
      d={path}
      class="map-state"
      role="button"
      data-uf={row.key}
      data-shade={shade}
      tabIndex={tabIndex}
      aria-pressed={row.chosen}
      aria-label={charts.named(row.label, number(row.count ?? 0), percent(row.share))}
      onClick={row.press}
      onKeyDown={onKey}
      onPointerEnter={() => onAt(true)}
      onPointerLeave={() => onAt(false)}
      onFocus={() => onAt(true)}
      onBlur={() => onAt(false)}
    />
  );
}

/** Returns the row of a state without matches, which the answer omits. */
function blank(uf: string): ChartRow {
  return { key: uf, label: uf, count: 0, share: 0, chosen: false };
}

function Readout({ row }: { row: ChartRow | null }) {
  const { charts } = words.value;
  return (
    <p class="map-readout" aria-hidden="true">
      {row === null ? (
        <span class="map-hint">{charts.mapShort}</span>
      ) : (
        <>
          <strong>{row.label}</strong> {charts.of(number(row.count ?? 0), percent(row.share))}
        </>
      )}
    </p>
  );
}

/** Shows the smallest count of each shade; if space allows, also the largest. */
function Legend({ bounds, data, size }: { bounds: readonly number[] } & MapProps) {
  const { charts } = words.value;
  const inland = data.rows.filter(({ key }) => key !== "EX");
  const most = Math.max(0, ...inland.map(({ count }) => count ?? 0));
  const text = (bound: number, at: number) => {
    if (size === "small") return charts.atLeast(compact(bound));
    const upper = upperBound(at + 1, bounds, most);
    return bound === upper ? compact(bound) : charts.from(compact(bound), compact(upper));
  };
  return (
    <ul class="map-legend" aria-label={charts.legend}>
      {bounds.map((bound, at) => (
        <li key={bound}>
          <span class="map-swatch" data-shade={shadeOf(at + 1, bounds)} />
          {text(bound, at)}
        </li>
      ))}
    </ul>
  );
}

function Attribution() {
  const { charts } = words.value;
  return (
    <p class="map-by">
      {charts.outlines}
      <a href="https://mapsvg.com/maps/brazil" rel="noreferrer" target="_blank">
        {charts.outlinesBy}
      </a>
      {charts.outlinesChanged}
      <a href="https://creativecommons.org/licenses/by/4.0/" rel="noreferrer" target="_blank">
        CC BY 4.0
      </a>
    </p>
  );
}
