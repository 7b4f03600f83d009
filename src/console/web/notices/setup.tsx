/**
 * The dialog that saves a search and sets up its monthly notice, or changes the notice of a saved
 * search. Notices appear in the console and are sent by webhooks, e-mail, and a feed.
 * Invariant: a search is saved once, even if a later step fails and is repeated. The dialog never
 * removes a receiver's last search, because a receiver without searches gets the notices of all
 * searches. The secret of a new webhook is shown once, in a dialog that closes only by its own
 * button. Separate from the button because the first page does not load it.
 */
import type { VNode } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { type ChangeGroup, fieldsOfGroup } from "../../../spec/fields/groups.ts";
import { post } from "../app/api.ts";
import { language } from "../app/language.ts";
import { lazyWords } from "../app/lazywords.ts";
import type { NoticeOptionsAnswer, WebhookSecret } from "../app/recordanswers.ts";
import { go } from "../app/router.ts";
import { user } from "../app/session.ts";
import { status } from "../app/status.ts";
import { words } from "../app/words.ts";
import { NAME_LENGTH_MAX } from "../exports/naming.tsx";
import { daysOf } from "../exports/summary.ts";
import { catalog } from "../find/catalog.ts";
import type { SentSpec } from "../find/question.ts";
import { errorNextTo, mistakeAt } from "../keys/dialogs.tsx";
import { withStatusFields } from "../news/file.ts";
import { Skeleton } from "../parts/busy.tsx";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Checkbox, Checks, TextInput } from "../parts/field.tsx";
import { useAnswer } from "../parts/load.ts";
import { ErrorNotice, Notice } from "../parts/notice.tsx";
import { SecretOnce } from "../parts/password.tsx";
import { toast } from "../parts/toast.tsx";
import {
  addressOf,
  hasUnsubscribed,
  isEmail,
  nameOf,
  type Receiver,
  setSubscribed,
  useReceivers,
} from "./receivers.ts";

/** Groups of fields to choose from. By default, notices of a watched list report all of them. */
export const WATCHED = ["status", "address", "contact", "simples", "mei"] as const;

/** A search to be saved. */
interface NoticeSubject {
  readonly spec: object;
  readonly text: string | null;
  /** The suggested name. */
  readonly name: string;
  /** True to report only changes in the groups of `WATCHED`, as usual for lists of customers. */
  readonly watches?: boolean;
}

type Options = NoticeOptionsAnswer["search"];

interface NoticeDialogProps {
  /** A search to save, or the id of a saved search. */
  subject: NoticeSubject | string;
  onClose: () => void;
}

/** The dialog. */
export function NoticeDialog({ subject, onClose }: NoticeDialogProps): VNode {
  const { notices } = lazyWords.value;
  const path = typeof subject === "string" ? `/searches/${subject}/notices` : null;
  const { receivers, error: unloaded, reload } = useReceivers();
  const known = useAnswer<NoticeOptionsAnswer>(path);
  const error = unloaded ?? known.error;
  const options = known.answer?.search ?? null;
  if (receivers !== null && (path === null || options !== null)) {
    return <Setup {...{ subject, receivers, options, onClose }} />;
  }
  const retry = () => {
    reload();
    known.reload();
  };
  return (
    <Dialog open size="small" title={notices.title} onClose={onClose}>
      {error === null ? (
        <Skeleton lines={4} height={40} />
      ) : (
        <ErrorNotice error={error} onRetry={retry} />
      )}
    </Dialog>
  );
}

interface SetupProps extends NoticeDialogProps {
  receivers: Receiver[];
  /** Options of the notice, or null if the search is not saved yet. */
  options: Options | null;
}

/** The choices of the form. */
interface Draft {
  name: string;
  /** Ids of receivers. */
  ids: string[];
  /** True to add the user's own address as a receiver. */
  newEmail: boolean;
  newHook: boolean;
  url: string;
  feed: boolean;
  file: boolean;
  onlyChanges: boolean;
  /** True if the days in the search's filters advance by a month with each new month of data. */
  rolling: boolean;
  paused: boolean;
  /** Groups of watched fields, or null for all fields. */
  watch: readonly string[] | null;
}

