/**
 * `GET /v1/console/companies/{root}/ownership`: the owners of a company and the companies that it
 * owns, each with one further step in the same direction.
 * Invariant: the size of an answer is bounded. A list has up to `NEAR` companies, and up to `FAR`
 * below each, with their totals. Names are those of the snapshot. Both directions are null if the
 * import did not read corporate partners.
 * Separate from the public route because that route answers only one step, in pages.
 */
import { AppError } from "../errors.ts";
import type { Reply } from "../http/server/routetable.ts";
import type { KeyCall } from "../http/server/service.ts";
import type { Ownership } from "../search/owners.ts";
import { currentSegment } from "../search/segment.ts";
import { readRootText } from "../spec/cnpj/cnpjspelling.ts";
import { typedAnswer } from "./typedanswer.ts";
import type { OwnedCompanies, OwnershipAnswer } from "./web/app/recordanswers.ts";

/** Max companies of the first step, and of the second step below each of them. */
const NEAR = 20;
const FAR = 10;

type Direction = keyof Ownership;

/** Answers with the owners and the owned companies, two steps deep. */
export function readOwnership(call: KeyCall<"engine" | "segment">): Reply {
  const segment = currentSegment(call.service);
  const root = readRootText(call.params.root ?? "");
  if (root === null) throw new AppError("not_found", "The path must have the root of a CNPJ.");
  call.spend(1);
  const near = call.service.engine.ownershipOf(segment, { root, limit: NEAR });
  const next = (direction: Direction): OwnedCompanies | null => {
    if (near === null) return null;
    const { companies, total } = near[direction];
    const below = (one: string) =>
      call.service.engine.ownershipOf(segment, { root: one, limit: FAR })?.[direction];
    return {
      total,
      companies: companies.map((one) => ({ ...one, next: listed(below(one.cnpj_root)) })),
    };
  };
  return typedAnswer<OwnershipAnswer>({
    request_id: call.requestId,
    snapshot: segment.label,
    snapshot_date: segment.snapshotDate,
    partners_snapshot: segment.provenance.partners_snapshot ?? null,
    ...{ owners: next("owners"), owns: next("owns") },
  });
}

function listed(found: Ownership[Direction] | undefined): OwnedCompanies {
  const { companies = [], total = 0 } = found ?? {};
  return { total, companies: companies.map((one) => ({ ...one, next: null })) };
}
