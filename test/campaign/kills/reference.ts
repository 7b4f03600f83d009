/**
 * Renders the reference files of a crash run. For each spec that the server returned, it provides
 * rows, size, and SHA-256 on two snapshots.
 * Invariant: the files are rendered in this process, which is never killed, and their hashes are
 * computed again from the disk.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type RenderedFile, renderEnrichment, renderExport } from "../../../src/export/render.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { exportContext } from "../../support/spec/catalog.ts";
import { sentOf } from "./plan.ts";
import { victim } from "./server.ts";

/** Labels of the two snapshots in a crash run. */
export const LABELS = ["2026-10", "2026-11"] as const;

/** Two snapshots with different accounts, and the files of their exports. */
export class References {
  /** Paths of the snapshots, in the order of LABELS. */
  readonly snapshots: readonly string[];
  /** Files that clients send to be enriched. */
  readonly sent: readonly Buffer[];
  readonly #segments: ReadonlyMap<string, Segment>;
  readonly #folder: string;
  readonly #files = new Map<string, Promise<RenderedFile>>();
  readonly #accounts = new Map<string, Promise<readonly string[]>>();

  private constructor(folder: string, segments: readonly Segment[]) {
    this.#folder = folder;
    this.snapshots = segments.map(({ path }) => path);
    this.sent = [sentFile(segments, 5, 900), sentFile(segments, 11, 60)];
    for (const [at, bytes] of this.sent.entries()) {
      writeFileSync(join(folder, `sent-${at}`), bytes);
    }
    this.#segments = new Map(segments.map((segment) => [segment.label, segment]));
  }

  /** Makes the snapshots. */
  static async make(accounts: number, seed: number): Promise<References> {
    const folder = mkdtempSync(join(tmpdir(), "peneira-reference-"));
    const segments = await Promise.all(
      LABELS.map(async (label, i) => {
        const dump = join(folder, label);
        const path = `${dump}.peneira`;
        const size = ["--establishments", String(accounts), "--seed", String(seed + i)];
        await peneira("sample", "--out", dump, ...size, "--label", label);
        await peneira("import", dump, "--out", path);
        rmSync(dump, { recursive: true });
        return openSegment(path);
      }),
    );
    return new References(folder, segments);
  }

  /** Returns the file of a spec on the snapshot with a label. */
  of(label: string, spec: AccountQuerySpec): Promise<RenderedFile> {
    const name = `${label} ${JSON.stringify({ ...spec, explain: null })}`;
    const known = this.#files.get(name);
    if (known !== undefined) return known;
    const file = this.#render(label, spec, this.#files.size);
    this.#files.set(name, file);
    return file;
  }

  /** Returns the accounts of the file as lists store them: CNPJs without check digits. */
  accountsOf(label: string, spec: AccountQuerySpec): Promise<readonly string[]> {
    const { scoring, filters, sort, limit } = spec;
    const name = `${label} ${JSON.stringify({ scoring, filters, sort, limit })}`;
    const known = this.#accounts.get(name);
    if (known !== undefined) return known;
    const accounts = this.#readAccounts(label, spec, this.#accounts.size);
    this.#accounts.set(name, accounts);
    return accounts;
  }

  dispose(): void {
    for (const segment of this.#segments.values()) segment.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #readAccounts(label: string, spec: AccountQuerySpec, number: number) {
    const segment = this.#segments.get(label);
    assert(segment !== undefined, `no snapshot ${label}`);
    if (sentOf(spec) !== undefined) return this.#enrichedAccounts(segment, spec, number);
    const path = join(this.#folder, `accounts-${number}`);
    const body = { output: { format: "csv", fields: ["cnpj"] } };
    const { output } = normalizeSpec(body, exportContext(segment.catalog)).spec;
    await renderExport({ segment, spec: { ...spec, output }, path });
    const [, ...lines] = readFileSync(path, "latin1").trimEnd().split(/\r?\n/);
    rmSync(path);
    return lines.map((line) => line.slice(0, 12));
  }

  #enrichment(sent: number) {
    return { sentPath: join(this.#folder, `sent-${sent}`), column: null, fillZeros: false };
  }

  /** Returns the accounts that an enrichment finds. */
  async #enrichedAccounts(segment: Segment, spec: AccountQuerySpec, number: number) {
    const path = join(this.#folder, `found-${number}`);
    const found: number[] = [];
    const held = (rows: Uint32Array) => found.push(...rows);
    const sent = this.#enrichment(sentOf(spec) as number);
    await renderEnrichment({ segment, spec, path, held, ...sent });
    rmSync(path);
    return cnpjsOf(segment, Uint32Array.from(found)).map((cnpj) => cnpj.slice(0, 12));
  }

  async #render(label: string, spec: AccountQuerySpec, number: number): Promise<RenderedFile> {
    const segment = this.#segments.get(label);
    assert(segment !== undefined, `no snapshot ${label}`);
    const path = join(this.#folder, `reference-${number}`);
    const job = { segment, spec, path };
    const sent = sentOf(spec);
    const summary =
      sent === undefined
        ? await renderExport(job)
        : await renderEnrichment({ ...job, ...this.#enrichment(sent) });
    const bytes = readFileSync(path);
    rmSync(path);
    const sha256 = sha256Of(bytes);
    assert.deepEqual(
      { sha256, sizeBytes: bytes.byteLength },
      {
        sha256: summary.sha256,
        sizeBytes: summary.sizeBytes,
      },
    );
    return { rowCount: summary.rowCount, sizeBytes: bytes.byteLength, sha256 };
  }
}

function cnpjsOf({ native }: Segment, rows: Uint32Array): string[] {
  const text = Buffer.from(native.renderJson(rows, ["cnpj"])).toString();
  return (JSON.parse(text) as { readonly cnpj: string }[]).map(({ cnpj }) => cnpj);
}

/** Returns a file with every `step`-th account of all snapshots, and texts that are no CNPJ. */
function sentFile(segments: readonly Segment[], step: number, most: number): Buffer {
  const cnpjs = segments.flatMap((segment) => {
    const count = Math.min(most, Math.floor(segment.accounts / step));
    return cnpjsOf(
      segment,
      Uint32Array.from({ length: count }, (_, at) => at * step),
    );
  });
  const lines = cnpjs.map((cnpj, at) => `${at};${at % 9 === 0 ? "123.456.789-09" : cnpj}`);
  return Buffer.from(["id;cnpj", ...lines, ""].join("\r\n"));
}

/** SHA-256 in hex. */
export function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Runs a command of the product and discards its messages. */
async function peneira(...parameters: readonly string[]): Promise<void> {
  await promisify(execFile)(...victim(parameters));
}
