/**
 * What an operation is in words, and what many of them share. What comes in: nothing. What goes
 * out: the shape of a row of the table of operations, groups of error codes, a parameter.
 * Invariant: a group names codes that all routes of its kind can give, and no other.
 */
import Type, { type TSchema } from "typebox";
import type { ErrorCode } from "../../errors.ts";
import type { SchemaName } from "../api/schemas.ts";
import { costOf, PER_UNIT } from "../server/cost.ts";

/** One parameter of a path, a query or a header. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description: string;
  readonly schema: TSchema;
  readonly example?: string | number;
}

/** One answer of success; `schema` is null for answers without a JSON body. */
export interface OperationAnswer {
  readonly description: string;
  readonly schema: SchemaName | null;
  /** Media types where it is not JSON; none for no body at all. */
  readonly types?: readonly string[];
  /** Headers beside those that every answer has, and those that only some have. */
  readonly headers?: readonly string[];
  readonly sometimes?: readonly string[];
}

/** One route in words. */
export interface Operation {
  readonly id: string;
  readonly tag: "accounts" | "changes" | "exports" | "spec" | "service";
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly body?: { readonly schema: SchemaName; readonly example: unknown };
  readonly answers: Readonly<Record<number, OperationAnswer>>;
  readonly errors: readonly ErrorCode[];
}

const { accounts, values, facets, characters, places, bytes } = PER_UNIT;

/** What a question costs of the key's rate limit beside its page. */
const QUESTION_COST =
  `one more for every ${values} values in lists, every ${facets} facets, every ${characters} ` +
  `characters of a sentence or of names of activities, every ${places} of names of places, and ` +
  `every ${bytes} bytes of the body`;
const COST_MAX = "No request costs more than the key's burst.";

/** What a page costs of the key's rate limit. */
export const PAGE_COST =
  `Counts as 1 request, and 1 more for every ${accounts} of the limit: 1 for 100, ` +
  `${costOf({ limit: 50_000 })} for 50000; ${QUESTION_COST}. ${COST_MAX}`;

/** What a question without a page costs. */
export const LISTS_COST = `Counts as 1 request; ${QUESTION_COST}. ${COST_MAX}`;

/** What any request with a body can be answered with. */
export const BODY_ERRORS = ["payload_too_large", "unsupported_media_type"] as const;

/** What any question to the engine can be answered with. */
export const SNAPSHOT_ERRORS = ["snapshot_unavailable", "overloaded"] as const;

/** What any request with a spec can be answered with. */
export const SPEC_ERRORS = [
  "invalid_spec",
  "field_not_allowed",
  "secondary_cnae_mode_not_allowed",
] as const;

/** The condition of every answer that has a tag. */
export const unchanged: Parameter = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "ETag of an earlier answer; 304 when it is still the same.",
  schema: Type.String(),
};
