/**
 * Proves: files of places and of descriptions of activities are read completely with any delimiter,
 * order, line ends, and quotation marks, or rejected with every wrong line. A file of another kind,
 * such as one of populations, is rejected with a message that names its kind. Files written by
 * Peneira itself can be read. Does not prove: how sentences use them (contract/translate/).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { metaFault } from "../../../native-index/format/snapshot/meta-schema.ts";
import {
  activityTextsOf,
  activityTextsText,
  readActivityTexts,
} from "../../../src/dump/activities.ts";
import { placesOf, placesText, readPlaces } from "../../../src/dump/places.ts";
import { CommandError } from "../../../src/errors.ts";
import { readPopulation } from "../../../src/ingest/places/municipalitytables.ts";
import { zipOf } from "../../support/files/zip.ts";

const folder = mkdtempSync(join(tmpdir(), "peneira-tables-"));
after(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Returns the message of a rejection. */
function refusal(read: () => unknown): string {
  let words = "";
  assert.throws(read, (error: unknown) => {
    assert.ok(error instanceof CommandError, String(error));
    assert.equal(error.exitCode, 2);
    words = error.message;
    return true;
  });
  return words;
}

const PLACES = `municipality_ibge,mesoregion,microregion,immediate_region,latitude,longitude
3550308,Metropolitana,"Serra, do ""Norte""",São Paulo,-23.5329,-46.6395
3304557,Metropolitana,,Rio,-22.9,-43.2
5101837,,,,,`;

