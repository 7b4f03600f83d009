/**
 * The dialog that adds CNPJs to a list, or creates a list of them. The CNPJs are pasted or come
 * from a file, and the dialog shows the outcome for every line.
 * Invariant: the counts are the server's. A refused line is shown with its number and the reason.
 * CNPJs that lost their leading zeros can be added with one click. A new list is deleted if its
 * first entries are refused.
 */
import type { VNode } from "preact";
import { useId, useState } from "preact/hooks";
import { post, remove, upload } from "../app/api.ts";
import { number } from "../app/format.ts";
import { lazyWords } from "../app/lazywords.ts";
import type { AccountList, ListChange } from "../app/listanswers.ts";
import { words } from "../app/words.ts";
import { typedFile } from "../enrich/sent.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Field, Segmented } from "../parts/field.tsx";
import { ErrorNotice } from "../parts/notice.tsx";
import { forgetList, noteList } from "./all.ts";
import { makeList, NewList } from "./naming.tsx";
import { type Pasted, readPasted } from "./pasted.ts";
import { RefusedTable } from "./refused.tsx";

type From = "paste" | "file";

const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

interface AddEntriesProps {
  /** Null: make one. */
  list: AccountList | null;
  onClose: () => void;
}

/** Sends the entries; `fill` restores leading zeros that a spreadsheet removed. */
function send(list: AccountList, given: Pasted, fill: boolean): Promise<ListChange> {
  const path = `/lists/${list.id}/entries${fill ? "?lost_zeros=fill" : ""}`;
  if ("file" in given) return upload<ListChange>(path, given.file);
  return post<ListChange>(path, { cnpjs: given.cnpjs });
}

/** A list to be made. */
type Fresh = Pick<AccountList, "name" | "kind">;

/** Creates a list with these entries. If the server refuses the entries, deletes the list again. */
async function made({ name, kind }: Fresh, given: Pasted): Promise<ListChange> {
  const list = await makeList(name, kind);
  try {
    return await send(list, given, false);
  } catch (failure) {
    // If the removal fails, the list stays, and the user can fill or delete it.
    await remove(`/lists/${list.id}`).then(
      () => forgetList(list.id),
      () => undefined,
    );
    throw failure;
  }
}

