/**
 * Proves: numbers, dates, sizes, spans, and identifiers are formatted as usual in each language,
 * days are never shifted by a time zone, and values of unknown form stay unchanged.
 * Does not prove: that other runtimes have the same locale data (the tests allow for its spaces).
 */
import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import {
  ago,
  bytes,
  cnpj,
  compact,
  date,
  dateTime,
  duration,
  list,
  money,
  month,
  number,
  percent,
  phone,
} from "../../../src/console/web/app/format.ts";
import { language, type ScreenLanguage } from "../../../src/console/web/app/language.ts";

afterEach(() => {
  language.value = "pt";
});

/** Returns a value in both languages, with every kind of space replaced by a plain one. */
function both(make: () => string): { pt: string; en: string } {
  const one = (wanted: ScreenLanguage) => {
    language.value = wanted;
    return make().replace(/\s/g, " ");
  };
  return { pt: one("pt"), en: one("en") };
}

describe("numbers", () => {
  it("have the language's separators", () => {
    assert.deepEqual(
      both(() => number(1_234_567)),
      { pt: "1.234.567", en: "1,234,567" },
    );
    assert.deepEqual(
      both(() => number(0.456, 1)),
      { pt: "0,5", en: "0.5" },
    );
    assert.deepEqual(
      both(() => compact(1_234_567)),
      { pt: "1,2 mi", en: "1.2m" },
    );
  });

  it("as shares are never rounded to zero or to the whole", () => {
    assert.deepEqual(
      both(() => percent(0.4567)),
      { pt: "46%", en: "46%" },
    );
    assert.deepEqual(
      both(() => percent(0.012)),
      { pt: "1,2%", en: "1.2%" },
    );
    assert.deepEqual(
      both(() => percent(0.00001)),
      { pt: "< 0,1%", en: "< 0.1%" },
    );
    assert.equal(percent(0), "0%");
    assert.deepEqual([0.9949, 0.9987, 1].map(percent), ["99%", "> 99%", "100%"]);
  });

  it("as money have cents only if they are not zero", () => {
    assert.deepEqual(
      both(() => money(1_500)),
      { pt: "R$ 1.500", en: "R$1,500" },
    );
    assert.deepEqual(
      both(() => money(0.5)),
      { pt: "R$ 0,50", en: "R$0.50" },
    );
  });

  it("as sizes are in the fitting unit", () => {
    assert.deepEqual(
      both(() => bytes(999)),
      { pt: "999 B", en: "999 B" },
    );
    assert.deepEqual(
      both(() => bytes(1_500)),
      { pt: "1,5 kB", en: "1.5 kB" },
    );
    assert.deepEqual(
      both(() => bytes(999_999)),
      { pt: "1 MB", en: "1 MB" },
    );
    assert.deepEqual(
      both(() => bytes(2_345_678_901)),
      { pt: "2,3 GB", en: "2.3 GB" },
    );
  });
});

describe("times", () => {
  it("as days are unchanged", () => {
    assert.deepEqual(
      both(() => date("2026-10-01")),
      {
        pt: "1 de out. de 2026",
        en: "1 Oct 2026",
      },
    );
    assert.deepEqual(
      both(() => month("2026-01")),
      { pt: "janeiro de 2026", en: "January 2026" },
    );
    assert.equal(month("custom"), "custom");
    assert.equal(date("not a day"), "not a day");
    assert.match(dateTime("2026-10-01T12:00:00Z"), /2026.*\d{2}:\d{2}/);
  });

  it("are relative to now, and beyond a month are days", () => {
    const now = Date.parse("2026-11-21T12:00:00Z");
    assert.deepEqual(
      both(() => ago("2026-11-21T11:58:00Z", now)),
      {
        pt: "há 2 minutos",
        en: "2 minutes ago",
      },
    );
    assert.deepEqual(
      both(() => ago("2026-11-20T11:00:00Z", now)),
      {
        pt: "ontem",
        en: "yesterday",
      },
    );
    assert.deepEqual(
      both(() => ago("2026-11-21T15:00:00Z", now)),
      {
        pt: "em 3 horas",
        en: "in 3 hours",
      },
    );
    assert.equal(both(() => ago("2026-05-02T12:00:00Z", now)).en, "2 May 2026");
    assert.equal(both(() => ago("2026-11-28T11:59:58Z", now)).en, "in 7 days");
    assert.equal(both(() => ago("2026-11-14T12:00:02Z", now)).en, "6 days ago");
    assert.deepEqual(
      both(() => ago("2026-11-21T11:59:50Z", now)),
      { pt: "agora", en: "now" },
    );
  });

  it("as spans show the two largest units", () => {
    assert.deepEqual(
      both(() => duration(0.0004)),
      { pt: "0,4 ms", en: "0.4 ms" },
    );
    assert.deepEqual(
      both(() => duration(1.25)),
      { pt: "1,3 s", en: "1.3 s" },
    );
    assert.equal(duration(200), "3 min 20 s");
    assert.equal(duration(7_500), "2 h 5 min");
    assert.deepEqual(
      both(() => duration(86_400)),
      { pt: "1 dia", en: "1 day" },
    );
    assert.deepEqual(
      both(() => duration(30 * 86_400)),
      { pt: "30 dias", en: "30 days" },
    );
    assert.equal(duration(3_600 * 24 * 3 + 3_600 * 4 + 59), "3 d 4 h");
  });
});

describe("identifiers", () => {
  it("of companies have their punctuation, with letters too", () => {
    assert.equal(cnpj("11222333000181"), "11.222.333/0001-81");
    assert.equal(cnpj("12ABC34501DE35"), "12.ABC.345/01DE-35");
    assert.equal(cnpj("1122233300018"), "1122233300018");
    assert.equal(cnpj("112223330001AB"), "112223330001AB");
  });

  it("of phones are formatted as in Brazil", () => {
    assert.equal(phone("+5511987654321"), "(11) 98765-4321");
    assert.equal(phone("+551132654321"), "(11) 3265-4321");
    assert.equal(phone("+14155550100"), "+14155550100");
  });

  it("in a list are joined by the language's conjunction", () => {
    assert.deepEqual(
      both(() => list(["a", "b", "c"])),
      { pt: "a, b e c", en: "a, b and c" },
    );
  });
});
