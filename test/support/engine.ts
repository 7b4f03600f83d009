/**
 * Compares the engine with its reference implementation on a sample. A failure names the spec whose
 * answer differs from that of a linear scan of the same rows.
 * Invariant: a reader that shares no code with the product decodes the rows of the reference
 * implementation.
 */
import assert from "node:assert/strict";
import { search } from "../../src/search/searcher.ts";
import { openSegment, type Segment } from "../../src/search/segment.ts";
import type { AccountQuerySpec } from "../../src/spec/schema.ts";
import { decodeSnapshot } from "./formats/decode.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "./sample/snapshot.ts";
import { Twin, type TwinRow } from "./twin.ts";

/**
 * A sample snapshot, its rows as an independent reader decodes them, and the reference
 * implementation over these rows (`twin`).
 */
export interface Subject {
  readonly made: SampleSnapshot;
  readonly rows: readonly TwinRow[];
  readonly twin: Twin;
  segment: Segment;
}

/** Makes a sample, and opens it with the engine and with the independent reader. */
export async function makeSubject(accounts: number, seed: number): Promise<Subject> {
  const made = await makeSampleSnapshot(accounts, seed);
  const { rows } = decodeSnapshot(made.snapshot);
  return { made, rows, twin: new Twin(rows), segment: await openSegment(made.snapshot) };
}

/** Releases makeSubject's work. */
export function dispose(subject: Subject): void {
  subject.segment.close();
  subject.made.dispose();
}

/** Returns one page of an answer with the CNPJs of its accounts. */
export function pageOf(segment: Segment, spec: AccountQuerySpec, afterRow: number) {
  const answer = search(segment, { spec, fields: ["cnpj"], afterRow, explain: false });
  const accounts = JSON.parse(Buffer.from(answer.accounts).toString()) as { cnpj: string }[];
  return { ...answer, cnpjs: accounts.map(({ cnpj }) => cnpj) };
}

/** Compares the first page with the reference implementation. A failure names the spec. */
export function compare(subject: Subject, spec: AccountQuerySpec): void {
  const expected = subject.twin.answer(spec);
  const page = pageOf(subject.segment, spec, -1);
  const described = () => JSON.stringify(spec);
  const cnpjs = expected.slice(0, spec.limit).map((row) => subject.twin.rows[row]?.cnpj);
  assert.equal(page.total, expected.length, `total of ${described()}`);
  assert.deepEqual(page.cnpjs, cnpjs, `page of ${described()}`);
  assert.equal(page.more, expected.length > spec.limit, `has_more of ${described()}`);
}

/** Reads up to `pagesMax` pages, and compares them with the reference implementation. */
export function walk(subject: Subject, spec: AccountQuerySpec, pagesMax: number): number {
  const expected = subject.twin.answer(spec);
  const joined: string[] = [];
  let afterRow = -1;
  let pages = 0;
  for (let more = true; more && pages < pagesMax; pages++) {
    const page = pageOf(subject.segment, spec, afterRow);
    joined.push(...page.cnpjs);
    ({ more, lastRow: afterRow } = page);
  }
  const cnpjs = expected.slice(0, joined.length).map((row) => subject.twin.rows[row]?.cnpj);
  assert.deepEqual(joined, cnpjs, `pages of ${JSON.stringify(spec)}`);
  if (pages < pagesMax) assert.equal(joined.length, expected.length);
  return pages;
}