/** The dialog. */
export function AddEntries({ list, onClose }: AddEntriesProps): VNode {
  const [into, setInto] = useState(list);
  const [given, setGiven] = useState<Pasted | null>(null);
  const [change, setChange] = useState<ListChange | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const add = async (wanted: Pasted, request: () => Promise<ListChange>) => {
    setGiven(wanted);
    setBusy(true);
    setError(null);
    try {
      const answer = await request();
      noteList(answer.list);
      setInto(answer.list);
      setChange(answer);
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const text = lazyWords.value.listViews;
  if (change !== null && into !== null && given !== null) {
    const fill = () => void add(given, () => send(into, given, true));
    return (
      <Dialog
        open
        title={text.addTo(into.name)}
        onClose={onClose}
        footer={
          <>
            <Button onClick={() => setChange(null)}>{text.addMore}</Button>
            <Button variant="primary" data-autofocus onClick={onClose}>
              {text.done}
            </Button>
          </>
        }
      >
        <Outcome change={change} busy={busy} onFill={fill} />
        {error !== null && <ErrorNotice error={error} />}
      </Dialog>
    );
  }
  const give = (wanted: Pasted, fresh: Fresh) =>
    void add(wanted, () => (into === null ? made(fresh, wanted) : send(into, wanted, false)));
  return <Giving list={into} {...{ busy, error, onClose }} onGive={give} />;
}

interface GivingProps extends AddEntriesProps {
  busy: boolean;
  error: unknown;
  onGive: (given: Pasted, fresh: Fresh) => void;
}

/** Shows the form: a field for the name of a new list, and a paste box or a file field. */
function Giving({ list, busy, error, onGive, onClose }: GivingProps): VNode {
  const text = lazyWords.value.listViews;
  const [from, setFrom] = useState<From>("paste");
  const [pasted, setPasted] = useState("");
  const [files, setFiles] = useState<FileList | null>(null);
  const file = files?.[0] ?? null;
  const [missing, setMissing] = useState(false);
  const [fresh, setFresh] = useState<Fresh>({ name: "", kind: "accounts" });
  const [nameless, setNameless] = useState(false);
  const form = useId();
  const submit = async () => {
    const given = from === "paste" ? readPasted(pasted) : file && { file: await typedFile(file) };
    const lacksName = list === null && fresh.name.trim() === "";
    setMissing(given === null);
    setNameless(lacksName);
    if (given !== null && !lacksName) onGive(given, fresh);
  };
  const footer = (
    <>
      <Button onClick={onClose}>{words.value.shell.cancel}</Button>
      <Button variant="primary" type="submit" form={form} busy={busy}>
        {list === null ? words.value.shell.save : text.submit}
      </Button>
    </>
  );
  const title = list === null ? text.create : text.addTo(list.name);
  return (
    <Dialog open title={title} onClose={onClose} footer={footer}>
      <form
        id={form}
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
        onDrop={({ dataTransfer }) => {
          if (!dataTransfer?.files.length) return;
          setMissing(false);
          setFrom("file");
          setFiles(dataTransfer.files);
        }}
      >
        {list === null && (
          <NewList
            {...fresh}
            missing={nameless}
            onName={(name) => {
              setNameless(false);
              setFresh({ ...fresh, name });
            }}
            onKind={(kind) => setFresh({ ...fresh, kind })}
          />
        )}
        <Source
          {...{ from, pasted, files, missing }}
          onFrom={setFrom}
          onPasted={(value) => {
            setMissing(false);
            setPasted(value);
          }}
          onFiles={(chosen) => {
            setMissing(false);
            setFiles(chosen);
          }}
        />
        {error !== null && <ErrorNotice error={error} />}
      </form>
    </Dialog>
  );
}

interface SourceProps {
  from: From;
  pasted: string;
  files: FileList | null;
  missing: boolean;
  onFrom: (from: From) => void;
  onPasted: (text: string) => void;
  onFiles: (files: FileList | null) => void;
}

function Source({ from, pasted, files, missing, ...on }: SourceProps): VNode {
  const text = lazyWords.value.listViews;
  return (
    <>
      <Segmented
        legend={text.how}
        value={from}
        onValue={on.onFrom}
        options={[
          { value: "paste", label: text.hows.paste },
          { value: "file", label: text.hows.file },
        ]}
      />
      {from === "paste" ? (
        <PasteBox value={pasted} missing={missing} onValue={on.onPasted} />
      ) : (
        <FileBox files={files} missing={missing} onFiles={on.onFiles} />
      )}
    </>
  );
}

interface PasteProps {
  value: string;
  missing: boolean;
  onValue: (value: string) => void;
}

function PasteBox({ value, missing, onValue }: PasteProps): VNode {
  const text = lazyWords.value.listViews;
  return (
    <Field label={text.paste} hint={text.pasteHint} error={missing ? text.pasteMissing : null}>
      {(control) => (
        <textarea
          {...control}
          class="lists-paste mono"
          rows={10}
          spellcheck={false}
          data-autofocus
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface FileProps {
  /** Chosen or dropped files; the list takes the first. */
  files: FileList | null;
  missing: boolean;
  onFiles: (files: FileList | null) => void;
}

function FileBox({ files, missing, onFiles }: FileProps): VNode {
  const text = lazyWords.value.listViews;
  return (
    <Field label={text.file} hint={text.fileHint} error={missing ? text.fileMissing : null}>
      {(control) => (
        <input
          {...control}
          class="lists-file"
          type="file"
          accept={`.xlsx,.csv,.txt,.tsv,text/csv,text/plain,${XLSX}`}
          ref={(input) => {
            // Shows the name of a file that was dropped on the dialog.
            if (input !== null && files !== null && input.files?.[0] !== files[0]) {
              input.files = files;
            }
          }}
          onChange={(event) => onFiles(event.currentTarget.files)}
        />
      )}
    </Field>
  );
}

/** Its props. */
interface OutcomeProps {
  change: ListChange;
  busy: boolean;
  /** Resends the entries with zeros restored. */
  onFill: () => void;
}

/** Counts and refused lines. */
function Outcome({ change, busy, onFill }: OutcomeProps): VNode {
  const text = lazyWords.value.listViews;
  const { refused, refused_count: count, not_in_snapshot: absent } = change;
  const counts: [string, number][] = [
    [text.read, change.read],
    [text.added, change.added ?? 0],
    [text.alreadyThere, change.already_there ?? 0],
    [text.repeated, change.repeated],
    [text.refused, count],
    [text.notInSnapshot, absent ?? 0],
  ];
  const lost = refused.some(({ reason }) => reason === "lost_zeros");
  return (
    <div class="lists-outcome" role="status">
      <dl class="counts">
        {counts.map(([term, value], at) => (
          <div key={term} class={value === 0 && at > 1 ? "counts-none" : undefined}>
            <dt>{term}</dt>
            <dd>
              <b>{number(value)}</b>
            </dd>
          </div>
        ))}
      </dl>
      {change.sheet !== undefined && (
        <p class="field-hint">{text.sheet(change.sheet, change.other_sheets ?? 0)}</p>
      )}
      {change.hidden_sheets !== undefined && (
        <p class="field-hint">{text.hidden(change.hidden_sheets)}</p>
      )}
      {change.column !== undefined && <p class="field-hint">{text.column(change.column)}</p>}
      {(absent ?? 0) > 0 && <p class="field-hint">{text.notInSnapshotHint}</p>}
      {lost && (
        <Button busy={busy} onClick={onFill}>
          {text.fillZeros}
        </Button>
      )}
      {refused.length > 0 && (
        <RefusedTable
          lines={refused.map(({ line, cell, ...one }) => ({ place: cell ?? line, ...one }))}
          all={count}
        />
      )}
    </div>
  );
}
