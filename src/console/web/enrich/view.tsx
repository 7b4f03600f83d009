/**
 * The view that fills in a spreadsheet: takes a file or pasted CNPJs, shows how they were parsed
 * and the first rows filled in, and makes the whole file.
 * Invariant: nothing is charged before the user has seen the cost and started. Only an answer for
 * the current file and column is shown, never an older one. Resending a request that may have
 * arrived makes no second file.
 */
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { CreatedEnrichment, EnrichmentPreview, ExportView, Status } from "../app/answers.ts";
import { ApiError, get, upload } from "../app/api.ts";
import { bytes } from "../app/format.ts";
import { lazyWords } from "../app/lazywords.ts";
import { Link } from "../app/router.ts";
import { exportRowsMax, SendingKeys } from "../exports/draft.ts";
import { DownloadLink, ExportProgress } from "../exports/progress.tsx";
import { follow, presentState } from "../exports/watch.ts";
import { Busy } from "../parts/busy.tsx";
import { Button } from "../parts/button.tsx";
import { TextInput } from "../parts/field.tsx";
import { Icon } from "../parts/icon.tsx";
import { ErrorNotice, Notice } from "../parts/notice.tsx";
import { Card, Page } from "../parts/page.tsx";
import {
  choiceFor,
  type FillChoice,
  fileQuery,
  labelsOf,
  previewQuery,
  type Reading,
  storeChoice,
  storedChoice,
} from "./choice.ts";
import { Choices, StartBar } from "./choices.tsx";
import { FirstRows, Understood } from "./preview.tsx";
import { givePasted, type SentSheet, sentSheet, typedFile } from "./sent.ts";

/** The view. */
export function EnrichView(): VNode {
  const { enrich } = lazyWords.value;
  const sheet = sentSheet.value;
  const [status, setStatus] = useState<Status | null>(null);
  const [failed, setFailed] = useState<unknown>(null);
  const load = () => {
    setFailed(null);
    get<Status>("/status").then(setStatus, setFailed);
  };
  useEffect(load, []);
  const another = (
    <Button icon="refresh" onClick={() => (sentSheet.value = null)}>
      {enrich.another}
    </Button>
  );
  const isClosed = status !== null && exportRowsMax(status) === 0;
  return (
    <Page wide title={enrich.title} lead={enrich.lead} actions={sheet === null ? null : another}>
      {failed !== null && <ErrorNotice error={failed} onRetry={load} />}
      {isClosed && (
        <Notice kind="warn">
          <p>{lazyWords.value.exports.noExports}</p>
        </Notice>
      )}
      {status !== null && !isClosed && sheet !== null && (
        <Filling key={keyOf(sheet)} sheet={sheet} status={status} reload={load} />
      )}
      {!isClosed && sheet === null && <Giving />}
    </Page>
  );
}

let given = 0;
const KEYS = new WeakMap<SentSheet, number>();

/**
 * Returns a different component key for each file. Preact then keeps no state of the previous file.
 */
function keyOf(sheet: SentSheet): number {
  const known = KEYS.get(sheet) ?? ++given;
  KEYS.set(sheet, known);
  return known;
}

/** Lets the user choose a file or paste CNPJs. */
function Giving(): VNode {
  const { enrich } = lazyWords.value;
  const [pasted, setPasted] = useState("");
  const [missing, setMissing] = useState(false);
  const choose = async (file: File | undefined) => {
    if (file !== undefined) sentSheet.value = { file: await typedFile(file), name: file.name };
  };
  const take = () => {
    if (!givePasted(pasted)) setMissing(true);
  };
  return (
    <div class="enrich-giving">
      <label class="enrich-drop">
        <input
          type="file"
          class="visually-hidden"
          accept=".xlsx,.csv,.txt,.tsv"
          onChange={(event) => void choose(event.currentTarget.files?.[0])}
        />
        <Icon name="table" size={28} />
        <span class="enrich-drop-title">{enrich.drop}</span>
        <span class="button button-secondary">{enrich.choose}</span>
        <span class="field-hint">{enrich.chooseHint}</span>
      </label>
      <div class="enrich-paste">
        <label class="field-label" for="enrich-paste">
          {enrich.paste}
        </label>
        <textarea
          id="enrich-paste"
          class="lists-paste mono"
          rows={6}
          spellcheck={false}
          value={pasted}
          aria-invalid={missing ? "true" : undefined}
          aria-describedby="enrich-paste-hint"
          onInput={(event) => {
            setMissing(false);
            setPasted(event.currentTarget.value);
          }}
        />
        <p id="enrich-paste-hint" class={missing ? "field-error" : "field-hint"}>
          {missing ? enrich.pasteMissing : enrich.pasteHint}
        </p>
        <Button onClick={take}>{enrich.usePasted}</Button>
      </div>
    </div>
  );
}

