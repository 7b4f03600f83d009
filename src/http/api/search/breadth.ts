/**
 * What comes in: a normalized spec and the filters that it lacks. What goes out: nothing, or the
 * refusal of a spec that is too broad.
 * Invariant: the refusal names the missing filters and the exact number of matches; searches and
 * exports refuse the same specs.
 */
import { AppError } from "../../../errors.ts";
import type { Segment } from "../../../search/segment.ts";
import type { AccountQuerySpec } from "../../../spec/schema.ts";
import type { Engine } from "../../server/service.ts";

/** A spec with the filters of which it lacks every one; null when it is narrow enough. */
interface Judged {
  readonly spec: AccountQuerySpec;
  readonly missing: readonly string[] | null;
  /** Pointer of what should have named the filters, where that is no spec. */
  readonly place?: string;
}

/** Throws `query_too_broad` for a spec without a filter that narrows it. */
export function refuseTooBroad(engine: Engine, segment: Segment, judged: Judged): void {
  const { spec, missing, place } = judged;
  if (missing === null) return;
  const filters = missing.map((name) => name.replace(/^filters\./, ""));
  const errors = missing.map((name) => ({
    pointer: place ?? `/spec/${name.replaceAll(".", "/")}`,
    code: "missing_filter",
    detail: "One filter of this kind would make the query narrow enough.",
  }));
  const detail = `Add at least one of these filters: ${filters.join(", ")}.`;
  const matches = engine.countMatches(segment, spec);
  throw new AppError("query_too_broad", detail, { errors, members: { matches } });
}