function Setup(props: SetupProps): VNode {
  const { subject, receivers, options, onClose } = props;
  const { notices } = lazyWords.value;
  const form = useId();
  const [draft, setDraft] = useState(() => firstDraft(props));
  const { send, busy, checked, error, made } = useSetup(props, draft);
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change });
  if (made !== null) return <Made made={made} onClose={onClose} />;
  const isNew = typeof subject !== "string";
  const footer = (
    <>
      <Button onClick={onClose}>{words.value.shell.cancel}</Button>
      <Button variant="primary" type="submit" form={form} busy={busy}>
        {isNew ? notices.create : words.value.shell.save}
      </Button>
    </>
  );
  return (
    <Dialog open title={isNew ? notices.title : notices.change} onClose={onClose} footer={footer}>
      <form
        id={form}
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        {isNew && (
          <TextInput
            label={words.value.commands.saveName}
            data-autofocus
            autocomplete="off"
            maxLength={NAME_LENGTH_MAX}
            value={draft.name}
            error={
              checked && draft.name.trim() === "" ? words.value.commands.saveNameMissing : null
            }
            onValue={(name) => set({ name })}
          />
        )}
        <Days spec={isNew ? dated(subject) : options?.spec} draft={draft} set={set} />
        <Ways draft={draft} set={set} receivers={receivers} />
        {draft.newHook && (
          <TextInput
            label={notices.url}
            hint={notices.urlHint}
            inputMode="url"
            autocomplete="off"
            value={draft.url}
            error={
              checked && draft.url.trim() === "" ? notices.urlMissing : mistakeAt(error, "/url")
            }
            onValue={(url) => set({ url })}
          />
        )}
        {options?.feed && draft.feed && <Feed feed={options.feed} id={options.id} />}
        <When draft={draft} set={set} />
        {!isNew && (
          <Checkbox
            label={notices.paused}
            checked={draft.paused}
            onChecked={(paused) => set({ paused })}
          />
        )}
        {errorNextTo(error, ["/url"]) !== null && <ErrorNotice error={error} />}
      </form>
    </Dialog>
  );
}

interface DaysProps extends PartProps {
  spec: unknown;
}

/**
 * Shows a checkbox that makes the days in the search's filters advance with each month. Renders
 * nothing if the search has no filters on days.
 */
function Days({ spec, draft, set }: DaysProps): VNode | null {
  const { notices } = lazyWords.value;
  const days = spec === undefined ? "" : daysOf(spec as SentSpec, catalog.value);
  if (days === "") return null;
  return (
    <Checkbox
      label={notices.rolling}
      hint={draft.rolling ? days : notices.fixedDays(days)}
      checked={draft.rolling}
      onChecked={(rolling) => set({ rolling })}
    />
  );
}

/** Returns the search's spec, or undefined for a watched list, which has no filters on days. */
function dated({ spec, watches }: NoticeSubject): unknown {
  return watches === true ? undefined : spec;
}

function firstDraft({ subject, receivers, options }: SetupProps): Draft {
  const isReceiver = (one: Receiver) => options !== null && one.searches?.includes(options.id);
  const ids = receivers.filter(isReceiver).map(({ id }) => id);
  const own = { newEmail: false, newHook: false, url: "", ids };
  if (typeof subject !== "string") {
    const watch = subject.watches === true ? WATCHED : null;
    const plain = { feed: false, onlyChanges: false, rolling: false, paused: false };
    return { ...own, ...plain, name: subject.name, file: watch !== null && mayExport(), watch };
  }
  const fields = options?.watch ?? null;
  return {
    ...own,
    name: "",
    feed: options?.feed !== null,
    file: options?.export !== null,
    onlyChanges: options?.only_changes === true,
    rolling: options?.rolling_days === true,
    paused: options?.paused === true,
    watch:
      fields && WATCHED.filter((group) => fieldsOfGroup(group).some((one) => fields.includes(one))),
  };
}

interface PartProps {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
}

/** Checkboxes for the ways to notify. E-mail is shown only if the server can send it. */
function Ways({ draft, set, receivers }: PartProps & { receivers: Receiver[] }): VNode {
  const { notices } = lazyWords.value;
  const { email = "", role } = user() ?? {};
  const isOwner = role === "owner";
  const sends = status.value?.sends_emails === true;
  const isKnown = receivers.some((one) => addressOf(one).toLowerCase() === email.toLowerCase());
  return (
    <fieldset class="checks">
      <legend class="field-label">{notices.how}</legend>
      <Checkbox
        label={notices.console}
        hint={notices.consoleHint}
        checked
        disabled
        onChecked={() => {}}
      />
      {receivers
        .filter((one) => sends || !isEmail(one))
        .map((one) => (
          <Way key={one.id} {...{ draft, set, receivers, isOwner }} receiver={one} />
        ))}
      {isOwner && sends && !isKnown && (
        <Checkbox
          label={notices.email(email)}
          hint={notices.emailHint}
          checked={draft.newEmail}
          onChecked={(newEmail) => set({ newEmail })}
        />
      )}
      {isOwner && (
        <Checkbox
          label={notices.newHook}
          hint={notices.newHookHint}
          checked={draft.newHook}
          onChecked={(newHook) => set({ newHook })}
        />
      )}
      <Checkbox
        label={notices.feed}
        hint={notices.feedHint}
        checked={draft.feed}
        onChecked={(feed) => set({ feed })}
      />
    </fieldset>
  );
}

