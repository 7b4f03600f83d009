/**
 * Shows the estimate of an export: exact rows, approximate bytes, and obstacles with their
 * remedies.
 * Invariant: the last successful estimate stays until there is a newer one. An estimate for other
 * choices is never treated as current.
 */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ExportEstimate, Status } from "../app/answers.ts";
import { post } from "../app/api.ts";
import { bytes, hourOf, number } from "../app/format.ts";
import { lazyWords } from "../app/lazywords.ts";
import { Busy } from "../parts/busy.tsx";
import { Button } from "../parts/button.tsx";
import { type Draft, exportRowsMax, limitOf, obstacleOf } from "./draft.ts";

/** The quota counts UTC days. */
const DAY_MS = 86_400_000;

/** Debounce before choices are estimated. */
const SETTLE_MS = 250;

/** An estimate and its state. */
export interface Estimated {
  /** Estimate for exactly the current choices; null until known. */
  readonly answer: ExportEstimate | null;
  /** The last estimate, shown until `answer` is known. */
  readonly last: ExportEstimate | null;
  readonly failed: boolean;
}

/** Returns the estimate for a body that has not changed for a moment. Null sends nothing. */
export function useEstimate(body: Record<string, unknown> | null): Estimated {
  const text = body === null ? null : JSON.stringify(body);
  const [state, setState] = useState<{ text: string; answer: ExportEstimate | null } | null>(null);
  const [last, setLast] = useState<ExportEstimate | null>(null);
  useEffect(() => {
    if (text === null) return;
    const abort = new AbortController();
    const request = async () => {
      try {
        const options = { signal: abort.signal };
        const answer = await post<ExportEstimate>("/exports/estimate", JSON.parse(text), options);
        setLast(answer);
        setState({ text, answer });
      } catch {
        if (!abort.signal.aborted) setState({ text, answer: null });
      }
    };
    const timer = setTimeout(() => void request(), SETTLE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text]);
  const current = state !== null && state.text === text ? state : null;
  return {
    answer: current?.answer ?? null,
    last,
    failed: current !== null && current.answer === null,
  };
}

interface EstimateProps {
  readonly draft: Draft;
  readonly status: Status;
  readonly estimated: Estimated;
  readonly edit: (change: Partial<Draft>) => void;
}

/** Shows rows and size in one line, and remarks in a second line. */
export function EstimateLine({ draft, status, estimated, edit }: EstimateProps): VNode {
  const { exports } = lazyWords.value;
  const shown = estimated.answer ?? estimated.last;
  return (
    <div class="export-estimate" role="status">
      <p class={`export-sum${estimated.answer === null ? " export-old" : ""}`}>
        {shown === null ? (
          estimated.failed ? null : (
            <Busy inline label={exports.estimating} />
          )
        ) : (
          <>
            <strong>{lazyWords.value.exports.rows(shown.rows)}</strong>
            {`, ${exports.estimateBytes(bytes(shown.bytes))}`}
          </>
        )}
        {estimated.failed && exports.estimateFailed}
      </p>
      <Remark draft={draft} status={status} estimate={estimated.answer} edit={edit} />
    </div>
  );
}

/** Takes the place of the estimate while the plan loads, with the same height. */
export function NoEstimate({ failed }: { failed: boolean }): VNode {
  return (
    <div class="export-estimate" role="status">
      {!failed && <Busy inline label={lazyWords.value.exports.estimating} />}
    </div>
  );
}

interface RemarkProps {
  draft: Draft;
  status: Status;
  estimate: ExportEstimate | null;
  edit: (change: Partial<Draft>) => void;
}

/** The most important remark on the estimate. */
function Remark({ draft, status, estimate, edit }: RemarkProps): VNode | null {
  const { exports } = lazyWords.value;
  const obstacle = obstacleOf(draft, status, estimate);
  if (obstacle === "fields") return <p class="export-remark export-bad">{exports.fieldsNone}</p>;
  const left = status.usage.export_rows_left;
  if (estimate === null) return <QuotaLeft rows={left} />;
  if (obstacle === "format") {
    return <FormatRemark draft={draft} most={estimate.rows_max ?? 0} edit={edit} />;
  }
  if (obstacle === "quota" && left !== null) {
    return (
      <p class="export-remark export-bad">
        {exports.quotaShort(number(estimate.rows), number(left), quotaHour())}
        {left > 0 && <TakeFirst rows={left} edit={edit} />}
      </p>
    );
  }
  const text = remarkText(draft, status, estimate);
  return text === "" ? null : <p class="export-remark">{text}</p>;
}

/** Shows the remaining quota, known before the estimate, so that later content stays in place. */
function QuotaLeft({ rows }: { rows: number | null }): VNode | null {
  return rows === null ? null : <p class="export-remark">{quotaText(rows)}</p>;
}

function quotaText(rows: number): string {
  return lazyWords.value.exports.quotaLeft(number(rows), quotaHour());
}

function FormatRemark({
  draft,
  most,
  edit,
}: {
  draft: Draft;
  most: number;
  edit: (change: Partial<Draft>) => void;
}): VNode {
  const { exports } = lazyWords.value;
  const name = exports.formats[draft.format]?.[0] ?? draft.format;
  return (
    <p class="export-remark export-bad">
      {exports.tooManyForFormat(name, number(most))}
      <Button small onClick={() => edit({ format: "csv" })}>
        {exports.takeCsv}
      </Button>
      <TakeFirst rows={most} edit={edit} />
    </p>
  );
}

function TakeFirst({ rows, edit }: { rows: number; edit: (change: Partial<Draft>) => void }) {
  return (
    <Button small onClick={() => edit({ limit: String(rows) })}>
      {lazyWords.value.exports.takeFirst(number(rows))}
    </Button>
  );
}

/** Returns the local time at which the daily quota resets. */
export function quotaHour(): string {
  return hourOf(new Date(Math.ceil(Date.now() / DAY_MS) * DAY_MS));
}

function remarkText(draft: Draft, status: Status, estimate: ExportEstimate): string {
  const { exports } = lazyWords.value;
  const { rows, matches } = estimate;
  const parts: string[] = [];
  if (rows < matches) {
    const own = typeof limitOf(draft, exportRowsMax(status)) === "number";
    parts.push((own ? exports.limited : exports.capped)(number(rows), number(matches)));
  }
  const left = status.usage.export_rows_left;
  if (left !== null) parts.push(quotaText(left));
  return parts.join(" ");
}
