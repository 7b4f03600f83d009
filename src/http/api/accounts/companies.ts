/**
 * `GET /v1/companies/{root}`: the establishments of a company, by its root (the first 8 characters
 * of the CNPJ), with a cursor for further pages. Head offices come first, then branches by CNPJ.
 * Invariant: the pages together contain each establishment exactly once. A cursor is valid only for
 * its company, fields, snapshot, and tenant.
 */
import Type from "typebox";
import { AppError, type Mistake } from "../../../errors.ts";
import type { CompanyRequest } from "../../../search/finding.ts";
import type { Ownership } from "../../../search/owners.ts";
import type { Segment } from "../../../search/segment.ts";
import { currentSegment } from "../../../search/segment.ts";
import { sha256 } from "../../../sha256.ts";
import { readCnpjText, readRootText } from "../../../spec/cnpj/cnpjspelling.ts";
import {
  type CursorScope,
  claimsSnapshot,
  decodeCursor,
  encodeCursor,
} from "../../../spec/cursor.ts";
import { EXAMPLE_ACCOUNT, EXAMPLE_END, EXAMPLE_HEAD } from "../../openapi/examples.ts";
import { costOf } from "../../server/admission.ts";
import { readWhole, refuseQueryMistakes } from "../../server/query.ts";
import { type ShapedAnswer, unchanged, weakTag } from "../../server/respond.ts";
import type { Reply } from "../../server/routetable.ts";
import type { QueryContext } from "../../server/service.ts";
import { type ApiRoute, CURSOR_ERRORS, IF_NONE_MATCH, route, SNAPSHOT_ERRORS } from "../route.ts";
import { allowedFieldsHash, tookMs } from "../search/page-answer.ts";
import { withRetainedSegment } from "../search/search.ts";
import { answer } from "../typed-answer.ts";

const LIMIT_MAX = 500;
const LIMIT_DEFAULT = 100;

type CompanyPart = "clock" | "engine" | "retain" | "replaced" | "secrets" | "segment" | "telemetry";
type CompanyCall = QueryContext<CompanyPart> & { readonly query: ReadonlyMap<string, string> };

/** The routes of companies. */
export const COMPANY_ROUTES: readonly ApiRoute[] = [
  route({
    method: "GET",
    path: "/v1/companies/{root}",
    access: "key",
    sheds: "last",
    id: "readCompany",
    tag: "accounts",
    summary: "List the establishments of a company",
    description:
      "Every account whose CNPJ begins with these 8 characters, with every field of the plan: " +
      "head offices first, then ascending by CNPJ. If the import read corporate partners, also " +
      "the companies that are its partners (owners), and those of which it is one (owns), as " +
      "many of each as limit.",
    parameters: [
      {
        name: "root",
        in: "path",
        required: true,
        description: "The first 8 characters of a CNPJ, with or without points, in any case.",
        schema: Type.String(),
        example: "11222333",
      },
      {
        name: "limit",
        in: "query",
        required: false,
        description: "Establishments of a page.",
        schema: Type.Integer({ minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT }),
      },
      {
        name: "cursor",
        in: "query",
        required: false,
        description: "next_cursor of the page before.",
        schema: Type.String(),
      },
      {
        name: "owners_after",
        in: "query",
        required: false,
        description: "next of the owners before.",
        schema: Type.String(),
      },
      {
        name: "owns_after",
        in: "query",
        required: false,
        description: "next of the owned companies before.",
        schema: Type.String(),
      },
      IF_NONE_MATCH,
    ],
    answers: {
      200: {
        description: "One page.",
        schema: "CompanyAnswer",
        example: () => ({
          ...EXAMPLE_HEAD,
          ...{ cnpj_root: "11222333", accounts: [EXAMPLE_ACCOUNT], ...EXAMPLE_END },
          ...{ owners: null, owns: null },
          ...{ total: 1, took_ms: 0.214 },
        }),
        headers: ["ETag"],
        sometimes: ["Link"],
      },
      304: { description: "It is unchanged.", schema: null, types: [], headers: ["ETag"] },
    },
    errors: ["not_found", ...CURSOR_ERRORS, ...SNAPSHOT_ERRORS],
    handle: readCompany,
  }),
];

/** Returns one page of a company's establishments. */
export function readCompany(call: CompanyCall): Reply<ShapedAnswer<"CompanyAnswer">> {
  const startMs = call.service.clock.monotonicMs();
  const segment = segmentFor(call);
  return companyPage(call, segment, startMs);
}

/** Returns the current snapshot. If the cursor began on the previous snapshot, returns that one. */
function segmentFor({ service, query }: CompanyCall): Segment {
  const cursor = query.get("cursor");
  const current = currentSegment(service);
  if (cursor === undefined) return current;
  const replaced = service.replaced((id) => claimsSnapshot(cursor, id));
  return replaced === null || replaced.native.poisoned() ? current : replaced;
}