interface WayProps extends PartProps {
  receiver: Receiver;
  receivers: Receiver[];
  isOwner: boolean;
}

/** The checkbox of an existing receiver. */
function Way({ draft, set, receiver, receivers, isOwner }: WayProps): VNode {
  const { id, searches } = receiver;
  const isLast = searches?.length === 1 && draft.ids.includes(id);
  const name = nameOf(receiver, receivers);
  const toggle = (checked: boolean) =>
    set({ ids: draft.ids.filter((one) => one !== id).concat(checked ? [id] : []) });
  return (
    <Checkbox
      label={isEmail(receiver) ? lazyWords.value.notices.email(name) : name}
      hint={hintOf(receiver, isOwner, isLast)}
      checked={searches === null || draft.ids.includes(id)}
      disabled={!isOwner || searches === null || isLast}
      onChecked={toggle}
    />
  );
}

function hintOf(receiver: Receiver, isOwner: boolean, isLast: boolean): string | undefined {
  const { notices } = lazyWords.value;
  const { searches, enabled } = receiver;
  if (hasUnsubscribed(receiver)) return notices.reasons.unsubscribed;
  if (!enabled) return notices.isOff;
  if (searches === null) return notices.hearsAll;
  if (!isOwner) return notices.ownersOnly;
  return isLast ? notices.hearsThis : undefined;
}

/** Shows the options for the file of a notice, and for when a notice is sent. */
function When({ draft, set }: PartProps): VNode {
  const { notices, news } = lazyWords.value;
  return (
    <div class="checks">
      {mayExport() && (
        <Checkbox
          label={draft.watch === null ? notices.file : notices.fileOfChanges}
          checked={draft.file}
          onChecked={(file) => set({ file })}
        />
      )}
      <Checkbox
        label={notices.onlyChanges}
        checked={draft.onlyChanges}
        onChecked={(onlyChanges) => set({ onlyChanges })}
      />
      {draft.watch !== null && (
        <>
          <Checks
            legend={notices.watch}
            options={WATCHED.map((value) => ({ value, label: news.groups[value] }))}
            values={draft.watch}
            onValues={(watch) => set({ watch })}
          />
          <p class="field-hint">{notices.watchHint}</p>
        </>
      )}
    </div>
  );
}

function mayExport(): boolean {
  return Number(status.value?.limits.concurrent_exports) > 0;
}

/** The address of a feed, which is a secret. */
function Feed({ feed, id }: { feed: string; id: string }): VNode {
  const { notices } = lazyWords.value;
  const [shown, setShown] = useState(feed);
  const [error, setError] = useState<unknown>(null);
  const renew = () =>
    post<NoticeOptionsAnswer>(`/searches/${id}/notices`, { feed: true }).then(
      ({ search }) => setShown(search.feed ?? shown),
      setError,
    );
  return (
    <div class="form">
      <SecretOnce label={notices.feedAddress} secret={feedAddress(shown)} />
      <p>
        <Button small onClick={() => void renew()}>
          {notices.feedNew}
        </Button>
      </p>
      {error !== null && <ErrorNotice error={error} />}
    </div>
  );
}

function feedAddress(feed: string): string {
  return `${location.origin}${feed}${language.value === "en" ? "?lang=en" : ""}`;
}

/** Results that are shown after the form. */
interface MadeNotice {
  readonly id: string;
  readonly secret: WebhookSecret | null;
  /** The address of a new feed, or null. */
  readonly feed: string | null;
}

