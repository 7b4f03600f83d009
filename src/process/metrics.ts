/**
 * Metrics for Prometheus. Input: events with label values. Output: one text with every series, in
 * the text exposition format 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/).
 * Invariant: label values come from closed sets (routes, states, plans), so the number of series is
 * bounded; metric names are unique; reading the text has no side effects.
 */
import { strict as assert } from "node:assert";

/** Media type of the text. */
export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/**
 * Max series per metric. More would mean that a label has an open set of values, which is a bug.
 */
const SERIES_MAX = 10_000;

const METRIC_NAME = /^[a-z][a-z0-9_]*$/;

/** Values of a metric's labels, in the order of its names. */
type LabelValues = readonly string[];

interface MetricInfo {
  readonly name: string;
  /** A sentence for people. */
  readonly help: string;
  readonly labels?: readonly string[];
  /** How the values of several threads are merged. `own`: only the reporting thread's values. */
  readonly across?: "sum" | "max" | "own";
}

type Sample = readonly [series: string, value: number];

/** The series of each metric, by metric name, in the form in which threads send them. */
export type MetricSamples = Readonly<Record<string, readonly Sample[]>>;

interface Metric {
  readonly info: MetricInfo;
  readonly type: "counter" | "gauge" | "histogram";
  /** How values are merged if `info.across` is not set. */
  readonly across: "sum" | "own";
  samples(): Sample[];
}

/** A counter. */
export class Counter implements Metric {
  readonly type = "counter";
  readonly across = "sum";
  readonly info: MetricInfo;
  readonly #series = new Map<string, number>();
  readonly #texts: LabelTexts;

  constructor(info: MetricInfo) {
    this.info = info;
    this.#texts = new LabelTexts(info);
    // A metric without labels has one series, which starts at 0 so that its rate is defined.
    if (labelNames(info).length === 0) this.#series.set("", 0);
  }

  /** Adds to the series of these label values. */
  add(values: LabelValues = [], by = 1): void {
    assert(by >= 0, "a counter never falls");
    const key = this.#texts.of(values);
    const before = this.#series.get(key);
    if (before === undefined) refuseMany(this.info, this.#series);
    this.#series.set(key, (before ?? 0) + by);
  }

  samples(): Sample[] {
    return [...this.#series].map(([key, value]) => [seriesNamed(this.info.name, key), value]);
  }
}

/** Numbers read when the text is built. */
export class Gauge implements Metric {
  readonly across = "own";
  readonly type: "gauge" | "counter";
  readonly info: MetricInfo;
  readonly #read: () => Iterable<readonly [LabelValues, number]>;

  /** `read` returns a value for each series. `type` is "counter" if the values never decrease. */
  constructor(
    info: MetricInfo,
    read: () => Iterable<readonly [LabelValues, number]>,
    type: "gauge" | "counter" = "gauge",
  ) {
    this.info = info;
    this.type = type;
    this.#read = read;
  }

  samples(): Sample[] {
    return [...this.#read()].map(([values, value]) => [
      seriesNamed(this.info.name, seriesOf(this.info, values)),
      value,
    ]);
  }
}

/** A histogram with fixed bounds. */
export class Histogram implements Metric {
  readonly type = "histogram";
  readonly across = "sum";
  readonly info: MetricInfo;
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, { readonly counts: Float64Array; sum: number }>();
  readonly #texts: LabelTexts;

  /** `bounds`: ascending; a last bucket without a bound is added. */
  constructor(info: MetricInfo, bounds: readonly number[]) {
    assert(
      bounds.every((bound, i) => i === 0 || bound > (bounds[i - 1] as number)),
      "bounds ascend",
    );
    this.info = info;
    this.#bounds = bounds;
    this.#texts = new LabelTexts(info);
  }

