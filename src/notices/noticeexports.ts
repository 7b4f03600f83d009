/**
 * The exports that are made for notices. Input: a counted notice whose search requests an export.
 * Output: the export, created once for each notice, and the link to its file.
 * Invariant: the notice's id is the idempotency key of the export, so a repeated count after a
 * crash finds the same export. The tenant's usual limits and quotas for exports apply. If they
 * refuse the export, the notice is sent without a file and names the reason.
 */
import type { Plan, PlanName, Plans } from "../access/plans.ts";
import type { ChangeKind } from "../changes/kinds.ts";
import type { ChangePair } from "../changes/lists.ts";
import { changeCatalog } from "../changes/query.ts";
import { AppError } from "../errors.ts";
import type { Exporter } from "../export/exporter.ts";
import { signNoticeLink } from "../export/files/links.ts";
import { type ExportRecord, failureText } from "../export/record.ts";
import type { ListBinder } from "../lists/listbinding.ts";
import type { Clock } from "../process/clock.ts";
import { faultPoint } from "../process/fault.ts";
import type { Catalog } from "../spec/catalog.ts";
import { DEFAULT_FIELDS, type OutputField } from "../spec/fields.ts";
import { SPEC_LIMITS } from "../spec/limits.ts";
import { normalizeSpec } from "../spec/normalize.ts";
import { isJsonObject } from "../spec/reader.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import type { CountingRow, NoticeStore } from "../store/noticestore.ts";
import type { SecretRing } from "../store/secrets.ts";
import { unseenIn } from "../text/givenname.ts";
import type { NoticeCounts } from "./payload.ts";
import { rolledSpec } from "./rolling.ts";
import type { NoticeWork } from "./work.ts";

/** The export that a search requests with each notice, as stored. */
export interface SavedExport {
  readonly output: unknown;
  readonly kinds: readonly ChangeKind[];
  readonly limit: number | null;
}

/** An export that was created for a notice. */
export interface NoticeExport {
  readonly id: string;
}

interface NoticeExportParts {
  readonly store: NoticeStore;
  readonly work: Pick<NoticeWork, "fenced">;
  readonly exporter: Pick<Exporter, "create" | "settled">;
  readonly listed: ListBinder;
  readonly plans: Plans;
  readonly planOf: (row: CountingRow) => PlanName;
  readonly clock: Clock;
  /** Secrets that sign links. */
  readonly secrets: SecretRing;
}

/** Creates the exports of notices. */
export class NoticeExports {
  readonly #parts: NoticeExportParts;

  constructor(parts: NoticeExportParts) {
    this.#parts = parts;
  }

  /**
   * Returns the export of a notice. Creates the export if no earlier attempt has created it.
   * Returns `later` if the queue is full now, or the error if the export is refused.
   */
  make(
    row: CountingRow,
    { older, newer }: ChangePair,
    { counts, watch }: { readonly counts: NoticeCounts; readonly watch: readonly OutputField[] },
  ): NoticeExport | "later" | Pick<NoticeCounts, "export_error" | "export_problem"> {
    if (row.exportId !== null) return { id: row.exportId };
    const { exporter, listed, plans, planOf, store, work } = this.#parts;
    const plan = plans[planOf(row)];
    const savedExport = JSON.parse(row.export as string) as SavedExport;
    try {
      const output = titled(savedExport.output, { name: row.searchName, month: newer.label });
      const catalog = changeCatalog(older, newer);
      const saved = rolledSpec(JSON.parse(row.spec), row.daysFrom, newer.snapshotDate);
      const spec = exportSpec(JSON.stringify(saved), { ...savedExport, output }, { plan, catalog });
      const matches = savedExport.kinds.reduce((sum, kind) => sum + counts[kind], 0);
      faultPoint("count.before_export");
      const { record } = exporter.create({
        ...{ tenantId: row.tenantId, plan, spec, segment: newer },
        keyId: row.keyId ?? `user:${row.userId ?? ""}`,
        idempotencyKey: `notice:${row.id}`,
        bodyHash: row.id,
        changes: { older, kinds: savedExport.kinds, watch },
        lists: listed.pins(row.tenantId, spec),
        rows: Math.min(matches, spec.limit),
      });
      work.fenced(() => store.give(row.id, record.id));
      faultPoint("count.after_export");
      return { id: record.id };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const passes = ["rate_limited", "storage_full", "overloaded"].includes(error.code);
      return passes ? "later" : refusalOf(error);
    }
  }

  /**
   * Waits until an export ends. Returns the link to its file, or the reason why it has no file.
   * Returns null if the export has not ended after `waitMs`.
   */
  async ended(
    tenantId: string,
    { id }: NoticeExport,
    waitMs: number,
  ): Promise<Pick<NoticeCounts, "file" | "file_until" | "export_error" | "export_problem"> | null> {
    const { exporter, secrets } = this.#parts;
    try {
      const record = await exporter.settled(tenantId, id, waitMs);
      if (record.state === "failed") return failureOf(record);
      if (record.state !== "done" || record.expiresAtMs === null) return null;
      const until = new Date(record.expiresAtMs).toISOString();
      return { file: signNoticeLink(record, secrets), file_until: until };
    } catch (error) {
      // The tenant has deleted the export in the meantime.
      if (error instanceof AppError && error.status === 404) return refusalOf(error);
      throw error;
    }
  }
}

/** Returns why an export was refused, in the form that notices contain. */
function refusalOf({
  code,
  message,
}: AppError): Pick<NoticeCounts, "export_error" | "export_problem"> {
  return { export_error: code, export_problem: `The export was refused. ${message}` };
}

function failureOf({ failure }: Pick<ExportRecord, "failure">) {
  if (failure === null) return { export_error: "failed" };
  return { export_error: failure, export_problem: failureText(failure, null) };
}

/**
 * Names the file after its search and month. A title in the output replaces the search's name. The
 * month is always included, so that the files of two months have different names. Long names are
 * truncated.
 */
function titled(
  output: unknown,
  { name, month }: { readonly name: string; readonly month: string },
): unknown {
  const wanted = isJsonObject(output) ? output : {};
  if ("title" in wanted && typeof wanted.title !== "string") return output;
  const room = SPEC_LIMITS.titleLengthMax - month.length - 1;
  const whole = typeof wanted.title === "string" ? wanted.title : name;
  const own = whole
    .slice(0, room)
    .replace(/[\ud800-\udbff]$/, "")
    .trimEnd();
  const isPlain = own !== "" && unseenIn(own) === null;
  return { ...wanted, title: isPlain ? `${own} ${month}` : month };
}

/** Normalizes a saved spec for the export that its search requests. Throws `AppError`. */
export function exportSpec(
  saved: string,
  { output, limit }: Pick<SavedExport, "output" | "limit">,
  { plan, catalog }: { readonly plan: Plan; readonly catalog: Catalog },
): AccountQuerySpec {
  const read: unknown = JSON.parse(saved);
  const { explain: _, output: own, limit: __, ...input } = isJsonObject(read) ? read : {};
  const fields = isJsonObject(own) ? own.fields : undefined;
  const rows = plan.limits.export_rows;
  return normalizeSpec(
    { ...input, ...(fields === undefined ? {} : { output: { fields } }) },
    {
      ...{ catalog, listsKnown: true, fullAllowed: false, mode: "export" },
      ...{ limitDefault: rows, limitCap: rows, bodyLimit: limit ?? undefined, bodyOutput: output },
      ...{ allowedFields: plan.fields, defaultFields: DEFAULT_FIELDS },
    },
  ).spec;
}
