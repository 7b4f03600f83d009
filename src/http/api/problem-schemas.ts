/**
 * The shapes that answers of every kind have in common: where data is from, and what an error is;
 * a part of the table in schemas.ts. What comes in: nothing. What goes out: JSON Schemas by name.
 * Invariant: that of the whole table.
 */
import Type, { type TSchema } from "typebox";
import { ERROR_CODES } from "../../errors.ts";
import { EXPORT_FAILURES } from "../../export/record.ts";
import { CNPJ_REFUSALS } from "../../spec/cnpj/cnpjspelling.ts";
import { SPEC_SCHEMA } from "../../spec/schema.ts";
import { closed, count, label, named, requestId, text } from "../openapi/schema-parts.ts";

const problem = Type.Object({
  type: text("Address of the error's description."),
  title: text("The same for every error of this code."),
  status: Type.Integer({ minimum: 400, maximum: 599 }),
  code: Type.Enum(Object.keys(ERROR_CODES), { description: "Stable." }),
  detail: text("What to change, for people."),
  request_id: requestId,
  errors: Type.Optional(
    Type.Array(named("Mistake"), {
      maxItems: 50,
      description: "Every mistake in the request; every 422 has one at least.",
    }),
  ),
  matches: Type.Optional(count("Of query_too_broad: accounts that would have matched.")),
  spec: Type.Optional(
    named("Spec", "Of translation_uncertain: the spec that would have run; check it and search."),
  ),
  explain: Type.Optional({
    ...SPEC_SCHEMA.properties.explain,
    description: "Of translation_uncertain: what was and what was not understood.",
  } as TSchema),
  reason: Type.Optional(
    Type.Enum(Object.keys(EXPORT_FAILURES), { description: "Of EXPORT_FAILED: why it failed." }),
  ),
  changes_since: Type.Optional(
    Type.Array(label, { description: "Of since_not_available: the months that since may name." }),
  ),
  progress: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: "Of changes_preparing: how far it is." }),
  ),
});

const mistake = Type.Object({
  pointer: text(
    "Place in the body (RFC 6901); empty for the whole. Outside the body: /query/<parameter>, " +
      "/path/<variable>, /header/<name>.",
  ),
  code: Type.String(),
  detail: Type.String(),
  reason: Type.Optional(
    Type.Enum(Object.keys(CNPJ_REFUSALS), { description: "Of a CNPJ: why it is none." }),
  ),
  offered: Type.Optional(text("Of lost_zeros: the CNPJ with its zeros.")),
});

/** The schemas by name. */
export const SHARED_SCHEMAS = {
  Provenance: Type.Object(
    {
      rfb_snapshot: label,
      ibge_population_year: text("Year, or not_available."),
      ceis_as_of_date: text("Date, or not_available."),
    },
    closed,
  ),
  Problem: problem,
  Mistake: mistake,
} as const satisfies Readonly<Record<string, TSchema>>;
