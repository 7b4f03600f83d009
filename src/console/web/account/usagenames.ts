/**
 * Names in the usage view. What comes in: layers, measures, days. What goes out: what they are
 * called in the present language.
 * Invariant: nothing is without a name; days are days in UTC, as the server counts them.
 */

import { OTHER_SENDERS } from "../app/answers.ts";
import { number } from "../app/format.ts";
import { language } from "../app/language.ts";
import { laterWords } from "../app/laterwords.ts";
import type { Layer, Measure } from "./layers.ts";

/** What a layer is called; senders without a name say what they are. */
export function senderName(layer: Layer): string {
  const { usage } = laterWords.value;
  const [first] = layer.senders;
  if (layer.senders.length > 1) return usage.othersOf(number(layer.senders.length));
  if (first?.id === OTHER_SENDERS) return usage.others;
  if (first === undefined || first.name !== "") return first?.name ?? "";
  return first.kind === "key" ? usage.unnamedKey : usage.goneUser;
}

/** A measure as people call it. */
export function measureName(measure: Measure): string {
  const { usage } = laterWords.value;
  return { requests: usage.requests, accounts: usage.accounts, export_rows: usage.exportRows }[
    measure
  ];
}

/** A day in short; with its year where that is asked for. */
export function dayName(iso: string, withYear = false): string {
  const instant = new Date(`${iso}T00:00:00Z`);
  if (Number.isNaN(instant.getTime())) return iso;
  const year = withYear ? ({ year: "numeric" } as const) : {};
  const options = { day: "numeric", month: "short", timeZone: "UTC", ...year } as const;
  return new Intl.DateTimeFormat(language.value === "pt" ? "pt-BR" : "en-GB", options).format(
    instant,
  );
}
