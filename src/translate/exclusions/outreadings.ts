/**
 * How both readings of an item behind an exclusion are written: "“MEI” também fica de fora?".
 * Input: what is left out and the item, as said. Output: the text of a note.
 * Invariant: a sentence is suggested only if it is read so: what no filter leaves out, such as a
 * legal nature or a contact, is said to have none.
 */
import type { Sentences } from "../notes.ts";
import type { Sentence } from "../words/sentence.ts";

/** What is left out, and the item behind it with the owner of its words. */
interface Unclear {
  readonly said: string;
  readonly item: string;
  readonly owner: string;
}

type Leads = readonly [wished: string, out: string];

/** What is left out up to a token, as it is repeated; empty if no filter takes it. */
export function saidOf(sentence: Sentence, from: number, last: number): string {
  return sentence.owner(last) === "unmapped" ? "" : sentence.words(from, last + 1).words;
}

/** How each of the two readings is written, or that no filter takes it. */
export function readingsOf({ said, item, owner }: Unclear): Sentences {
  const asked = [`“${item}” também fica de fora?`, `Is "${item}" left out as well?`];
  if (owner === "unmapped")
    return { pt: `${asked[0]} ${NEITHER.pt}`, en: `${asked[1]} ${NEITHER.en}` };
  const bare = bareOf(item, owner);
  const [[wishedPt, outPt], [wishedEn, outEn]] = leadsOf(owner);
  const [behind, before] = said === "" ? ["", ""] : [`, ${said}`, `${said}, `];
  const canBeOut = CAN_BE_OUT.has(owner);
  const pt = canBeOut ? `para excluir, “${before}${outPt}${bare}”.` : "para excluir não há filtro.";
  const en = canBeOut ? `to leave it out, "${before}${outEn}${bare}".` : "no filter leaves it out.";
  return {
    pt: `${asked[0]} Para exigir, diga “${wishedPt}${bare}${behind}”; ${pt}`,
    en: `${asked[1]} To require it, write "${wishedEn}${bare}${behind}"; ${en}`,
  };
}

const NEITHER = {
  pt: "Não há filtro para exigir nem para excluir isso.",
  en: "No filter requires it or leaves it out.",
};

/** Owners of what a filter can leave out. */
const CAN_BE_OUT: ReadonlySet<string> = new Set([
  ...["regime", "activity", "headquarters", "place", "size", "status", "capital", "date"],
]);

/** An item without the words that lead to it, which the sentences have of their own. */
function bareOf(item: string, owner: string): string {
  if (owner !== "contact" && owner !== "place") return item;
  const lead = /^(?:(?:[ao]s?|the|those|com|with|de|d[ao]s?|of|em|n[ao]s?|in|que t[eê]m) )+/i;
  return item.replace(lead, "");
}

/** What leads to an item that is wished, and to one that is left out, in each language. */
function leadsOf(owner: string): readonly [pt: Leads, en: Leads] {
  if (owner === "contact")
    return [
      ["com ", "sem "],
      ["with ", "without "],
    ];
  if (owner === "place")
    return [
      ["em ", "fora de "],
      ["in ", "outside "],
    ];
  return [
    ["", "exceto "],
    ["", "except "],
  ];
}
