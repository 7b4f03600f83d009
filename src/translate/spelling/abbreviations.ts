/**
 * Short ways of typing: "c/ email", "q abriram dps de 2021". What comes in: a sentence. What goes
 * out: nothing; such words are read as those that they stand for.
 * Apart because it is a list of its own, read before any other stage.
 * Invariant: only what stands for one word whatever is around it; a letter with a slash is one
 * only where a word follows, so that "S/A" and "PE/PB" stay.
 */
import type { Sentence } from "../words/sentence.ts";

/** Words that are typed short, folded. */
const SHORT = new Map(
  (
    "q:que dps:depois vc:voce vcs:voces tbm:tambem tb:tambem hj:hoje pfv:favor pfvr:favor " +
    "obg:obrigado blz:oi qdo:quando qnt:quantas qtos:quantos qtas:quantas msm:mesmo"
  )
    .split(" ")
    .map((pair) => pair.split(":") as [string, string]),
);
/** Behind these "n" is no letter: "q n sejam mei". */
const VERBS = new Set(
  (
    "sejam seja sao e eh tenham tenha tem possuam possuem possui quero queremos precisa precisam " +
    "pode podem estejam esteja inclua incluir usem"
  ).split(" "),
);
/** Before these, "c" and "s" are "com" and "sem". */
const CONTACTS = new Set(
  (
    "tel telefone telefones fone email emails e mail celular celulares cel whats whatsapp zap " +
    "wpp contato contatos site fixo instagram"
  ).split(" "),
);
/** Letters before a slash. */
const SLASHED = new Map([
  ["c", "com"],
  ["s", "sem"],
  ["p", "para"],
]);

/** Reads what is typed short as what it stands for. */
export function readAbbreviations(sentence: Sentence): void {
  for (let at = 0; at < sentence.tokens.length; at++) {
    const { kind, folded } = sentence.tokens[at] ?? { kind: "mark", folded: "" };
    if (folded === "+" && isMore(sentence, at)) sentence.readAs(at, "mais");
    if (folded === "+" && isJoining(sentence, at)) sentence.readAs(at, "e");
    if (kind !== "word" || folded.length > 4) continue;
    const long = SHORT.get(folded);
    if (long !== undefined) sentence.readAs(at, long);
    if (folded === "n" && VERBS.has(sentence.folded(at + 1))) sentence.readAs(at, "nao");
    const slashed = SLASHED.get(folded);
    // "igrejas c telefone"
    const apart = !/\S/.test(sentence.text.charAt((sentence.tokens[at]?.start ?? 0) - 1));
    if (apart && folded !== "p" && slashed !== undefined && CONTACTS.has(sentence.folded(at + 1))) {
      sentence.readAs(at, slashed);
    }
    if (slashed === undefined || !isSlashed(sentence, at)) continue;
    // The slash is the word, so that it stands right before what it is said of.
    sentence.claim(at, at + 1, "filler");
    sentence.readAs(at + 1, slashed);
  }
}

/** "+ de 2 lojas", "+ 5 anos": what stands behind a number is "or more". */
function isMore({ tokens }: Sentence, at: number): boolean {
  const [before, next, number] = [tokens[at - 1], tokens[at + 1], tokens[at + 2]];
  return before?.kind !== "number" && next?.folded === "de" && number?.kind === "number";
}

/** "em Recife + celular", "no máximo 50 + celular"; not "3+ lojas". */
function isJoining({ tokens, text }: Sentence, at: number): boolean {
  const start = tokens[at]?.start ?? 0;
  const apart = at > 0 && /\s/.test(text.charAt(start - 1));
  return apart && CONTACTS.has(tokens[at + 1]?.folded ?? "");
}

/** "c/ email", "c/email"; not "C / D" and not "s/a". */
function isSlashed(sentence: Sentence, at: number): boolean {
  const [letter, slash, next] = [0, 1, 2].map((step) => sentence.tokens[at + step]);
  if (slash?.text !== "/" || letter?.end !== slash.start) return false;
  const more = next?.folded === "mais" || next?.folded === "+";
  return more || (next?.kind === "word" && next.text.length > 2);
}