  /** Counts one value. */
  observe(values: LabelValues, value: number): void {
    const key = this.#texts.of(values);
    let series = this.#series.get(key);
    if (series === undefined) {
      refuseMany(this.info, this.#series);
      series = { counts: new Float64Array(this.#bounds.length + 1), sum: 0 };
      this.#series.set(key, series);
    }
    let bucket = 0;
    // NaN falls into the last bucket, which has no bound.
    while (bucket < this.#bounds.length && !(value <= (this.#bounds[bucket] as number))) bucket++;
    series.counts[bucket] = (series.counts[bucket] as number) + 1;
    series.sum += value;
  }

  samples(): Sample[] {
    return [...this.#series].flatMap(([key, { counts, sum }]): Sample[] => {
      const { name } = this.info;
      let below = 0;
      const buckets = [...counts].map((count, i): Sample => {
        below += count;
        const bound = this.#bounds[i];
        const le = `le="${bound === undefined ? "+Inf" : bound}"`;
        return [seriesNamed(`${name}_bucket`, key === "" ? le : `${key},${le}`), below];
      });
      const ends: Sample[] = [
        [seriesNamed(`${name}_sum`, key), sum],
        [seriesNamed(`${name}_count`, key), below],
      ];
      return [...buckets, ...ends];
    });
  }
}

/** The metrics of a process. */
export class Metrics {
  readonly #metrics: Metric[] = [];

  /** Adds a metric and returns it. */
  add<Kind extends Counter | Gauge | Histogram>(metric: Kind): Kind {
    const { name } = metric.info;
    assert(METRIC_NAME.test(name), `${name} is no name of a metric`);
    assert(
      this.#metrics.every(({ info }) => info.name !== name),
      `${name} is named once`,
    );
    this.#metrics.push(metric);
    return metric;
  }

  /** Returns every series, for the thread that builds the text. */
  samples(): MetricSamples {
    return Object.fromEntries(this.#metrics.map((metric) => [metric.info.name, metric.samples()]));
  }

  /**
   * Returns the series whose values remain valid after their thread has ended. These are all series
   * except gauges.
   */
  lasting(samples: MetricSamples): MetricSamples {
    const names = this.#metrics.filter(({ type }) => type !== "gauge").map(({ info }) => info.name);
    return Object.fromEntries(names.map((name) => [name, samples[name] ?? []]));
  }

  /** Returns the text of all series, merged with other threads'; ends with a line feed. */
  text(others: readonly MetricSamples[] = []): string {
    const lines = this.#metrics.flatMap((metric) => [
      `# HELP ${metric.info.name} ${metric.info.help.replace(/\\/g, "\\\\").replace(/\n/g, "\\n")}`,
      `# TYPE ${metric.info.name} ${metric.type}`,
      ...merged(metric, others).map(([series, value]) => `${series} ${numberText(value)}`),
    ]);
    return `${lines.join("\n")}\n`;
  }
}

/** Returns the sums of two threads' series. */
export function addSamples(one: MetricSamples, other: MetricSamples): MetricSamples {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries(
    [...names].map((name) => {
      const values = new Map(one[name] ?? []);
      for (const [series, value] of other[name] ?? [])
        values.set(series, (values.get(series) ?? 0) + value);
      return [name, [...values]];
    }),
  );
}

/** Returns a metric's series merged over all threads. */
function merged(metric: Metric, others: readonly MetricSamples[]): Sample[] {
  const { name, across = metric.across } = metric.info;
  const own = metric.samples();
  if (across === "own" || others.length === 0) return own;
  const values = new Map(own);
  for (const [series, value] of others.flatMap((samples) => samples[name] ?? [])) {
    const before = values.get(series);
    if (before === undefined) values.set(series, value);
    else values.set(series, across === "sum" ? before + value : Math.max(before, value));
  }
  return [...values];
}

/** A tree of label texts: the first label value leads to a subtree for the second, and so on. */
type TextTree = Map<string, TextTree | string>;

/** Caches the label text of each series: building it costs more than the counting. */
class LabelTexts {
  readonly #info: MetricInfo;
  readonly #texts: TextTree = new Map();
  #size = 0;

  constructor(info: MetricInfo) {
    this.#info = info;
  }

  of(values: LabelValues): string {
    let found: TextTree | string | undefined = this.#texts;
    for (let i = 0; i < values.length && typeof found === "object"; i++) {
      found = found.get(values[i] as string);
    }
    return typeof found === "string" ? found : this.#remember(values);
  }

  #remember(values: LabelValues): string {
    assert(this.#size < SERIES_MAX, tooMany(this.#info));
    const text = seriesOf(this.#info, values);
    const last = values.at(-1);
    if (last === undefined) return text;
    let tree = this.#texts;
    for (const value of values.slice(0, -1)) {
      const next = tree.get(value) ?? new Map();
      tree.set(value, next);
      tree = next as TextTree;
    }
    tree.set(last, text);
    this.#size++;
    return text;
  }
}

function labelNames({ labels = [] }: MetricInfo): readonly string[] {
  return labels;
}

/**
 * Returns the labels of a series as they stand in the text between braces. This text also serves as
 * the key of the series.
 */
function seriesOf(info: MetricInfo, values: LabelValues): string {
  const names = labelNames(info);
  assert(names.length === values.length, `${info.name} has ${names.length} labels`);
  return names.map((name, i) => `${name}="${escapeLabel(values[i] as string)}"`).join(",");
}

function escapeLabel(value: string): string {
  return value.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n");
}

function seriesNamed(name: string, labels: string): string {
  return labels === "" ? name : `${name}{${labels}}`;
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return "NaN";
  return value > 0 ? "+Inf" : "-Inf";
}

function refuseMany(info: MetricInfo, series: ReadonlyMap<string, unknown>): void {
  assert(series.size < SERIES_MAX, tooMany(info));
}

function tooMany({ name }: MetricInfo): string {
  return `${name} has too many series: its labels are not closed`;
}
