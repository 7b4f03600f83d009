/**
 * Which form of a file a client takes. What comes in: its Accept-Encoding and the forms that there
 * are. What goes out: the smallest one that it takes (RFC 9110, section 12.5.3).
 * Invariant: a form that the client refuses is not chosen; the plain one always does, for an
 * answer that some client could not read is better than none for all.
 */

/** The forms of a file. */
export type Encoding = "br" | "gzip" | "identity";

/** Smallest first. */
const PREFERRED: readonly Encoding[] = ["br", "gzip", "identity"];

/** The form to send. */
export function acceptedEncoding(
  accepted: string | undefined,
  forms: readonly Encoding[],
): Encoding {
  const weights = weightsOf(accepted ?? "");
  const weightOf = (form: Encoding) =>
    weights.get(form) ?? (form === "identity" ? 0.0001 : (weights.get("*") ?? 0));
  let best: Encoding = "identity";
  let bestWeight = 0;
  for (const form of PREFERRED) {
    if (!forms.includes(form) || weightOf(form) <= bestWeight) continue;
    best = form;
    bestWeight = weightOf(form);
  }
  return best;
}

/** Weights by coding; what cannot be read counts as refused. */
function weightsOf(accepted: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const part of accepted.toLowerCase().split(",")) {
    const [coding = "", ...parameters] = part.split(";").map((text) => text.trim());
    const weight = parameters.find((text) => text.startsWith("q="))?.slice(2) ?? "1";
    weights.set(coding, /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? Number(weight) : 0);
  }
  return weights;
}
