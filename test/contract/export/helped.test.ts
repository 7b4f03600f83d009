/**
 * Proves: an export has the same bytes in every format, no matter when spare processors help to
 * render it. If one of them fails, the export ends with its error and leaves no file. Does not
 * prove: when they may help (unit/export/spareprocessor), nor the order alone
 * (unit/export/writteninturn).
 */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { FORMATS } from "../../../src/export/formats/format.ts";
import type { ExportFormat } from "../../../src/export/record.ts";
import { renderBytes, renderExport } from "../../../src/export/render.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES } from "../../../src/spec/fields.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { seededRandom } from "../../support/native-index/fixture-rows.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";

const ALL_FORMATS = Object.keys(FORMATS) as ExportFormat[];

let sample: SampleSnapshot;
let segment: Segment;
let folder: string;

before(async () => {
  sample = await makeSampleSnapshot(9_000, 4);
  segment = await openSegment(sample.snapshot);
  folder = fs.mkdtempSync(join(tmpdir(), "peneira-export-"));
});
after(() => {
  segment.close();
  sample.dispose();
  fs.rmSync(folder, { recursive: true });
});

/** Returns a spec of the mode `export` that matches every account. */
function specOf(format: ExportFormat, packed = {}): AccountQuerySpec {
  return normalizeSpec(
    {},
    {
      ...{ catalog: segment.catalog, limitDefault: 1_000_000, limitCap: 1_000_000 },
      bodyOutput: { format, fields: OUTPUT_FIELD_NAMES, include_explain: true, ...packed },
      ...{ allowedFields: OUTPUT_FIELD_NAMES, defaultFields: DEFAULT_FIELDS },
      ...{ mode: "export" as const, fullAllowed: true },
    },
  ).spec;
}

/** Returns a function that returns true about half of the time, in a fixed sequence. */
function seededCoin(seed: number): () => boolean {
  const random = seededRandom(seed);
  return () => random() < 0.5;
}

/** Returns a function that is true only at its first call. */
function onceOnly(): () => boolean {
  let calls = 0;
  return () => calls++ === 0;
}

describe("an export with helping processors", () => {
  it("has the same bytes, with help always or sometimes", async () => {
    const helped: Readonly<Record<string, () => boolean>> = {
      always: () => true,
      "now and then": seededCoin(11),
      "never again": onceOnly(),
    };
    const packed = (["csv", "html", "jsonl"] as const).flatMap((format) =>
      ["gzip", "zstd"].map((compression) => specOf(format, { compression })),
    );
    for (const spec of [...ALL_FORMATS.map((format) => specOf(format)), ...packed]) {
      const { format, compression } = spec.output;
      const bytesWith = async (spare?: () => boolean) => {
        const parts: Buffer[] = [];
        const work = spare === undefined ? { segment, spec } : { segment, spec, spare };
        await renderBytes(work, (bytes) => parts.push(Buffer.from(bytes)));
        return Buffer.concat(parts);
      };
      const alone = await bytesWith();
      for (const [when, spare] of Object.entries(helped)) {
        assert.ok((await bytesWith(spare)).equals(alone), `${format}, ${compression}, ${when}`);
      }
    }
  });

  it("fails with the error of a helping processor, and leaves no file", async () => {
    const failure = new Error("a block is damaged");
    const native = Object.create(segment.native, {
      ...Object.fromEntries(
        (["count", "select", "renderRows", "renderRowsInto", "parquetOf", "poisoned"] as const).map(
          (name) => [name, { value: segment.native[name].bind(segment.native) as unknown }],
        ),
      ),
      renderRowsAsync: { value: () => Promise.reject(failure) },
      parquetOfAsync: { value: () => Promise.reject(failure) },
    });
    for (const format of ALL_FORMATS) {
      const job = {
        segment: { ...segment, native },
        spec: specOf(format),
        path: join(folder, format),
      };
      const work = () => renderExport({ ...job, spare: () => true });
      await assert.rejects(work, (error) => error === failure);
      assert.deepEqual(fs.readdirSync(folder), []);
    }
  });
});
