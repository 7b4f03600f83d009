/**
 * The progress of an export: its state, failure, or file, updated while shown.
 * Invariant: states are shown by words and icon; a failure is shown with its remedy.
 */
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import type { ExportView } from "../app/answers.ts";
import { bytes, dateTime, duration, number } from "../app/format.ts";
import { lazyWords } from "../app/lazywords.ts";
import { Progress } from "../parts/busy.tsx";
import { Icon } from "../parts/icon.tsx";
import { Notice } from "../parts/notice.tsx";
import { addViewer, fileOf, presentState, secondsLeft } from "./watch.ts";

/** Shows an export's full state in the dialog. */
export function ExportProgress({ record: begun }: { record: ExportView }): VNode {
  const present = presentState(begun);
  const { record, trouble } = present;
  const { exports } = lazyWords.value;
  useEffect(() => addViewer(begun.export_id), [begun.export_id]);
  return (
    <div class="export-progress">
      <p class="export-state" role="status">
        {stateText(record)}
      </p>
      <Bar record={record} />
      <p class="export-figures">{figuresOf(record, secondsLeft(present, Date.now()))}</p>
      {trouble === "lost" && (
        <Notice kind="warn">
          <p>{exports.pollFailed}</p>
        </Notice>
      )}
      {trouble === "gone" && (
        <Notice kind="error">
          <p>{exports.gone}</p>
        </Notice>
      )}
      {record.status === "failed" && <Failure record={record} />}
    </div>
  );
}

/** Progress bar. It is full when done, and always present, so that nothing moves. */
export function Bar({ record }: { record: ExportView }): VNode {
  const { status, progress = 0 } = record;
  const value = status === "done" ? 1 : status === "running" ? progress : null;
  if (status === "failed")
    return <Progress value={0} label={lazyWords.value.exports.progressLabel} />;
  return <Progress value={value} label={lazyWords.value.exports.progressLabel} />;
}

/** The state's name. */
export function stateText({ status, expired }: ExportView): string {
  const { exports } = lazyWords.value;
  return expired ? exports.expired : exports[status];
}

/** Returns the state in numbers. */
function figuresOf(record: ExportView, left: number | null): string {
  const { exports } = lazyWords.value;
  const { row_count: rows, size_bytes: size, expires_at: until } = record;
  if (record.status === "running") {
    const written = writtenText(record);
    return left === null ? written : `${written}, ${exports.left(duration(left))}`;
  }
  if (record.status === "queued") return exports.queuedHint;
  if (record.status === "failed") return "";
  const end = until === null ? "" : ` ${exports.until(dateTime(until))}`;
  return `${exports.doneRows(rows ?? 0, bytes(size ?? 0))}.${end}`;
}

/** Returns the number of rows written so far, and of all rows if known. */
export function writtenText({ rows_written: written = 0, progress = 0 }: ExportView): string {
  const { exports } = lazyWords.value;
  const all = progress > 0 ? number(Math.round(written / progress)) : null;
  return exports.rowsWritten(number(written), all);
}

function Failure({ record }: { record: ExportView }): VNode {
  return (
    <Notice kind="error" title={lazyWords.value.exports.failed}>
      <p>{failureText(record)}</p>
      <p class="export-id">{record.export_id}</p>
    </Notice>
  );
}

/** Returns the failure's message, translated if it is known. */
export function failureText({ error }: ExportView): string {
  const { failures, failed } = lazyWords.value.exports;
  return failures[error?.code ?? ""] ?? error?.detail ?? failed;
}

/** A link to the file, as a button. */
export function DownloadLink({
  record,
  primary,
  autofocus,
}: {
  record: ExportView;
  primary?: boolean;
  autofocus?: boolean;
}): VNode {
  return (
    <a
      class={`button ${primary ? "button-primary" : "button-secondary button-small"}`}
      href={fileOf(record)}
      download
      ref={(link) => {
        // The link takes the focus if no other element has it, because the button that had it
        // disappeared.
        if (autofocus && (document.activeElement ?? document.body) === document.body) link?.focus();
      }}
    >
      <Icon name="download" />
      <span class="button-label">{lazyWords.value.exports.download}</span>
    </a>
  );
}