interface FillingProps {
  sheet: SentSheet;
  status: Status;
  /** Loads the plan again, because its remaining quota has changed. */
  reload: () => void;
}

function Filling({ sheet, status, reload }: FillingProps): VNode {
  const { enrich } = lazyWords.value;
  const [chosen, setChosen] = useState<FillChoice>(() => storedChoice(status.field_allowlist));
  const choice = choiceFor(chosen, sheet.name === "");
  const [reading, read] = useState<Reading>({ column: null, fillZeros: false });
  const previewed = usePreview(sheet, reading, choice);
  const started = useStart({ sheet, chosen, reading, reload });
  const { preview, error, busy } = previewed;
  if (started.record !== null) return <Making record={started.record} />;
  return (
    <>
      <p class="enrich-file">
        <strong>{sheet.name === "" ? enrich.pasted : sheet.name}</strong>
        <span class="sub">{bytes(sheet.file.size)}</span>
        {busy && <Busy inline label={enrich.reading} />}
      </p>
      {error !== null && (
        <NotRead error={error} onColumn={(column) => read({ ...reading, column })} />
      )}
      {preview !== null && (
        <>
          <Understood preview={preview} reading={reading} read={read} />
          <FirstRows preview={preview} choice={choice} />
          <Choices status={status} preview={preview} choice={choice} onChoice={setChosen} />
          {started.error !== null && <ErrorNotice error={started.error} />}
          <StartBar
            {...{ status, preview, choice }}
            busy={started.busy}
            stale={busy}
            onStart={() => void started.start()}
          />
        </>
      )}
    </>
  );
}

interface Previewed {
  /** The answer for the current file and options; null until it arrives. */
  readonly preview: EnrichmentPreview | null;
  readonly error: unknown;
  readonly busy: boolean;
}

function usePreview({ file }: SentSheet, reading: Reading, choice: FillChoice): Previewed {
  const query = previewQuery(reading, labelsOf(choice));
  const [state, setState] = useState<Omit<Previewed, "busy"> & { readonly of: string }>();
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    upload<EnrichmentPreview>(`/enrich/preview?${query}`, file, { signal }).then(
      (preview) => setState({ of: query, preview, error: null }),
      (error: unknown) => {
        if (!signal.aborted) setState({ of: query, preview: null, error });
      },
    );
    return () => abort.abort();
  }, [file, query]);
  const busy = state?.of !== query;
  return { preview: state?.preview ?? null, error: busy ? null : (state?.error ?? null), busy };
}

interface StartParts {
  sheet: SentSheet;
  chosen: FillChoice;
  reading: Reading;
  reload: () => void;
}

function useStart({ sheet, chosen, reading, reload }: StartParts) {
  const keys = useRef(new SendingKeys());
  const [record, setRecord] = useState<ExportView | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const start = async () => {
    setBusy(true);
    setError(null);
    storeChoice(chosen);
    const name = sheet.name === "" ? lazyWords.peek().enrich.pasted : sheet.name;
    const query = fileQuery(choiceFor(chosen, sheet.name === ""), reading, name);
    try {
      const options = { idempotencyKey: keys.current.keyFor(query) };
      const made = await upload<CreatedEnrichment>(`/enrich/files?${query}`, sheet.file, options);
      const begun = await get<ExportView>(`/exports/${made.export.export_id}`);
      follow(begun);
      setRecord(begun);
    } catch (failure) {
      setError(failure);
      reload();
    } finally {
      setBusy(false);
    }
  };
  return { record, busy, error, start };
}

/** Shows why the file was not read. The user may choose another column. */
function NotRead({ error, onColumn }: { error: unknown; onColumn: (column: string) => void }) {
  const { enrich } = lazyWords.value;
  const [column, setColumn] = useState("");
  const isFile = error instanceof ApiError && error.errors.some(isUnreadable);
  return (
    <>
      <ErrorNotice title={enrich.notRead} error={error} />
      {isFile && (
        <form
          class="enrich-column"
          onSubmit={(event) => {
            event.preventDefault();
            if (column.trim() !== "") onColumn(column.trim());
          }}
        >
          <TextInput
            label={enrich.column}
            hint={enrich.columnHint}
            value={column}
            onValue={setColumn}
          />
          <Button type="submit">{enrich.readAgain}</Button>
        </form>
      )}
    </>
  );
}

function isUnreadable({ code }: { readonly code: string }): boolean {
  return code === "unreadable_file";
}

/** Shows the progress of the file, then its download. */
function Making({ record: begun }: { record: ExportView }): VNode {
  const { enrich } = lazyWords.value;
  const { record, trouble } = presentState(begun);
  return (
    <Card title={enrich.making}>
      <ExportProgress record={begun} />
      <div class="enrich-done">
        {record.status === "done" && trouble === null && (
          <DownloadLink record={record} primary autofocus />
        )}
        <Link view="exports">{enrich.inExports}</Link>
      </div>
    </Card>
  );
}