describe("a file of places", () => {
  it("is read, with empty cells as unknown", () => {
    assert.deepEqual(placesOf("p.csv", PLACES), {
      names: ["Metropolitana", "Rio", 'Serra, do "Norte"', "São Paulo"],
      municipalities: [
        ["3304557", 0, null, null, 1, -22.9, -43.2],
        ["3550308", 0, 2, null, 3, -23.5329, -46.6395],
        ["5101837", null, null, null, null, null, null],
      ],
    });
  });

  it("yields the same in any order of lines and columns, with any line ends and delimiter", () => {
    const rows = [
      ["latitude", "immediate_region", "municipality_ibge", "longitude"],
      ["-23.5", "São Paulo", "3550308", "-46.6"],
      ["-22.9", "Rio", "3304557", "-43.2"],
    ];
    const first = placesOf("p.csv", rows.map((row) => row.join(",")).join("\n"));
    const [header, ...rest] = rows.map((row) => [...row].reverse().join(" ; "));
    const turned = [header, ...rest.reverse(), ""].join("\r\n");
    assert.deepEqual(readPlaces(file("turned.csv", `\ufeff${turned}`)), first);
  });

  it("is read without a final Ctrl-Z and a leading byte-order mark", () => {
    const first = placesOf("p.csv", PLACES);
    for (const end of ["\n\x1a", "\x1a", "\r\n\x1a\x1a\r\n"]) {
      assert.deepEqual(readPlaces(file("dos.csv", `\ufeff${PLACES}${end}`)), first);
    }
    const inside = refusal(() => readPlaces(file("inside.csv", `${PLACES}\n\x1a\n5200050,,,,,`)));
    assert.match(inside, /line 5: 1 cell where the header has 6/);
  });

  it("is named if it is of another kind, with the remedy", () => {
    const others: readonly (readonly [RegExp, string | Buffer])[] = [
      [/it is empty\. Make or download it again/, ""],
      [/it is a web page \(HTML\), not CSV in UTF-8\. Make or/, "<!doctype html><p>x"],
      [
        /it is text in UTF-16, not CSV in UTF-8\. Save it/,
        Buffer.from(`\ufeff${PLACES}`, "utf16le"),
      ],
      [/it is text in UTF-16/, Buffer.from(PLACES, "utf16le")],
      [/it is text in UTF-16/, Buffer.from(PLACES, "utf16le").swap16()],
      [/it is a workbook \(XLSX\).*save it as CSV/, zipOf({ "[Content_Types].xml": "x" })],
      [/it is a zip, not CSV in UTF-8\. Unpack it/, zipOf({ "places.csv": PLACES })],
      [/it is an archive \(gzip.*Unpack it/, gzipSync(PLACES)],
      [/it is a PDF/, "%PDF-1.4"],
      [/it is a database \(SQLite\)/, "SQLite format 3\0"],
    ];
    for (const [words, content] of others) {
      const path = join(folder, "other.csv");
      writeFileSync(path, content);
      for (const read of [readPlaces, readActivityTexts, readPopulation]) {
        assert.match(
          refusal(() => read(path)),
          words,
        );
      }
    }
  });

  it("round-trips", () => {
    const regions = ["Sul, de “X”", 'a "b"', "", "ção;"];
    const text = placesText([{ ibge: "3550308", regions }]);
    const { names, municipalities } = placesOf("p.csv", text);
    const [[, ...cells] = []] = municipalities;
    assert.deepEqual(
      cells.slice(0, 4).map((cell) => (cell === null ? "" : names[cell as number])),
      regions,
    );
  });

  it("is rejected with every line that is wrong", () => {
    const words = refusal(() =>
      placesOf(
        "p.csv",
        [
          "municipality_ibge,mesoregion,latitude,longitude",
          "355030,A,-23.5,-46.6",
          "3550308,A,-23.5,-46.6",
          "3550308,A,-23.5,-46.6",
          "3304557,A,23.5,-46.6",
          "3304558,A,-23.5,",
          "3304559,A",
          'x"y,A,1,1',
          `3304560,${"z".repeat(101)},,`,
        ].join("\n"),
      ),
    );
    for (const place of [
      "p.csv has 7 problems",
      "line 2: municipality_ibge must be a code of 7 digits",
      "line 4: 3550308 stands there twice",
      "line 5: latitude must be degrees from -34 to 6",
      "line 6: longitude must be degrees",
      "line 7: 2 cells where the header has 4",
      "line 8: a quotation mark",
      "line 9: mesoregion must be one line",
      "peneira download --places",
    ]) {
      assert.ok(words.includes(place), `${place}\n${words}`);
    }
  });

  it("is rejected for its header with all wrong column names", () => {
    const words = refusal(() => placesOf("p.csv", "code,latitude,latitude,meso\n1,2,3,4"));
    for (const place of [
      "line 1: the header lacks municipality_ibge; it takes municipality_ibge, mesoregion",
      'line 1: there is no column "code"',
      "line 1: the header has latitude twice",
      'line 1: there is no column "meso"',
      "line 1: latitude and longitude go together",
    ]) {
      assert.ok(words.includes(place), `${place}\n${words}`);
    }
    assert.match(
      refusal(() => placesOf("p.csv", "municipality_ibge\n3550308")),
      /no column beside/,
    );
    assert.match(
      refusal(() => placesOf("p.csv", "municipality_ibge,mesoregion\n")),
      /line 2: there must be a row/,
    );
    assert.match(
      refusal(() => readPlaces(join(folder, "none.csv"))),
      /cannot be read/,
    );
  });

  it("lists twenty problems, and the number of further ones", () => {
    const rows = Array.from({ length: 25 }, () => "x,A").join("\n");
    const words = refusal(() => placesOf("p.csv", `municipality_ibge,mesoregion\n${rows}`));
    assert.match(words, /has 25 problems[\s\S]*line 21:[\s\S]*and 5 more/);
    assert.doesNotMatch(words, /line 22:/);
  });
});

describe("a file of texts of activities", () => {
  it("is read, the texts of a subclass together, and round-trips", () => {
    const text = 'subclass;text\n5611-2/01;"A; B DE"\n4721102;PÃO\n5611201;"C, ""D"""\n';
    const read = activityTextsOf("d.csv", text);
    assert.deepEqual(read, [
      { code: "5611201", texts: ["A; B DE", 'C, "D"'] },
      { code: "4721102", texts: ["PÃO"] },
    ]);
    assert.deepEqual(readActivityTexts(file("d.csv", activityTextsText(read))), read);
  });

  it("is rejected with every line that is wrong", () => {
    const words = refusal(() =>
      readActivityTexts(file("d.csv", "subclass,text\n561,A\n5611201,\n5611201,A,B\n")),
    );
    assert.match(words, /line 2: subclass[\s\S]*line 3: text[\s\S]*line 4: 3 cells/);
    assert.match(
      refusal(() => activityTextsOf("d.csv", "code,text\n1,2")),
      /lacks subclass/,
    );
  });
});

describe("places in metadata", () => {
  const places = { names: ["A"], municipalities: [["3550308", 0, null, null, 0, -23.5, -46.6]] };
  /**
   * Returns the place of the error in this metadata. `/places` is checked first, so members that
   * are missing do not matter.
   */
  const faultOf = (changed: unknown) => {
    const provenance = {
      rfb_snapshot: "2026-10",
      ...{ ibge_population_year: "not_available", ceis_as_of_date: "not_available" },
    };
    const meta = { format: 2, label: "2026-10", snapshot_date: "2026-10-10", accounts: 1 };
    const more = { score_version: 1, created_by: "x", provenance, places: changed };
    return metaFault({ ...meta, ...more })?.place;
  };

  it("match what an import writes, or are named", () => {
    const row = (cells: readonly unknown[]) => ({ ...places, municipalities: [cells] });
    assert.equal(faultOf(places), "/lookups");
    assert.equal(faultOf({ ...places, more: 1 }), "/places");
    assert.equal(faultOf({ ...places, names: ["a\nb"] }), "/places/names/0");
    const base = places.municipalities[0] as readonly unknown[];
    for (const [cell, value] of [
      [0, "355"],
      [1, 1],
      [2, -1],
      [4, "0"],
      [5, 91],
      [6, "x"],
    ] as const) {
      const at = `/places/municipalities/0/${cell}`;
      assert.equal(faultOf(row(base.map((one, i) => (i === cell ? value : one)))), at);
    }
  });
});
