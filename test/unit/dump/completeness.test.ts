/**
 * Proves: each rejection of a folder because of its month or date names a flag that allows it. A
 * date far from the month is reported. Files that are not regular files are named without reading
 * the others. A part that is much smaller than the others is reported, but the sizes of real months
 * are not.
 * Does not prove: the other checks of a folder (archive.test.ts).
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { readImportFlags } from "../../../src/cli/commands/import.ts";
import { openDump } from "../../../src/dump/archive.ts";
import { type FileType, LAYOUTS, memberNames, PARTS } from "../../../src/dump/layout.ts";
import { CommandError } from "../../../src/errors.ts";
import { establishment, MiniWorkspace } from "../../support/dump/mini.ts";

const space = new MiniWorkspace();
after(() => space.dispose());

const folder = (token = "D60808") =>
  space.write({ estabelecimentos: [establishment("11222333000181")] }, token);
const look = (path: string, label: string, date?: string) =>
  openDump(path, label, { partial: true, ...(date === undefined ? {} : { date }) });

async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => assert.fail("nothing was refused"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof CommandError, String(error));
  return error.message;
}

describe("month and date", () => {
  it("are rejected if they differ, with the two flags that resolve it", async () => {
    const path = folder();
    const message = await refusal(look(path, "2026-03"));
    assert.match(message, /2026-03, but .* D60808 \(2026-08-08\): more than a month apart/);
    const label = /import them with --label (\d{4}-\d\d);/.exec(message)?.[1] ?? "";
    assert.equal((await look(path, label)).date, "2026-08-08");
    assert.match(message, /say the date of the data with --date/);
    const { warnings } = await look(path, "2026-03", "2026-03-10");
    assert.match(warnings.join(), /D60808 \(2026-08-08\); 2026-03-10 was given/);
    assert.doesNotMatch(warnings.join(), /apart/);
  });

  it("are reported separately if the date was given", async () => {
    for (const date of ["2019-01-01", "2026-12-31"]) {
      const { warnings } = await look(folder(), "2026-08", date);
      const stated = `The month is 2026-08, but --date says ${date}: more than a month apart.`;
      assert.ok(warnings.includes(stated), warnings.join());
    }
  });

  it("are rejected if one is impossible, unless the date is given", async () => {
    const path = folder("D61340");
    const message = await refusal(look(path, "2026-08"));
    assert.match(
      message,
      /D61340 \(no date of the calendar\)\. Say the date of the data with --date/,
    );
    const { warnings } = await look(path, "2026-08", "2026-08-08");
    assert.match(warnings.join(), /say D61340 \(no date of the calendar\); 2026-08-08 was given/);
  });
});

describe("an entry that is no regular file", () => {
  const pipe = (path: string) => assert.equal(spawnSync("mkfifo", [path]).status, 0);

  it("is named if it has the name of a zip", async () => {
    const path = folder();
    mkdirSync(join(path, "Simples.zip"));
    pipe(join(path, "Empresas3.zip"));
    const message = await refusal(look(path, "2026-08"));
    assert.match(message, /Simples\.zip is a folder; only regular files are read/);
    assert.match(
      message,
      /Empresas3\.zip is no file but a pipe, a socket or a device; only regular/,
    );
    assert.doesNotMatch(message, /EISDIR|Empresas3\.zip is missing/);
  });

  it("is ignored with a notice if it does not belong to the month", async () => {
    const path = folder();
    pipe(join(path, "K3241.K03200Y7.D60808.ESTABELE"));
    mkdirSync(join(path, "old.zip"));
    const { warnings } = await look(path, "2026-08");
    assert.match(warnings.join("\n"), /Y7\.D60808\.ESTABELE is no file but a pipe.* is ignored/);
    assert.match(warnings.join("\n"), /old\.zip is a folder and is ignored/);
  });

  it("is rejected as the source of an import", () => {
    const path = space.path("columns.parquet");
    pipe(path);
    assert.throws(() => readImportFlags(path, { out: space.path("x.peneira") }), {
      exitCode: 2,
      message: /columns\.parquet is neither a folder nor a regular file/,
    });
  });
});

describe("parts of a type", () => {
  /** Returns the warnings about parts of the given sizes. The files are sparse. */
  async function warningsOf(sizes: readonly number[]): Promise<readonly string[]> {
    const path = folder();
    for (const type of ["empresas", "estabelecimentos"] as const satisfies FileType[]) {
      sizes.forEach((bytes, part) => {
        const file = join(path, memberNames(type, part, "D60808")[1]);
        // The file has one byte, because an empty file would be rejected for being empty.
        writeFileSync(file, '"');
        truncateSync(file, bytes);
      });
    }
    const { warnings } = await look(path, "2026-08");
    return warnings.filter((text) => text.includes("Was it cut?"));
  }

  it("are reported if small relative to the others, in both types", async () => {
    assert.equal(LAYOUTS.empresas.parts, true);
    const sizes = [7_007_687_931, ...Array(PARTS - 1).fill(1_100_000_000)];
    assert.deepEqual(await warningsOf(sizes), [], "sizes of 2026-08");
    const message = await warningsOf(sizes.with(4, 240).with(0, 200_000_000));
    assert.equal(message.length, 4);
    const words = "holds 240 bytes, and the other Empresas files about 1,100,000,000. Was it cut?";
    assert.ok(message.includes(`K3241.K03200Y4.D60808.EMPRECSV ${words}`), message.join("\n"));
    assert.deepEqual(await warningsOf(sizes.with(3, 280_000_000)), [], "a quarter is enough");
    assert.deepEqual(await warningsOf([5_000, 1, ...Array(8).fill(5_000)]), [], "no real month");
  });
});
