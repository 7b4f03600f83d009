/**
 * The dialog with a map of a state's municipalities. Shades show either accounts or accounts per
 * 10,000 inhabitants, and a table next to the map has the same numbers.
 * Invariant: each shade covers equally many municipalities, because counts are skewed. The legend
 * states the range of each shade in words. The map is one tab stop, and the arrow keys move inside
 * it. Text below the map names the municipality in focus or under the pointer. A municipality
 * without a known population has no rate and no shade. The areas are approximations drawn around
 * the municipal seats, as the dialog says.
 */
import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { UFS } from "../../../../spec/fields.ts";
import { STATE_NAMES } from "../../../../spec/states.ts";
import type { PlacesAnswer } from "../../app/answers.ts";
import { number } from "../../app/format.ts";
import { lazyWords } from "../../app/lazywords.ts";
import { Busy } from "../../parts/busy.tsx";
import { Button, copyText } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Segmented, Select } from "../../parts/field.tsx";
import { useAnswer } from "../../parts/load.ts";
import { ErrorNotice } from "../../parts/notice.tsx";
import type { SentSpec } from "../question.ts";
import { cellMap, type MapCell } from "./cells.ts";
import { csvOf, type Lines, type NumbersQuestion, tabbed } from "./lines.ts";
import { neighbour, quantileBounds, shadeOf, stepOf } from "./mapnumbers.ts";
import { factsOf, fetchLines, fileName, saveFile, saveWorkbook } from "./numbers.ts";

/** Number that the shades show. */
type Measure = "count" | "rate";

interface Place {
  readonly id: string;
  readonly name: string;
  readonly count: number;
  readonly rate: number | null;
}

interface StateMapProps {
  readonly numbers: NumbersQuestion;
  readonly onClose: () => void;
}

/** The dialog. */
export function StateMapDialog({ numbers, onClose }: StateMapProps): VNode {
  const { stateMap } = lazyWords.value;
  const [uf, setUf] = useState(numbers.spec.filters.geo.uf_any_of[0] ?? "SP");
  const [measure, setMeasure] = useState<Measure>("count");
  const { answer, error, reload } = useAnswer<PlacesAnswer>(`/places?uf=${uf}`);
  const counts = useCounts(numbers, uf);
  const places = answer && counts.value && placesOf(answer, counts.value);
  const hasRates = places?.some(({ rate }) => rate !== null) ?? false;
  const shown = hasRates ? measure : "count";
  const title = stateMap.title(STATE_NAMES[uf] ?? uf);
  const lines = places ? linesOf(places, shown) : null;
  const failure = error ?? counts.error;
  const save = (format: "csv" | "xlsx") => () => {
    if (places === null) return;
    const facts = factsOf(title, inState(numbers.spec, uf));
    const coded = codedLines(places, shown, uf);
    if (format === "csv") return saveFile(csvOf(coded, facts), fileName(title, "csv"));
    void saveWorkbook(title, { head: coded.head, lines: cellsOf(places, shown, uf), facts });
  };
  const footer = lines !== null && (
    <>
      <Button icon="copy" onClick={() => void copyText(tabbed(lines))}>
        {lazyWords.value.numbers.copy}
      </Button>
      <Button icon="file" onClick={save("csv")}>
        CSV
      </Button>
      <Button icon="table" onClick={save("xlsx")}>
        XLSX
      </Button>
    </>
  );
  return (
    <Dialog open size="large" title={title} onClose={onClose} footer={footer}>
      <div class="numbers-choices">
        <Select
          label={stateMap.state}
          value={uf}
          onValue={setUf}
          options={UFS.filter((one) => one !== "EX").map((value) => {
            return { value, label: STATE_NAMES[value] ?? value };
          })}
        />
        {hasRates && (
          <Segmented
            legend={stateMap.measure}
            value={measure}
            onValue={setMeasure}
            options={[
              { value: "count", label: stateMap.count },
              { value: "rate", label: stateMap.rate },
            ]}
          />
        )}
      </div>
      {failure !== null && <ErrorNotice error={failure} onRetry={reload} />}
      {(places === null || lines === null) && failure === null && <Busy />}
      {places !== null && lines !== null && answer !== null && (
        <div class="statemap">
          <CellsMap answer={answer} places={places} measure={shown} label={title} />
          <PlacesTable lines={lines} label={title} />
        </div>
      )}
      <p class="field-hint">
        {stateMap.areas}{" "}
        {hasRates ? stateMap.population(answer?.year ?? "") : stateMap.noPopulation}
      </p>
    </Dialog>
  );
}

