/**
 * Proves that sentences about records of the registry and of public lists become exactly their
 * filters, in three languages, with every activity and place and in either order. The records are
 * closing dates, missing contacts, debts, sanctions, former tax regimes, and owners. If the
 * snapshot lacks the data, the sentence is refused with a message. Two conditions that no search
 * can combine are reported. Similar words with other meanings keep their meaning.
 * Does not prove: what the filters find (contract/search).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { runImport } from "../../../../src/cli/commands/import.ts";
import { writeSample } from "../../../../src/dump/sample/release.ts";
import { openSegment, type Segment } from "../../../../src/search/segment.ts";
import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES } from "../../../../src/spec/fields.ts";
import { normalizeSpec } from "../../../../src/spec/normalize.ts";
import { isUncertain } from "../../../../src/translate/confidence.ts";
import { type Translation, translate } from "../../../../src/translate/translate.ts";
import { writeDebts, writeSanctions } from "../../../support/dump/publiclists.ts";

type Filters = Readonly<Record<string, unknown>>;
type Language = "pt" | "en" | "es";

/**
 * Texts with the same meaning, the filters that they set, and a flag that is true if these filters
 * need imported lists.
 */
interface Saying {
  readonly texts: Readonly<Partial<Record<Language, readonly string[]>>>;
  readonly company?: Filters;
  readonly contact?: Filters;
  readonly needs?: true;
}

const CLOSED = { registration_status_any_of: [8] };
const LAST_3 = { ...CLOSED, status_since: "2026-07-10" };
const IN_2025 = { ...CLOSED, status_since: "2025-01-01", status_before: "2026-01-01" };
const THIS_YEAR = { ...CLOSED, status_since: "2026-01-01" };
/** Day on which the tax regime Simples Nacional began. It stands for "at any time" in filters. */
const EVER = "2007-07-01";

