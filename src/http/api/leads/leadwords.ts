/**
 * The words of a lead. What comes in: facts of an account and a language. What goes out: its size,
 * its age and the reasons of its score, as a person would say them.
 * Invariant: nothing in the words that is not in the facts; the points of the reasons sum to the
 * score.
 */

import type { Explanation } from "../../../search/explain.ts";
import type { ScorePart } from "../../../search/score.ts";
import { wordFor } from "../../../text/amounts.ts";
import type { Language } from "../../../translate/notes.ts";

const SIZES: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  pt: {
    "00": "porte não informado",
    "01": "microempresa",
    "03": "empresa de pequeno porte",
    "05": "demais portes (média ou grande)",
  },
  en: {
    "00": "size not informed",
    "01": "micro company",
    "03": "small company",
    "05": "other sizes (medium or large)",
  },
};

/** A size in words; null where it is not known. */
export function sizeInWords(code: string | null, language: Language): string | null {
  return code === null ? null : (SIZES[language][code] ?? null);
}

/** Time from a date to another one (`YYYY-MM-DD`), in years and months; null for none. */
export function ageInWords(from: string | null, to: string, language: Language): string | null {
  if (from === null || from > to) return null;
  const [fromYear, fromMonth, fromDay] = numbersOf(from);
  const [toYear, toMonth, toDay] = numbersOf(to);
  const whole = (toYear - fromYear) * 12 + toMonth - fromMonth - (toDay < fromDay ? 1 : 0);
  const years = counted(Math.floor(whole / 12), WORDS[language].year);
  const months = counted(whole % 12, WORDS[language].month);
  const parts = [years, months].filter((part) => part !== "");
  return parts.length === 0 ? WORDS[language].new : parts.join(WORDS[language].and);
}

const WORDS = {
  pt: {
    year: ["ano", "anos"],
    month: ["mês", "meses"],
    and: " e ",
    new: "menos de um mês",
  },
  en: {
    year: ["year", "years"],
    month: ["month", "months"],
    and: " and ",
    new: "less than a month",
  },
} as const;

function numbersOf(date: string): [number, number, number] {
  return [Number(date.slice(0, 4)), Number(date.slice(5, 7)), Number(date.slice(8, 10))];
}

function counted(count: number, [one, more]: readonly [string, string]): string {
  return count === 0 ? "" : `${count} ${wordFor(count, one, more)}`;
}

/** What each part of a score rewards. */
const REASONS: Readonly<Record<Language, Readonly<Record<ScorePart | "sanction", string>>>> = {
  pt: {
    status: "situação cadastral",
    email: "tem e-mail",
    phone: "tem telefone",
    age: "tempo de atividade",
    recency: "abertura recente",
    size: "porte",
    capital: "capital social",
    activity: "atividade informada",
    headquarters: "é a matriz",
    sanction: "sanção em vigor",
  },
  en: {
    status: "registration status",
    email: "has an e-mail address",
    phone: "has a phone",
    age: "time in business",
    recency: "opened recently",
    size: "size",
    capital: "share capital",
    activity: "activity is known",
    headquarters: "is the head office",
    sanction: "sanction in force",
  },
};

/** The parts of a score that gave or took points, the largest first: "tem e-mail: +110". */
export function reasonsInWords({ parts }: Explanation, language: Language): string[] {
  return Object.entries(parts)
    .filter(([, points]) => points !== 0)
    .sort(([, one], [, other]) => Math.abs(other) - Math.abs(one))
    .map(([part, points]) => {
      const words = REASONS[language][part as ScorePart | "sanction"];
      return `${words}: ${points > 0 ? "+" : "−"}${Math.abs(points)}`;
    });
}
