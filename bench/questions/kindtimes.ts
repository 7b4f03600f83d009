/**
 * Times the simulated traffic (traffic.ts) separately for each kind of query. Input: a snapshot, a
 * seed. Output: a table with the slowest median first, then the slowest kinds and the slowest
 * query.
 * Invariant: the engine runs in this process, and expensive pages run off the main thread as in a
 * server. Each query occurs once. Before the clock starts, other queries touch the whole snapshot,
 * because the first read of a block verifies its checksum. Then some untimed queries of the same
 * kind run.
 */
import { ENGINE } from "../../src/search/finding.ts";
import type { Segment } from "../../src/search/segment.ts";
import { DEFAULT_FIELDS } from "../../src/spec/fields.ts";
import type { AccountQuerySpec } from "../../src/spec/schema.ts";
import { formatUs } from "../measure.ts";
import { specOfBody } from "./accounts.ts";
import { TRAFFIC_KINDS, trafficOf } from "./traffic.ts";

/** Number of untimed queries that read the snapshot's blocks before the clock starts. */
const TOUCHING = 20_000;
/** Numbers of untimed and of timed queries of each kind. */
const [WARM, TIMED] = [100, 1_000];
/** Number of pages to time after the first page. */
const PAGES = 9;

const NAME = Math.max(...TRAFFIC_KINDS.map(({ name }) => name.length));

/** Times of a kind, in microseconds. */
interface KindTimes {
  readonly name: string;
  readonly median: number;
  readonly p99: number;
  readonly worst: number;
  readonly worstBody: string;
  /** Fraction of the queries that have results. */
  readonly found: number;
}

/** Returns the lines of the table. */
export async function kindLines(segment: Segment, seed: number): Promise<string[]> {
  await timesOf(segment, "", trafficOf(segment, seed, TOUCHING));
  const all: KindTimes[] = [await laterPages(segment, seed + TRAFFIC_KINDS.length + 1)];
  for (const [at, kind] of TRAFFIC_KINDS.entries()) {
    // Each kind has its own seed, so that the addon has cached few of the counts before.
    const bodies = trafficOf(segment, seed + 1 + at, WARM + TIMED, kind);
    all.push(await timesOf(segment, kind.name, bodies));
  }
  all.sort((a, b) => b.median - a.median);
  const heads = ["median", "p99", "worst"].map((name) => name.padStart(11));
  const head = `${"kind, in the process".padEnd(NAME)}${heads.join(" ")}   found`;
  return [head, ...all.map(line), "", ...slowest(all)];
}

function line({ name, median, p99, worst, found }: KindTimes): string {
  const times = [median, p99, worst].map((us) => formatUs(us).padStart(11));
  return `${name.padEnd(NAME)}${times.join(" ")} ${`${Math.round(100 * found)} %`.padStart(7)}`;
}

function slowest(all: readonly KindTimes[]): string[] {
  const most = (by: "median" | "p99" | "worst") =>
    all.reduce((worst, kind) => (kind[by] > worst[by] ? kind : worst));
  const shown = (by: "median" | "p99") => `${most(by).name}, ${formatUs(most(by)[by])}`;
  const { name, worst, worstBody } = most("worst");
  return [
    `worst median: ${shown("median")}; worst p99: ${shown("p99")}`,
    `slowest question: ${name}, ${formatUs(worst)}: ${worstBody}`,
  ];
}

/** Times one page. Other programs can only prolong the elapsed time, so the smaller time counts. */
async function pageAfter(segment: Segment, spec: AccountQuerySpec, afterRow: number) {
  const request = { spec, afterRow, fields: DEFAULT_FIELDS, explain: false, facets: null };
  const used = process.cpuUsage();
  const began = performance.now();
  const answer = ENGINE.page(segment, request, "");
  const page = answer instanceof Promise ? await answer : answer;
  const us = (performance.now() - began) * 1_000;
  const { user, system } = process.cpuUsage(used);
  return { page, us: Math.min(us, user + system) };
}

async function timesOf(
  segment: Segment,
  name: string,
  bodies: readonly string[],
): Promise<KindTimes> {
  const timed: Timed[] = [];
  for (const [at, body] of bodies.entries()) {
    const { page, us } = await pageAfter(segment, specOfBody(segment, body), -1);
    if (at >= WARM) timed.push({ us, body, found: page.total > 0 });
  }
  return summary(name, timed);
}

/** Times pages 2 to 10 of each query. Each page starts after the last row of the page before. */
async function laterPages(segment: Segment, seed: number): Promise<KindTimes> {
  const timed: Timed[] = [];
  for (const body of trafficOf(segment, seed, WARM + TIMED)) {
    const spec = specOfBody(segment, body);
    let { page } = await pageAfter(segment, spec, -1);
    for (let at = 0; at < PAGES && page.more; at++) {
      const next = await pageAfter(segment, spec, page.lastRow);
      timed.push({ us: next.us, body, found: true });
      page = next.page;
    }
  }
  return summary("pages 2 to 10", timed);
}

/** A timed page. */
interface Timed {
  readonly us: number;
  readonly body: string;
  readonly found: boolean;
}

function summary(name: string, timed: Timed[]): KindTimes {
  timed.sort((a, b) => a.us - b.us);
  const at = (share: number) =>
    timed[Math.min(timed.length - 1, Math.floor(share * timed.length))] as Timed;
  const { us: worst, body: worstBody } = at(1);
  const found = timed.filter((one) => one.found).length / timed.length;
  return { name, median: at(0.5).us, p99: at(0.99).us, worst, worstBody, found };
}