/** Dates are relative to the date of the snapshot, 2026-10-10. */
const SAYINGS: Readonly<Record<string, Saying>> = {
  "closed within months": {
    texts: {
      pt: ["fechadas nos últimos 3 meses", "que fecharam nos últimos 3 meses"],
      en: ["closed in the last 3 months"],
      es: ["cerradas en los últimos 3 meses"],
    },
    company: LAST_3,
  },
  "closed in a year": {
    texts: {
      pt: ["fechadas em 2025", "baixadas em 2025", "que encerraram em 2025"],
      en: ["closed in 2025", "shut down in 2025"],
      es: ["cerradas en 2025"],
    },
    company: IN_2025,
  },
  "closed this year": {
    texts: {
      pt: ["baixadas este ano", "que fecharam este ano"],
      en: ["closed this year"],
      es: ["cerradas este año"],
    },
    company: THIS_YEAR,
  },
  "unfit since": {
    texts: { pt: ["inaptas desde 2024"], en: ["unfit since 2024"] },
    company: { registration_status_any_of: [4], status_since: "2024-01-01" },
  },
  "closed for long": {
    texts: { pt: ["baixadas há mais de 2 anos"] },
    company: { ...CLOSED, status_before: "2024-10-10" },
  },
  "opened and closed": {
    texts: {
      pt: ["abertas em 2020 e fechadas em 2025"],
      en: ["opened in 2020 and closed in 2025"],
    },
    company: { ...IN_2025, started_after: "2020-01-01", started_before: "2021-01-01" },
  },
  "no e-mail": {
    texts: {
      pt: ["sem e-mail", "que não tenham e-mail"],
      en: ["without email", "that have no e-mail"],
      es: ["sin correo electrónico"],
    },
    contact: { missing_any_of: ["email"] },
  },
  "no phone": {
    texts: { pt: ["sem telefone"], en: ["without a phone"], es: ["sin teléfono"] },
    contact: { missing_any_of: ["phone"] },
  },
  "no contact": {
    texts: {
      pt: ["sem contato", "sem e-mail e sem telefone", "sem telefone nem e-mail"],
      en: ["without any contact"],
    },
    contact: { missing_any_of: ["any"] },
  },
  "no mobile": { texts: { pt: ["sem celular"] }, contact: { missing_any_of: ["mobile"] } },
  "a phone, no e-mail": {
    texts: { pt: ["com telefone e sem e-mail"], en: ["with phone and without email"] },
    contact: { require_phone: true, missing_any_of: ["email"] },
  },
  debts: {
    texts: {
      pt: ["com dívida ativa", "com dívida ativa da União", "inscritas em dívida ativa"],
      en: ["with federal debt", "with federal tax debts"],
      es: ["con deuda activa", "con deudas federales"],
    },
    company: { has_federal_debt: true },
    needs: true,
  },
  "debts from an amount": {
    texts: {
      pt: [
        "com dívida acima de 1 milhão",
        "com dívida ativa acima de R$ 1 milhão",
        "com mais de 1 milhão de dívida ativa",
        "com dívidas com a União superiores a R$ 1.000.000,00",
        "devendo mais de 1 milhão",
      ],
      en: ["with federal debt over 1 million", "with debts of at least R$ 1 million"],
      es: ["con deuda mayor a 1 millón", "con deuda activa de más de 1 millón"],
    },
    company: { federal_debt_min: 1_000_000 },
    needs: true,
  },
  "debts up to an amount": {
    texts: {
      pt: ["com dívida ativa de até 50 mil", "com dívida inferior a 50 mil reais"],
      en: ["with federal debt under 50k"],
      es: ["con deuda activa menor a 50 mil"],
    },
    company: { federal_debt_max: 50_000 },
    needs: true,
  },
  "debts between amounts": {
    texts: {
      pt: ["com dívida ativa entre 100 mil e 2 milhões", "com dívida entre 100 mil e 2 milhões"],
      en: ["with federal debt between 100 thousand and 2 million"],
    },
    company: { federal_debt_min: 100_000, federal_debt_max: 2_000_000 },
    needs: true,
  },
  "no debts": {
    texts: {
      pt: ["sem dívida ativa", "que não tenham dívida ativa"],
      en: ["without federal debt"],
      es: ["sin deuda activa"],
    },
    company: { has_federal_debt: false },
    needs: true,
  },
  "debts to the FGTS": {
    texts: {
      pt: ["com dívida de FGTS", "com débitos de FGTS", "devendo FGTS", "com dívida com o FGTS"],
      en: ["with FGTS debt", "with debts to the FGTS"],
      es: ["con deuda de FGTS", "con deudas con el FGTS"],
    },
    company: { federal_debt_any_of: ["fgts"] },
    needs: true,
  },
  "debts to social security": {
    texts: {
      pt: [
        "com dívida previdenciária",
        "com dívida ativa previdenciária",
        "com débitos com o INSS",
        "com dívida com a previdência social",
      ],
      en: ["with social security debts", "with debt to social security"],
      es: ["con deuda previsional", "con deudas con la seguridad social"],
    },
    company: { federal_debt_any_of: ["social_security"] },
    needs: true,
  },
  "other debts": {
    texts: { pt: ["com dívida não previdenciária", "com dívida ativa não previdenciária"] },
    company: { federal_debt_any_of: ["other"] },
    needs: true,
  },
  "debts of one kind or the other": {
    texts: {
      pt: ["com dívida de FGTS ou previdenciária", "com dívida previdenciária ou de FGTS"],
      en: ["with debt to the FGTS or to social security"],
    },
    company: { federal_debt_any_of: ["fgts", "social_security"] },
    needs: true,
  },
  "partners of more companies than": {
    texts: {
      pt: ["sócias de mais de 3 empresas", "com participação em mais de três outras empresas"],
      en: ["that own more than 3 companies", "with stakes in over 3 companies"],
      es: ["socias de más de 3 empresas", "con participación en más de 3 empresas"],
    },
    company: { owned_companies_min: 4 },
    needs: true,
  },
  "partners of companies from": {
    texts: {
      pt: ["sócias de 3 ou mais empresas", "que são sócias de pelo menos 3 empresas"],
      en: ["that own at least 3 other companies", "partners of 3 or more companies"],
    },
    company: { owned_companies_min: 3 },
    needs: true,
  },
  "partners of companies up to": {
    texts: { pt: ["sócias de até 2 empresas", "sócias de menos de 3 empresas"] },
    company: { owned_companies_min: 1, owned_companies_max: 2 },
    needs: true,
  },
  "partners of so many companies": {
    texts: { pt: ["sócias de 2 empresas"] },
    company: { owned_companies_min: 2, owned_companies_max: 2 },
    needs: true,
  },
  "owned by more companies than": {
    texts: {
      pt: ["com mais de 2 empresas sócias", "controladas por mais de 2 empresas"],
      en: ["owned by more than 2 companies"],
      es: ["controladas por más de 2 empresas"],
    },
    company: { owner_companies_min: 3 },
    needs: true,
  },
  "owned by companies between": {
    texts: {
      pt: ["com entre 2 e 5 empresas sócias", "controladas por entre 2 e 5 empresas"],
      en: ["owned by between 2 and 5 companies"],
    },
    company: { owner_companies_min: 2, owner_companies_max: 5 },
    needs: true,
  },
  cnep: {
    texts: {
      pt: ["punidas no CNEP", "que estão no CNEP", "punidas pela lei anticorrupção"],
      en: ["listed in the CNEP", "punished (CNEP)"],
      es: ["sancionadas en el CNEP"],
    },
    company: { sanction_any_of: ["cnep"] },
    needs: true,
  },
  "one list or the other": {
    texts: { pt: ["punidas (CNEP/CEIS)", "no CEIS ou no CNEP"], en: ["listed in CEIS or CNEP"] },
    company: { sanction_any_of: ["ceis", "cnep"] },
    needs: true,
  },
  sanctions: {
    texts: {
      pt: ["punidas", "com sanções", "sancionadas"],
      en: ["with sanctions"],
      es: ["sancionadas"],
    },
    company: { sanction_any_of: ["ceis", "cepim", "cnep"] },
    needs: true,
  },
  "left Simples": {
    texts: {
      pt: ["que saíram do Simples", "desenquadradas do Simples Nacional", "excluídas do Simples"],
      en: ["that left Simples", "that exited Simples Nacional"],
      es: ["que salieron del Simples"],
    },
    company: { simples_excluded_since: EVER },
  },
  "left MEI": {
    texts: {
      pt: ["que saíram do MEI", "que deixaram de ser MEI"],
      en: ["that left MEI"],
      es: ["que dejaron de ser MEI"],
    },
    company: { mei_excluded_since: EVER },
  },
  "left Simples in a year": {
    texts: {
      pt: ["que saíram do Simples em 2025", "excluídas do Simples em 2025"],
      en: ["that left Simples in 2025"],
    },
    company: { simples_excluded_since: "2025-01-01", simples_excluded_before: "2026-01-01" },
  },
  "left MEI within months": {
    texts: {
      pt: ["que saíram do MEI nos últimos 6 meses", "excluídas do MEI há menos de 6 meses"],
    },
    company: { mei_excluded_since: "2026-04-10" },
  },
  "left both": {
    texts: { pt: ["que saíram do Simples e do MEI desde 2024"] },
    company: { simples_excluded_since: "2024-01-01", mei_excluded_since: "2024-01-01" },
  },
  "owners of companies": {
    texts: {
      pt: ["com participação em outras empresas", "que são sócias de outras empresas"],
      en: ["that own other companies", "with stakes in other companies"],
      es: ["con participación en otras empresas"],
    },
    company: { owned_companies_min: 1 },
    needs: true,
  },
  "owned by companies": {
    texts: {
      pt: ["controladas por outras empresas", "que têm outra empresa como sócia"],
      en: ["owned by another company"],
      es: ["controladas por otra empresa"],
    },
    company: { owner_companies_min: 1 },
    needs: true,
  },
  owned: {
    texts: {
      pt: ["controladas por 33.000.167", "controladas pelo CNPJ 33.000.167/0001-01"],
      en: ["owned by 33000167", "controlled by 33.000.167"],
      es: ["controladas por 33.000.167"],
    },
    company: { owned_by_any_of: ["33000167"] },
    needs: true,
  },
  "owned by one of two": {
    texts: { pt: ["controladas por 33.000.167 ou 00.000.000/0001-91"] },
    company: { owned_by_any_of: ["00000000", "33000167"] },
    needs: true,
  },
};

