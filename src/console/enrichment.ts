/**
 * `POST /v1/console/enrich/preview`: reads a spreadsheet. Returns how it was parsed, the outcomes
 * of its CNPJs, and its first rows filled in with all fields of the plan. `POST
 * /v1/console/accounts/look-up`: returns the accounts of entries on screen.
 * Invariant: nothing is stored, and no rows are charged. The file is removed when the answer is
 * ready. The preview refuses the same mistakes as the enrichment. Tenants are scheduled in turn.
 * Separate from the route table because these handlers retain a snapshot and a file.
 */
import { previewEnrichment } from "../export/enrichment/preview.ts";
import { resultsOf } from "../http/api/enrichment/enrich.ts";
import { readInTurn, withSentFile } from "../http/api/enrichment/enrichfiles.ts";
import { readZeros } from "../http/api/lists/entryfiles.ts";
import { type ReadPart, whenReady } from "../http/server/body.ts";
import type { HttpAnswer } from "../http/server/respond.ts";
import type { Reply } from "../http/server/routetable.ts";
import type { SessionCall } from "../http/server/service.ts";
import { currentSegment } from "../search/segment.ts";
import { HEADINGS_PT } from "../spec/fields/headings.ts";
import { HEADINGS_EN } from "../spec/fields/headings-en.ts";
import type { LabelLanguage } from "../spec/fields/words.ts";
import { typedAnswer } from "./typedanswer.ts";
import type { Account, EnrichmentPreview } from "./web/app/answers.ts";
import type { LookUpAnswer } from "./web/app/listanswers.ts";

/** Previews the enrichment of a file. */
export function previewFile(
  call: SessionCall<"exporter" | "retain" | "segment">,
): Promise<HttpAnswer> {
  const { query, service, plan, identity } = call;
  const labels: LabelLanguage = query.get("labels") === "en" ? "en" : "pt";
  const { fields } = plan;
  const options = { fields, labels, fillZeros: readZeros(query), column: query.get("column") };
  call.spend(1);
  return withSentFile(call, async (sent) => {
    const { path } = await sent.end();
    const segment = currentSegment(service);
    const release = service.retain(segment);
    try {
      const preview = await readInTurn(identity.tenantId, () =>
        previewEnrichment({ segment, path, options }),
      );
      const headings = labels === "pt" ? HEADINGS_PT : HEADINGS_EN;
      return typedAnswer<EnrichmentPreview>({ request_id: call.requestId, headings, ...preview });
    } finally {
      release();
    }
  });
}

/** Looks up a page's entries, as POST /v1/enrich does. */
export function lookUpAccounts(call: SessionCall<"segment" | ReadPart>): Reply {
  return whenReady(resultsOf(call), ({ results }) =>
    typedAnswer<LookUpAnswer>({
      request_id: call.requestId,
      results: results.map(({ account }) => ({ account: account as Account | null })),
    }),
  );
}