/** Moves a spec to a whole state. */
function inState(spec: SentSpec, uf: string): SentSpec {
  const geo = { ...spec.filters.geo, uf_any_of: [uf], municipality_ibge_any_of: [] };
  return { ...spec, filters: { ...spec.filters, geo } };
}

/** Loads counts by IBGE code in a state, with the query's other filters. */
function useCounts({ title, spec }: NumbersQuestion, uf: string) {
  const [state, setState] = useState<{
    uf: string;
    value: ReadonlyMap<string, number> | null;
    error: unknown;
  }>();
  useEffect(() => {
    const abort = new AbortController();
    const question = { title, facets: ["municipality"], spec: inState(spec, uf) };
    fetchLines(question, abort.signal).then(
      ({ body }) => {
        const value = new Map(body.map((line) => [line[1] ?? "", Number(line.at(-2))]));
        setState({ uf, value, error: null });
      },
      (error: unknown) => !abort.signal.aborted && setState({ uf, value: null, error }),
    );
    return () => abort.abort();
  }, [uf]);
  const own = state?.uf === uf ? state : undefined;
  return { value: own?.value ?? null, error: own?.error ?? null };
}

function placesOf({ places }: PlacesAnswer, counts: ReadonlyMap<string, number>): Place[] {
  return places.map(({ ibge, name, population }) => {
    const count = counts.get(ibge) ?? 0;
    return { id: ibge, name, count, rate: population === null ? null : (count * 1e4) / population };
  });
}

const shadedNumber = ({ count, rate }: Place, measure: Measure) =>
  measure === "count" ? count : rate;

function sorted(places: readonly Place[], measure: Measure): Place[] {
  return places.toSorted(
    (a, b) => (shadedNumber(b, measure) ?? -1) - (shadedNumber(a, measure) ?? -1),
  );
}

/** Returns the lines of the CSV file, with IBGE codes by which users can join other tables. */
function codedLines(places: readonly Place[], measure: Measure, uf: string): Lines {
  const { head, body } = linesOf(places, measure);
  const codes = sorted(places, measure).map(({ id }) => id);
  return {
    head: ["IBGE", lazyWords.peek().stateMap.state, ...head],
    body: body.map((line, at) => [codes[at] ?? "", uf, ...line]),
  };
}

/** Returns the lines of the workbook, with numbers instead of formatted text. */
function cellsOf(places: readonly Place[], measure: Measure, uf: string) {
  return sorted(places, measure).map(({ id, name, count, rate }) => {
    return [id, uf, name, count, rate ?? ""];
  });
}

function linesOf(places: readonly Place[], measure: Measure): Lines {
  const { stateMap } = lazyWords.peek();
  return {
    head: [stateMap.municipality, stateMap.count, stateMap.rate],
    body: sorted(places, measure).map(({ name, count, rate }) => [
      name,
      String(count),
      rate === null ? "" : number(rate, 1),
    ]),
  };
}

interface MapProps {
  readonly answer: PlacesAnswer;
  readonly places: readonly Place[];
  readonly measure: Measure;
  readonly label: string;
}