/** Sends the form: the search, its options, and the receivers that get its notices. */
function useSetup({ subject, receivers, options, onClose }: SetupProps, draft: Draft) {
  const [busy, setBusy] = useState(false);
  const [checked, setChecked] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [made, setMade] = useState<MadeNotice | null>(null);
  const saved = useRef(typeof subject === "string" ? subject : null);
  const addressed = useRef(false);
  const send = async () => {
    setChecked(true);
    const isNew = typeof subject !== "string";
    const isMissing =
      (isNew && draft.name.trim() === "") || (draft.newHook && draft.url.trim() === "");
    if (isMissing || busy) return;
    setBusy(true);
    setError(null);
    try {
      saved.current ??= await save(subject as NoticeSubject, draft.name.trim());
      const id = saved.current;
      const { search } = await setOptions(id, draft, options);
      for (const one of receivers) await setSubscribed(one, id, draft.ids.includes(one.id));
      if (draft.newEmail && !addressed.current) await addOwnEmail(id);
      addressed.current ||= draft.newEmail;
      const body = { url: draft.url.trim(), signature: "both", searches: [id] };
      const secret = draft.newHook ? await post<WebhookSecret>("/webhooks", body) : null;
      const feed = options?.feed ? null : search.feed;
      if (secret !== null || feed !== null) return setMade({ id, secret, feed });
      const { commands } = words.peek();
      const action = { label: commands.savedOpenList, onClick: () => go("saved") };
      if (isNew) toast(commands.savedToast(draft.name.trim()), { action });
      else toast(lazyWords.peek().notices.saved);
      onClose();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return { send, busy, checked, error, made };
}

async function save({ spec, text }: NoticeSubject, name: string): Promise<string> {
  const body = { name, ...(text === null ? {} : { text }), spec };
  return (await post<{ search: { id: string } }>("/searches", body)).search.id;
}

/** Sends only the options that the user changed, because the form does not show all options. */
async function setOptions(
  id: string,
  draft: Draft,
  options: Options | null,
): Promise<{ search: Pick<Options, "feed"> }> {
  const output = { format: "xlsx", labels: language.peek() };
  // A watched list gets no new accounts. So its file has all changes and the current state of each
  // company, while other files have only new accounts.
  const file =
    draft.watch === null
      ? { output: { ...output, preset: "sales" }, kinds: ["entered"] }
      : { output: { ...output, fields: withStatusFields(status.peek()?.field_allowlist ?? []) } };
  const body = {
    ...(draft.feed === ((options?.feed ?? null) !== null) ? {} : { feed: draft.feed }),
    ...(draft.file === ((options?.export ?? null) !== null)
      ? {}
      : { export: draft.file ? file : null }),
    ...(draft.onlyChanges === (options?.only_changes ?? false)
      ? {}
      : { only_changes: draft.onlyChanges }),
    ...(draft.rolling === (options?.rolling_days ?? false) ? {} : { rolling_days: draft.rolling }),
    ...(draft.paused === (options?.paused ?? false) ? {} : { paused: draft.paused }),
    ...(draft.watch === null ? {} : { watch: watched(draft.watch) }),
  };
  if (Object.keys(body).length === 0) return { search: { feed: options?.feed ?? null } };
  return post<NoticeOptionsAnswer>(`/searches/${id}/notices`, body);
}

/**
 * Returns the fields of these groups that the tenant's plan includes. If the plan includes none,
 * returns null, which means all fields.
 */
function watched(groups: readonly string[]): string[] | null {
  const allowed = status.peek()?.field_allowlist ?? [];
  const fields = groups
    .flatMap((group) => fieldsOfGroup(group as ChangeGroup))
    .filter((field) => allowed.includes(field));
  return fields.length === 0 ? null : fields;
}

async function addOwnEmail(search: string): Promise<void> {
  const address = user()?.email;
  await post("/emails", { address, searches: [search], language: language.peek() });
}

/** Shows results that are shown only once: the secret of a webhook, and the address of a feed. */
function Made({ made, onClose }: { made: MadeNotice; onClose: () => void }): VNode {
  const { notices } = lazyWords.value;
  const { id, secret, feed } = made;
  const open = () => {
    onClose();
    go("news", id);
  };
  const footer = (
    <>
      <Button onClick={open}>{notices.open}</Button>
      <Button variant="primary" onClick={onClose}>
        {notices.close}
      </Button>
    </>
  );
  return (
    <Dialog open locked title={notices.done} onClose={onClose} footer={footer}>
      <div class="form">
        <p>{notices.doneText}</p>
        {secret !== null && <HookSecret secret={secret} />}
        {feed !== null && <SecretOnce label={notices.feedAddress} secret={feedAddress(feed)} />}
      </div>
    </Dialog>
  );
}

/** The secret and the public key of a webhook. */
export function HookSecret({ secret: { secret, public_key } }: { secret: WebhookSecret }): VNode {
  const { notices } = lazyWords.value;
  return (
    <>
      <Notice kind="warn">{notices.secretOnce}</Notice>
      <SecretOnce label={notices.secret} secret={secret} />
      {public_key !== null && <SecretOnce label={notices.keyLabel} secret={public_key} />}
    </>
  );
}
