/**
 * The export dialog: makes one export of the query it was opened with, and shows its progress to
 * the end.
 * Invariant: refusals are shown before sending. Resending a request that may have arrived never
 * makes two exports. Closing the dialog does not stop the export.
 */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { CreatedExport, ExportView, Status } from "../app/answers.ts";
import { ApiError, get, post, remove } from "../app/api.ts";
import { errorText } from "../app/errortext.ts";
import { lazyWords } from "../app/lazywords.ts";
import { status as lastStatus } from "../app/status.ts";
import { words } from "../app/words.ts";
import { catalog } from "../find/catalog.ts";
import { exploration, query, sentence, wantedRows } from "../find/query.ts";
import { Skeleton } from "../parts/busy.tsx";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { ErrorNotice, Notice } from "../parts/notice.tsx";
import { toast } from "../parts/toast.tsx";
import { Choices } from "./choices.tsx";
import {
  bodyOf,
  type Draft,
  exportRowsMax,
  freshDraft,
  obstacleOf,
  SendingKeys,
  storeChoice,
} from "./draft.ts";
import { type Estimated, EstimateLine, NoEstimate, useEstimate } from "./estimate.tsx";
import { DownloadLink, ExportProgress } from "./progress.tsx";
import { summaryOf } from "./summary.ts";
import { follow, isEnded, presentState, unfollow } from "./watch.ts";

/** Shows the dialog, which is open while mounted. */
export function ExportForm({ onClose }: { onClose: () => void }): VNode {
  const form = useForm();
  const { exports } = lazyWords.value;
  const { record } = form;
  useEffect(() => focusStep(record === null), [record === null]);
  return (
    <Dialog
      open
      size="large"
      class="export-dialog"
      title={exports.dialogTitle}
      onClose={onClose}
      footer={
        record === null ? (
          <SendFooter form={form} onClose={onClose} />
        ) : (
          <RunFooter form={form} record={record} onClose={onClose} />
        )
      }
    >
      {record !== null ? <ExportProgress record={record} /> : <Body form={form} />}
    </Dialog>
  );
}

/** Focuses the first control of the next step, because the focused button has disappeared. */
function focusStep(choosing: boolean): void {
  if (document.activeElement !== document.body) return;
  const first = choosing ? "input:checked" : ".export-buttons [data-autofocus], a.button-primary";
  document.querySelector<HTMLElement>(`.export-dialog :is(${first})`)?.focus();
}

interface Form {
  status: Status | null;
  failed: unknown;
  load: () => void;
  draft: Draft | null;
  edit: (change: Partial<Draft>) => void;
  estimated: Estimated;
  sending: boolean;
  refused: unknown;
  send: () => Promise<void>;
  record: ExportView | null;
  again: () => void;
}

function useForm(): Form {
  const [initialQuery] = useState(() => query.peek());
  const [keys] = useState(() => new SendingKeys());
  const [record, setRecord] = useState<ExportView | null>(null);
  const [sending, setSending] = useState(false);
  const [refused, setRefused] = useState<unknown>(null);
  const { status, failed, load } = usePlan();
  const [draft, setDraft] = useState<Draft | null>(null);
  if (status !== null && draft === null) {
    setDraft(freshDraft(status, wantedRows.peek(), titleNow()));
  }
  const max = status === null ? 0 : exportRowsMax(status);
  const body = draft === null || status === null ? null : bodyOf(draft, initialQuery, max);
  const early = draft === null || status === null ? "plan" : obstacleOf(draft, status, null);
  const estimated = useEstimate(early === null && record === null ? body : null);
  const send = async () => {
    setSending(true);
    setRefused(null);
    try {
      const options = { idempotencyKey: keys.keyFor(body) };
      const created = await post<CreatedExport>("/exports", body, options);
      if (draft !== null) storeChoice(draft);
      follow(created.export);
      setRecord(created.export);
    } catch (error) {
      setRefused(error);
    } finally {
      setSending(false);
    }
  };
  const edit = (change: Partial<Draft>) => {
    setRefused(null);
    setDraft((old) => (old === null ? null : { ...old, ...change }));
  };
  const again = () => {
    keys.renew();
    setRecord(null);
    load();
  };
  return { status, failed, load, draft, edit, estimated, sending, refused, send, record, again };
}