const SUBJECTS: Readonly<Record<Language, readonly string[]>> = {
  pt: ["padarias", "dentistas", "lojas de tintas", "construtoras"],
  en: ["bakeries", "dentists"],
  es: ["panaderías", "farmacias"],
};
const PLACES: Readonly<Record<Language, readonly string[]>> = {
  pt: ["em Recife", "em MG", "no Paraná", "em São Paulo/SP", "no Nordeste"],
  en: ["in Recife", "in MG"],
  es: ["en Recife", "en MG"],
};

let root: string;
let full: Segment;
let bare: Segment;
before(async () => {
  root = mkdtempSync(join(tmpdir(), "records-"));
  const dump = join(root, "2026-10");
  await writeSample({ folder: dump, establishments: 3_000, seed: 5, label: "2026-10" });
  const row = [{ document: "11222333000181" }];
  const debt = [{ document: "11.222.333/0001-81", amount: "1.00" }];
  const lists = {
    ceis: writeSanctions(root, "ceis", row),
    cnep: writeSanctions(root, "cnep", row),
    cepim: writeSanctions(root, "cepim", row),
    pgfn: writeDebts(join(root, "pgfn"), { fgts: debt, social: debt, other: debt }),
  };
  const out = join(root, "full.peneira");
  await runImport(dump, { out, ...lists, corporatePartners: true, threads: "1" });
  await runImport(dump, { out: join(root, "bare.peneira"), threads: "1" });
  full = await openSegment(out);
  bare = await openSegment(join(root, "bare.peneira"));
});
after(() => {
  full?.close();
  bare?.close();
  rmSync(root, { recursive: true, force: true });
});