function companyPage(
  call: CompanyCall,
  segment: Segment,
  startMs: number,
): Reply<ShapedAnswer<"CompanyAnswer">> {
  const { service, plan, query } = call;
  const root = rootOf(call);
  const mistakes: Mistake[] = [];
  const limit = readWhole(query, "limit", [1, LIMIT_MAX], mistakes) ?? LIMIT_DEFAULT;
  const ownersAfter = readAfter(query, "owners_after", mistakes);
  const ownsAfter = readAfter(query, "owns_after", mistakes);
  refuseQueryMistakes(mistakes);
  call.spend(costOf({ limit }));
  const scope = scopeOf(call, segment, root);
  const cursor = query.get("cursor");
  const secrets = service.secrets.cursor;
  const afterRow = cursor === undefined ? -1 : decodeCursor(cursor, scope, secrets);
  const { fields } = plan;
  const parts = [segment.snapshotId, root, String(limit), String(afterRow), fields.join()];
  const tag = weakTag(["company", ...parts, ownersAfter ?? "", ownsAfter ?? ""]);
  const known = unchanged(call, tag);
  if (known !== null) return known;
  const wanted = { root, limit, afterRow, fields };
  const after = { ownersAfter, ownsAfter };
  const ownership = service.engine.ownershipOf(segment, { root, limit, ...after });
  const request = { segment, wanted, ownership, scope, tag, startMs };
  return withRetainedSegment(call, segment, answerFound(call, request));
}

async function answerFound(
  call: CompanyCall,
  request: {
    readonly segment: Segment;
    readonly wanted: CompanyRequest;
    readonly ownership: Ownership | null;
    readonly scope: CursorScope;
    readonly tag: string;
    readonly startMs: number;
  },
): Promise<ShapedAnswer<"CompanyAnswer">> {
  const { service } = call;
  const { segment, wanted, ownership, scope, tag, startMs } = request;
  const { root, limit } = wanted;
  const page = await service.engine.establishments(segment, wanted, call.identity.tenantId);
  service.telemetry.engine("account", service.clock.monotonicMs() - startMs);
  if (page.total === 0) {
    const detail = `The snapshot ${segment.label} has no company with this root.`;
    throw new AppError("not_found", detail);
  }
  const { lastRow } = page;
  const next = page.more ? encodeCursor({ ...scope, lastRow }, service.secrets.cursor) : null;
  const value = {
    request_id: call.requestId,
    snapshot: segment.label,
    snapshot_date: segment.snapshotDate,
    provenance: segment.provenance,
    ...{ cnpj_root: root, accounts: page.accounts, next_cursor: next, has_more: page.more },
    ...{ owners: ownership?.owners ?? null, owns: ownership?.owns ?? null },
    ...{ total: page.total, took_ms: tookMs(service.clock, startMs) },
  };
  // Roots and base64url cursors need no encoding.
  const link = `</v1/companies/${root}?limit=${limit}&cursor=${next}>; rel="next"`;
  const headers = { ETag: tag, ...(next === null ? {} : { Link: link }) };
  return answer("CompanyAnswer", value, { headers, accounts: page.accounts.length });
}

/** Reads the root after which a list of companies continues. */
function readAfter(
  query: ReadonlyMap<string, string>,
  name: string,
  mistakes: Mistake[],
): string | undefined {
  const sent = query.get(name);
  if (sent === undefined) return undefined;
  const root = readRootText(sent);
  if (root !== null) return root;
  const detail = "Must be next of the answer before: the 8 characters of a root.";
  mistakes.push({ pointer: `/query/${name}`, code: "invalid_cnpj_root", detail });
  return undefined;
}

function rootOf({ params }: CompanyCall): string {
  const sent = params.root ?? "";
  const root = readRootText(sent);
  if (root !== null) return root;
  const reading = readCnpjText(sent);
  const detail =
    "The path must end with the root of a CNPJ: its first 8 characters, with or without points, " +
    "such as 11.222.333. An account is at /v1/accounts/{cnpj}.";
  const why = reading.kind === "refused" ? { reason: reading.reason } : {};
  const errors = [{ pointer: "/path/root", code: "invalid_cnpj_root", detail, ...why }];
  throw new AppError("invalid_request", detail, { errors });
}

function scopeOf({ identity, plan }: CompanyCall, segment: Segment, root: string): CursorScope {
  return {
    snapshotId: segment.snapshotId,
    specHash: sha256(root).toString("hex"),
    fieldsHash: allowedFieldsHash(plan),
    binding: [identity.tenantId, "companies"],
  };
}
