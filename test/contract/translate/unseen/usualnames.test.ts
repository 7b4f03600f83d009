/**
 * Proves that the usual names of nearly every kind of trade lead to their codes in the official
 * table, and to no others, in Portuguese, English, and Spanish. Usual conditions set their filters.
 * Every such sentence runs. Does not prove that every usual name is known.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { isUncertain } from "../../../../src/translate/confidence.ts";
import { ROOT } from "../../../support/house/checkout.ts";
import { openProbe, type Probe } from "../../../support/translate/probe.ts";
import { resolveDay } from "../../../support/translate/sentences.ts";

const PLACES = { pt: "em Belém", en: "in Belém", es: "en Belém" } as const;
type Spoken = keyof typeof PLACES;
/** Divisions (first two digits of codes) in the sections of agriculture and mining. */
const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  A: ["01", "02", "03"],
  B: ["05", "06", "07", "08", "09"],
};
/** Sentences around a condition. */
const BASES: Readonly<Record<Spoken, readonly string[]>> = {
  pt: ["padarias em Belém, @", "padarias em Belém @", "dentistas de Santa Catarina @"],
  en: ["bakeries in Belém, @", "bakeries in Belém @", "dentists in Santa Catarina @"],
  es: ["panaderías en Belém, @", "panaderías en Belém @", "dentistas en Santa Catarina @"],
};

function rowsOf(file: string): string[][] {
  const lines = readFileSync(join(ROOT, "test/support/sentences", file), "utf8").trimEnd();
  return lines
    .split("\n")
    .slice(1)
    .map((line) => line.split("\t"));
}

describe("usual words", () => {
  let probe: Probe;
  before(async () => {
    probe = await openProbe();
  });
  after(() => probe.close());

  /** Returns null if a name leads to its codes, else a message. */
  function faultOf(text: string, must: string, may: string): string | null {
    const { filters, explain } = probe.spec(text);
    const codes = filters.industry.cnae_any_of.map((code) => code.replace(/\D/g, "") || code);
    const chosen = codes.flatMap((code) => SECTIONS[code] ?? [code]);
    const groups = must.split(",").map((group) => group.split("|"));
    const allowed = [...groups.flat(), ...may.split(",").filter((code) => code !== "")];
    const isWide = chosen.some((code) => !allowed.some((one) => code.startsWith(one)));
    const isIn = (one: string) =>
      chosen.some((code) => one.startsWith(code) || code.startsWith(one));
    const isMissed = !groups.every((group) => group.some(isIn));
    const isRefused = isUncertain(explain.confidence);
    return isWide || isMissed || isRefused
      ? `${text}: ${codes.join(" ")} (${explain.confidence})`
      : null;
  }

  for (const [column, language] of (["pt", "en", "es"] as const).entries()) {
    it(`name trades in ${language}`, () => {
      const rows = rowsOf("usual-names.tsv");
      const wrong = rows.flatMap(([must = "", may = "", ...names]) =>
        (names[column] ?? "")
          .split("|")
          .filter((name) => name !== "")
          .flatMap((name) => faultOf(`${name} ${PLACES[language]}`, must, may) ?? []),
      );
      assert.ok(rows.length > 400, `${rows.length} rows`);
      assert.deepEqual(wrong, []);
    });
  }

  it("set the filters of usual conditions", () => {
    const wrong: string[] = [];
    for (const [language = "pt", words = "", filters = ""] of rowsOf("usual-conditions.tsv")) {
      for (const base of BASES[language as Spoken]) {
        const text = base.replace("@", words);
        // A spec without a limit gets the limit 100, so that limit is hidden unless the row expects
        // it.
        const reported = readingOf(probe, text, filters.includes("limit=100"));
        if (!isSame(reported, filters, probe.segment.snapshotDate)) {
          wrong.push(`${text}: ${reported.join()} instead of ${filters}`);
        }
      }
    }
    assert.deepEqual(wrong, []);
  });
});

/** Returns the filters of a sentence in the short form of the table. */
function readingOf(probe: Probe, text: string, isLimited: boolean): string[] {
  const spec = probe.spec(text);
  const { company, contact, geo } = spec.filters;
  const flags = (names: Readonly<Record<string, unknown>>) =>
    Object.entries(names).flatMap(([name, value]) => (value === true ? [name] : []));
  const values = (names: Readonly<Record<string, unknown>>) =>
    Object.entries(names).flatMap(([name, value]) => {
      const isNone = value === null || value === undefined || String(value) === "";
      return isNone ? [] : [`${name}=${String(value)}`];
    });
  const [sort] = spec.sort;
  const statuses = company.registration_status_any_of.join();
  return [
    ...flags({ email: contact.require_email, phone: contact.require_phone }),
    ...flags({ mobile: contact.require_mobile, landline: contact.require_landline }),
    ...flags({ any: contact.require_any_contact, domain: contact.require_own_domain }),
    ...flags({ hq: company.headquarters_only, branches: company.branches_only }),
    ...values({ mei: company.mei_opt_in, simples: company.simples_opt_in }),
    ...values({ size: company.company_size_code_any_of, status: statuses === "2" ? "" : statuses }),
    ...values({ after: company.started_after, before: company.started_before }),
    ...values({ min: company.share_capital_min, max: company.share_capital_max }),
    ...values({ emin: company.establishments_min, emax: company.establishments_max }),
    ...values({ limit: spec.limit === 100 && !isLimited ? "" : spec.limit }),
    ...(sort === undefined || sort.field === "score"
      ? []
      : [`sort=${sort.field} ${sort.direction}`]),
    ...values({ area: geo.area_code_any_of, postal: geo.postal_code_prefix_any_of }),
  ];
}

/** Returns true if both have the same filters. A date computed from an age may differ by a day. */
function isSame(reported: readonly string[], filters: string, today: string): boolean {
  const wanted = filters.split(/,(?=[a-z])/);
  const isMet = (want: string) => {
    const [name = "", value] = want.split("=");
    if (value === undefined) return reported.includes(name);
    const isDay = name === "after" || name === "before";
    return value.split("|").some((one) => {
      const day = isDay ? resolveDay(one, today) : one;
      return reported.some((have) => {
        const [own, found = ""] = have.split("=");
        const isNear = isDay && Math.abs(Date.parse(found) - Date.parse(day)) <= 86_400_000;
        return own === name && (found === day || isNear);
      });
    });
  };
  return reported.length === wanted.length && wanted.every(isMet);
}