function CellsMap({ answer, places, measure, label }: MapProps): VNode {
  const { stateMap } = lazyWords.value;
  const [at, setAt] = useState<string | null>(null);
  const svg = useRef<SVGSVGElement>(null);
  const map = useMemo(
    () =>
      cellMap(
        answer.places.flatMap(({ ibge, at: seat }) => (seat ? [[ibge, ...seat] as const] : [])),
      ),
    [answer],
  );
  const byId = useMemo(() => new Map(map.cells.map((cell) => [cell.id, cell])), [map]);
  const known = new Map(places.map((place) => [place.id, place]));
  const scaled = (place: Place | undefined) => (place && shadedNumber(place, measure)) || 0;
  const numbers = places.map(scaled);
  const bounds = quantileBounds(numbers);
  const first = places.reduce(
    (most, one) => (scaled(one) > scaled(most) ? one : most),
    places[0] as Place,
  );
  const stop = at ?? first.id;
  const text = (place: Place | undefined) =>
    place === undefined
      ? ""
      : stateMap.named(place.name, number(place.count), rateText(place.rate));
  const move = (event: KeyboardEvent, id: string) => {
    const next = neighbour(byId, id, event.key);
    if (next === null) return;
    event.preventDefault();
    setAt(next);
    svg.current?.querySelector<SVGElement>(`[data-id="${next}"]`)?.focus();
  };
  return (
    <figure class="statemap-map">
      {/* biome-ignore lint/a11y/useSemanticElements: a picture has no fieldset */}
      <svg
        ref={svg}
        viewBox={`-4 -4 ${map.width + 8} ${map.height + 8}`}
        role="group"
        aria-label={label}
      >
        {map.cells.map((cell) => (
          // biome-ignore lint/a11y/useSemanticElements: a picture has no button elements
          <path
            key={cell.id}
            d={pathOf(cell)}
            class="map-state"
            role="button"
            data-id={cell.id}
            data-shade={shadeOf(stepOf(scaled(known.get(cell.id)), bounds), bounds)}
            tabIndex={cell.id === stop ? 0 : -1}
            aria-label={text(known.get(cell.id))}
            onKeyDown={(event) => move(event, cell.id)}
            onClick={() => setAt(cell.id)}
            onFocus={() => setAt(cell.id)}
            onPointerEnter={() => setAt(cell.id)}
          />
        ))}
      </svg>
      <Legend numbers={numbers} bounds={bounds} digits={measure === "rate" ? 1 : 0} />
      <figcaption aria-hidden="true">{text(known.get(stop))}</figcaption>
    </figure>
  );
}

interface LegendProps {
  /** Numbers of all municipalities. */
  readonly numbers: readonly number[];
  readonly bounds: readonly number[];
  readonly digits: number;
}

/** Shows the range of numbers and the count of municipalities of each shade. */
function Legend({ numbers, bounds, digits }: LegendProps): VNode {
  const { stateMap } = lazyWords.value;
  const shades = [0, ...bounds].map((_, step) => {
    return numbers.filter((one) => stepOf(one, bounds) === step);
  });
  return (
    <>
      <p class="field-hint" aria-hidden="true">
        {stateMap.legend}
      </p>
      <ul class="map-legend statemap-legend" aria-label={stateMap.legend}>
        {shades.map(
          (own, step) =>
            own.length > 0 && (
              <li key={own[0]}>
                <span class="map-swatch" data-shade={shadeOf(step, bounds)} />
                {stateMap.shade(
                  number(Math.min(...own), digits),
                  number(Math.max(...own), digits),
                  own.length,
                )}
              </li>
            ),
        )}
      </ul>
    </>
  );
}

function rateText(rate: number | null): string {
  return rate === null ? "–" : number(rate, 1);
}

function pathOf({ polygon }: MapCell): string {
  return `M${polygon.map(({ x, y }) => `${x} ${y}`).join("L")}z`;
}

function PlacesTable({ lines, label }: { lines: Lines; label: string }): VNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <section class="numbers-scroll" aria-label={lazyWords.value.stateMap.table(label)} tabIndex={0}>
      <table class="data-table numbers-table">
        <thead>
          <tr>
            {lines.head.map((name, at) => (
              <th key={name} scope="col" data-number={at > 0}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.body.map(([name = "", count = "", rate = ""]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td data-number="true">{number(Number(count))}</td>
              <td data-number="true">{rate === "" ? "–" : rate}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
