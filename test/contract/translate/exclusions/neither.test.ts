/**
 * Proves: "que não sejam A ou B" and "exceto A ou B" exclude both A and B, in Portuguese and
 * English. A and B are tax regimes, branches, sizes, and statuses, in lists of two and three
 * elements, with and without "de". In "que não sejam nem A nem B", the two negations count as one,
 * both for one element and for several.
 * Does not prove how "não A ou B" without a verb is read, because it may request B.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { AccountQuerySpec } from "../../../../src/spec/schema.ts";
import { openProbe, type Probe } from "../../../support/translate/probe.ts";

let probe: Probe;
before(async () => {
  probe = await openProbe();
});
after(() => probe.close());

type Filters = AccountQuerySpec["filters"];

/** An element of a list in both languages. `isOut` returns true if a spec excludes it. */
interface Item {
  readonly phrases: readonly [pt: string, en: string];
  isOut(filters: Filters): boolean;
}

const ITEMS: readonly Item[] = [
  { phrases: ["MEI", "MEI"], isOut: ({ company }) => company.mei_opt_in === false },
  {
    phrases: ["do Simples", "in Simples"],
    isOut: ({ company }) => company.simples_opt_in === false,
  },
  {
    phrases: ["optantes do Simples", "in Simples Nacional"],
    isOut: ({ company }) => company.simples_opt_in === false,
  },
  { phrases: ["filiais", "branches"], isOut: ({ company }) => company.headquarters_only === true },
  {
    phrases: ["de grande porte", "large"],
    isOut: ({ company: { company_size_code_any_of: sizes } }) =>
      sizes.length > 0 && !sizes.includes("05"),
  },
  {
    phrases: ["baixadas", "closed"],
    isOut: ({ company: { registration_status_any_of: statuses } }) =>
      statuses.length > 0 && !statuses.includes(8),
  },
];
const NEGATORS = [
  ["que não sejam", "que não são", "exceto", "tirando", "que não é"],
  ["that are not", "except", "excluding"],
] as const;
/** Phrases with "nem" after another negation. */
const TWICE = {
  pt: ["que não sejam nem", "não sendo nem", "que não são nem", "sem ser nem", "não são nem"],
  es: ["que no sean ni", "que no son ni"],
} as const;
const SUBJECTS = ["padarias em Santos", "bakeries in Santos"] as const;

function* lists(): Generator<readonly Item[]> {
  for (const one of ITEMS) {
    for (const other of ITEMS) {
      if (one === other) continue;
      yield [one, other];
      for (const third of ITEMS) if (third !== one && third !== other) yield [one, other, third];
    }
  }
}

describe("alternatives that are both excluded", () => {
  for (const language of [0, 1] as const) {
    it(`are excluded by every negator: ${language === 0 ? "Portuguese" : "English"}`, () => {
      const wrong: string[] = [];
      let tried = 0;
      for (const items of lists()) {
        for (const negator of NEGATORS[language]) {
          const phrase = items.map((item) => item.phrases[language]);
          const or = language === 0 ? " ou " : " or ";
          const list = phrase.slice(0, -1).join(", ") + or + phrase.at(-1);
          const text = `${SUBJECTS[language]} ${negator} ${list}`;
          const { filters } = probe.spec(text);
          tried++;
          const isRight = items.every((item) => item.isOut(filters));
          if (!isRight || probe.unmapped(text).length > 0) wrong.push(text);
        }
      }
      assert.deepEqual(wrong, []);
      assert.ok(tried > 400, String(tried));
    });
  }

  it("are excluded by two negations of which one repeats the other", () => {
    const wrong: string[] = [];
    for (const [subject, negators, joint] of [
      ["padarias em Santos", TWICE.pt, "nem"],
      ["panaderías en Santos", TWICE.es, "ni"],
    ] as const) {
      for (const negator of negators) {
        const alone = ITEMS.map((item) => [item]);
        for (const items of [...alone, ...lists()]) {
          const list = items.map(({ phrases: [pt] }) => pt).join(` ${joint} `);
          const text = `${subject} ${negator} ${list}`;
          const isRight = items.every(({ isOut }) => isOut(probe.spec(text).filters));
          if (!isRight || probe.unmapped(text).length > 0) wrong.push(text);
        }
      }
    }
    assert.deepEqual(wrong, []);
  });

  for (const [text, isMei, isSimples] of [
    ["padarias MEI ou do Simples em Santos", true, true],
    ["padarias que não sejam MEI e do Simples em Santos", false, true],
  ] as const) {
    it(`are unchanged without a negation of both: ${text}`, () => {
      const { company } = probe.spec(text).filters;
      assert.deepEqual([company.mei_opt_in, company.simples_opt_in], [isMei, isSimples]);
    });
  }
});