/** Returns the search in words: the typed sentence, or else its filters. */
function titleNow(): string {
  const { answer } = exploration.peek();
  return sentence.peek() || (answer ? summaryOf(answer.spec, catalog.peek()) : "");
}

/** Loads the plan when the dialog opens, because each export changes its remaining rows. */
function usePlan() {
  const [status, setStatus] = useState<Status | null>(null);
  const [failed, setFailed] = useState<unknown>(null);
  const load = () => {
    setFailed(null);
    get<Status>("/status").then((answer) => {
      lastStatus.value = answer;
      setStatus(answer);
    }, setFailed);
  };
  useEffect(load, []);
  return { status, failed, load };
}

function Body({ form }: { form: Form }): VNode {
  const { status, draft, failed, load, edit, refused, estimated } = form;
  if (failed !== null) return <ErrorNotice error={failed} onRetry={load} />;
  if (status === null || draft === null) return <Skeleton lines={8} height={28} />;
  if (exportRowsMax(status) === 0) {
    return (
      <Notice kind="warn">
        <p>{lazyWords.value.exports.noExports}</p>
      </Notice>
    );
  }
  return (
    <>
      {refused !== null && <Refusal error={refused} />}
      <Choices
        draft={draft}
        status={status}
        edit={edit}
        columns={estimated.answer?.columns ?? []}
      />
    </>
  );
}

/** Shows the server's error, translated if it is known. */
function Refusal({ error }: { error: unknown }): VNode {
  const text = lazyWords.value.exports.errors[error instanceof ApiError ? error.code : ""];
  if (text === undefined) return <ErrorNotice error={error} />;
  return (
    <Notice kind="error">
      <p>{text}</p>
    </Notice>
  );
}

function SendFooter({ form, onClose }: { form: Form; onClose: () => void }): VNode {
  const { status, draft, estimated, sending, refused, edit } = form;
  const { exports } = lazyWords.value;
  const obstacle =
    status === null || draft === null ? "plan" : obstacleOf(draft, status, estimated.answer);
  return (
    <>
      {status === null || draft === null ? (
        <NoEstimate failed={form.failed !== null} />
      ) : (
        exportRowsMax(status) > 0 && (
          <EstimateLine draft={draft} status={status} estimated={estimated} edit={edit} />
        )
      )}
      <div class="export-buttons">
        <Button onClick={onClose}>{words.value.commands.cancel}</Button>
        <Button
          variant="primary"
          icon="download"
          busy={sending}
          aria-disabled={obstacle !== null}
          onClick={() => {
            if (obstacle === null) void form.send();
          }}
        >
          {sending ? exports.sending : refused === null ? exports.send : exports.retry}
        </Button>
      </div>
    </>
  );
}

interface RunFooterProps {
  form: Form;
  record: ExportView;
  onClose: () => void;
}

function RunFooter({ form, record: begun, onClose }: RunFooterProps): VNode {
  const { exports } = lazyWords.value;
  const { record, trouble } = presentState(begun);
  const [stopping, setStopping] = useState(false);
  const stop = async () => {
    setStopping(true);
    try {
      await remove(`/exports/${record.export_id}`);
      unfollow(record.export_id);
      toast(exports.stopped);
      form.again();
    } catch (error) {
      const known = exports.errors[error instanceof ApiError ? error.code : ""];
      toast(known ?? errorText(error), { kind: "error" });
      setStopping(false);
    }
  };
  if (isEnded(record) || trouble === "gone") {
    return (
      <div class="export-buttons">
        <Button onClick={form.again}>{exports.another}</Button>
        <Button onClick={onClose}>{exports.close}</Button>
        {record.status === "done" && trouble === null && (
          <DownloadLink record={record} primary autofocus />
        )}
      </div>
    );
  }
  // The key makes this a new element. Otherwise the button under the pointer would become another
  // button.
  return (
    <div key="running" class="export-buttons">
      <Button variant="quiet" busy={stopping} onClick={() => void stop()}>
        {exports.stop}
      </Button>
      <Button data-autofocus onClick={onClose}>
        {exports.keepRunning}
      </Button>
    </div>
  );
}