function filtersOf(text: string, segment = full) {
  const translation = translate(text, segment);
  const { spec } = normalizeSpec(translation.spec, {
    catalog: segment.catalog,
    limitDefault: 100,
    limitCap: 50_000,
    allowedFields: OUTPUT_FIELD_NAMES,
    defaultFields: DEFAULT_FIELDS,
    mode: "search",
    fullAllowed: false,
  });
  return { translation, filters: spec.filters };
}

const codesOf = ({ spec }: Translation) =>
  spec.explain.unmapped_constraints.map(({ code }) => code);

/** Yields a sentence for every phrase, subject, and place, and the same without the phrase. */
function* textsOf({ texts }: Saying): Generator<readonly [text: string, without: string]> {
  for (const [language, phrases] of Object.entries(texts) as [Language, readonly string[]][]) {
    for (const phrase of phrases) {
      for (const subject of SUBJECTS[language]) {
        for (const place of PLACES[language]) {
          yield [`${subject} ${phrase} ${place}`, `${subject} ${place}`];
          yield [`${subject} ${place} ${phrase}`, `${subject} ${place}`];
        }
      }
    }
  }
}

describe("records in sentences", () => {
  for (const [name, saying] of Object.entries(SAYINGS)) {
    it(`are exactly their filters: ${name}`, () => {
      let count = 0;
      const wrong: string[] = [];
      for (const [text, without] of textsOf(saying)) {
        count++;
        const { translation, filters } = filtersOf(text);
        const plain = filtersOf(without).filters;
        const expected = {
          ...plain,
          company: { ...plain.company, ...saying.company },
          contact: { ...plain.contact, ...saying.contact },
        };
        const { confidence } = translation.spec.explain;
        const codes = codesOf(translation);
        try {
          assert.deepEqual({ ...filters }, expected);
          assert.deepEqual(codes, []);
          assert.ok(!isUncertain(confidence), `confidence ${confidence}`);
        } catch (error) {
          wrong.push(`${text}: ${(error as Error).message.slice(0, 600)} ${codes}`);
        }
      }
      assert.ok(count >= 10);
      assert.deepEqual(wrong.slice(0, 5), [], `${wrong.length} of ${count}`);
    });
  }

  it("are refused in words, and do not run, if the snapshot lacks the input", () => {
    for (const [name, saying] of Object.entries(SAYINGS)) {
      if (saying.needs !== true) continue;
      for (const [text] of textsOf(saying)) {
        const translation = translate(text, bare);
        const [note] = translation.spec.explain.unmapped_constraints;
        assert.equal(note?.code, "not_imported", `${name}: ${text}`);
        assert.match(note?.detail ?? "", /--(ceis|cnep|cepim|pgfn|corporate-partners)/);
        assert.ok(isUncertain(translation.spec.explain.confidence), text);
      }
    }
  });

  it("are reported, and do not run, where no filter expresses them", () => {
    for (const [text, code] of [
      ["padarias em Recife sem sanções", "without_sanction"],
      ["padarias em Recife que não estão no CEIS", "without_sanction"],
      ["padarias em Recife no CEIS e no CNEP", "several_records"],
      ["padarias em Recife que saíram do Simples ou do MEI", "several_records"],
      ["padarias em Recife não controladas por 33.000.167", "not_owned"],
      ["padarias em Recife controladas por 33.000.167 e 00.000.000/0001-91", "several_records"],
      ["padarias em Recife sem dívida ativa acima de 1 milhão", "debt_amount"],
      ["padarias em Recife sem dívida acima de 1 milhão", "debt_amount"],
      ["padarias em Recife com dívida acima de 1 milhão e sem dívida ativa", "several_records"],
      ["padarias em Recife sem dívida ativa e com dívida acima de 1 milhão", "several_records"],
      ["padarias em Recife sem dívida de FGTS", "without_debt_kind"],
      ["padarias em Recife com dívida de FGTS e previdenciária", "several_records"],
      ["padarias em Recife com dívida de FGTS acima de 1 milhão", "debt_amount"],
      ["padarias em Recife que não são sócias de mais de 3 empresas", "not_owned"],
      ["padarias em Recife com dívida acima de 100.000.000.000.000", "debt_amount"],
      ["padarias em Recife com dívida ativa e sem dívida ativa", "several_records"],
    ] as const) {
      const translation = translate(text, full);
      assert.ok(codesOf(translation).includes(code), `${text}: ${codesOf(translation)}`);
      assert.ok(isUncertain(translation.spec.explain.confidence), text);
    }
  });

  it("leave dates of several statuses, of negated ones, and of other events to the notes", () => {
    for (const text of [
      "padarias ativas e baixadas em 2025 em Recife",
      "padarias em Recife não baixadas desde 2020",
      "padarias em Recife que faliram em 2025",
    ]) {
      const { translation, filters } = filtersOf(text);
      assert.ok(codesOf(translation).includes("other_date"), text);
      assert.equal(filters.company.status_since, undefined, text);
    }
  });

  it("are contradicted by the opposite contact, which the first one outweighs", () => {
    for (const text of ["padarias sem e-mail com e-mail", "padarias com telefone sem telefone"]) {
      assert.ok(codesOf(translate(`${text} em Recife`, full)).includes("contradiction"), text);
    }
  });

  it("stay other words: trades, places, and regimes of today", () => {
    for (const [text, check] of [
      ["padarias em União/PI", (f: Filters) => assert.ok(!JSON.stringify(f).includes("debt"))],
      [
        "padarias que não saíram do Simples em Recife",
        (f: Filters) => assert.ok(!JSON.stringify(f).includes("excluded")),
      ],
      [
        "padarias em Recife, excluídas as MEI",
        (f: Filters) => assert.equal((f.company as Filters).mei_opt_in, false),
      ],
      [
        "padarias abertas desde 2020 em Recife",
        (f: Filters) => assert.equal((f.company as Filters).status_since, undefined),
      ],
      ...[
        "padarias com dívida ativa e capital acima de 1 milhão em Recife",
        "padarias com capital acima de 1 milhão e dívida ativa em Recife",
        "padarias com dívida ativa com capital de pelo menos 1 milhão em Recife",
      ].map((text) => {
        const check = ({ company }: Filters) => {
          const { has_federal_debt, share_capital_min, federal_debt_min } = company as Filters;
          assert.deepEqual([has_federal_debt, share_capital_min], [true, 1_000_000], text);
          assert.equal(federal_debt_min, undefined, text);
        };
        return [text, check] as const;
      }),
      [
        "100 padarias com dívida ativa de mais de 5 anos em Recife",
        (f: Filters) => assert.equal((f.company as Filters).federal_debt_min, undefined),
      ],
      [
        "padarias com ou sem dívida ativa em Recife",
        (f: Filters) => assert.equal((f.company as Filters).has_federal_debt, undefined),
      ],
    ] as const) {
      check(filtersOf(text).filters as unknown as Filters);
    }
  });
});
