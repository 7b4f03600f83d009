/**
 * The view of webhooks and e-mail receivers: their state, with ways to test, pause, and delete
 * them, to add webhooks, and to replace webhook secrets.
 * Invariant: a secret is shown once, in a dialog that closes only by its own button. Members cannot
 * change receivers. A receiver whose reader has unsubscribed can only be deleted.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { post, remove } from "../app/api.ts";
import { errorText } from "../app/errortext.ts";
import { ago, dateTime, duration } from "../app/format.ts";
import { lazyWords } from "../app/lazywords.ts";
import type { WebhookSecret, WebhookTest } from "../app/recordanswers.ts";
import { user } from "../app/session.ts";
import { errorNextTo, FormDialog, mistakeAt, useFormPost } from "../keys/dialogs.tsx";
import { Skeleton } from "../parts/busy.tsx";
import { Button } from "../parts/button.tsx";
import { ConfirmDialog, Dialog } from "../parts/dialog.tsx";
import { TextInput } from "../parts/field.tsx";
import { Menu, type MenuItem } from "../parts/menu.tsx";
import { EmptyState, ErrorNotice } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { Pill } from "../parts/pill.tsx";
import { toast } from "../parts/toast.tsx";
import { problemText } from "./problems.ts";
import {
  addressOf,
  hasUnsubscribed,
  isEmail,
  pathOf,
  type Receiver,
  useReceivers,
} from "./receivers.ts";
import { HookSecret } from "./setup.tsx";

type Open =
  | { readonly kind: "add" }
  | { readonly kind: "rotate" | "remove"; readonly receiver: Receiver };

/** The view. */
export function WebhooksView(): VNode {
  const { notices } = lazyWords.value;
  const [open, openDialog] = useState<Open | null>(null);
  const { receivers, error, reload } = useReceivers();
  const isOwner = user()?.role === "owner";
  const add = isOwner ? (
    <Button variant="primary" icon="plus" onClick={() => openDialog({ kind: "add" })}>
      {notices.add}
    </Button>
  ) : null;
  return (
    <Page title={notices.hooks} lead={notices.hooksLead} actions={add}>
      {error !== null && <ErrorNotice error={error} onRetry={reload} />}
      {receivers === null && error === null && <Skeleton lines={3} height={72} />}
      {receivers?.length === 0 && (
        <EmptyState icon="link" title={notices.hooksEmpty}>
          <p>{notices.hooksEmptyHint}</p>
        </EmptyState>
      )}
      <ul class="records">
        {receivers?.map((one) => (
          <Row
            key={one.id}
            receiver={one}
            isOwner={isOwner}
            openDialog={openDialog}
            reload={reload}
          />
        ))}
      </ul>
      {open !== null && <Dialogs open={open} close={() => openDialog(null)} done={reload} />}
    </Page>
  );
}

interface RowProps {
  receiver: Receiver;
  isOwner: boolean;
  openDialog: (open: Open) => void;
  reload: () => void;
}

function Row({ receiver, isOwner, openDialog, reload }: RowProps): VNode {
  const { notices } = lazyWords.value;
  const { enabled, disabled_reason: why, searches } = receiver;
  const oldUntil = isEmail(receiver) ? null : receiver.old_secret_until;
  const facts = [
    notices.made(dateTime(receiver.created_at)),
    searches === null ? notices.hearsAll : notices.hearsSome(searches.length),
    receiver.last_success_at === null ? "" : notices.succeeded(ago(receiver.last_success_at)),
    receiver.failing_since === null ? "" : notices.failing(dateTime(receiver.failing_since)),
    oldUntil === null ? "" : notices.oldUntil(dateTime(oldUntil)),
  ];
  return (
    <li class="record">
      <div class="record-text">
        <h2 class="record-title">{addressOf(receiver)}</h2>
        <p class="record-facts">
          {facts
            .filter((one) => one !== "")
            .map((one) => (
              <span key={one}>{one}</span>
            ))}
        </p>
      </div>
      <div class="record-state">
        <Pill kind={enabled ? "good" : why === "owner" ? "plain" : "bad"}>{stateOf(receiver)}</Pill>
      </div>
      {isOwner && <Actions {...{ receiver, openDialog, reload }} />}
    </li>
  );
}

function stateOf(receiver: Receiver): string {
  const { notices } = lazyWords.value;
  const { enabled, disabled_reason: why } = receiver;
  if (enabled) return notices.enabled;
  return isEmail(receiver) && why === "gone" ? notices.noAddress : notices.reasons[why ?? "owner"];
}

function Actions({ receiver, openDialog, reload }: Omit<RowProps, "isOwner">): VNode {
  const { notices } = lazyWords.value;
  const { enabled } = receiver;
  const address = addressOf(receiver);
  const path = pathOf(receiver);
  const [busy, setBusy] = useState(false);
  const failed = (failure: unknown) => toast(errorText(failure), { kind: "error" });
  const toggle = () => post(path, { enabled: !enabled }).then(reload, failed);
  const test = () => {
    setBusy(true);
    post<WebhookTest>(`${path}/test`, {})
      .then((answer) => showOutcome(receiver, answer), failed)
      .finally(() => setBusy(false));
  };
  const switching = enabled ? notices.pause : notices.enable;
  const rotate: MenuItem = {
    ...{ label: notices.rotate, icon: "refresh" },
    onSelect: () => openDialog({ kind: "rotate", receiver }),
  };
  const drop: MenuItem = {
    ...{ label: notices.remove, icon: "trash", danger: true },
    onSelect: () => openDialog({ kind: "remove", receiver }),
  };
  return (
    <div class="record-actions">
      {!hasUnsubscribed(receiver) && (
        <>
          <Button small busy={busy} aria-label={`${notices.test}: ${address}`} onClick={test}>
            {notices.test}
          </Button>
          <Button small aria-label={`${switching}: ${address}`} onClick={() => void toggle()}>
            {switching}
          </Button>
        </>
      )}
      <Menu
        icon="more"
        small
        label={notices.menu(address)}
        items={isEmail(receiver) ? [drop] : [rotate, drop]}
      />
    </div>
  );
}

function showOutcome(receiver: Receiver, { test }: WebhookTest): void {
  const { notices } = lazyWords.peek();
  const { delivered, status, duration_ms: took, error } = test;
  const arrived = isEmail(receiver)
    ? notices.mailed
    : notices.tested(status, duration(took / 1000));
  if (delivered) toast(arrived);
  else
    toast(notices.notTested(error === null ? String(status) : problemText(error)), {
      kind: "error",
    });
}

interface DialogsProps {
  open: Open;
  close: () => void;
  done: () => void;
}

function Dialogs({ open, close, done }: DialogsProps): VNode {
  const { notices } = lazyWords.value;
  const [url, setUrl] = useState("");
  const { send, busy, checked, error, answer } = useFormPost<WebhookSecret>(done);
  if (answer !== null) return <Secret secret={answer} close={close} />;
  if (open.kind === "add") {
    const submit = () =>
      void send(url.trim() !== "", "/webhooks", { url: url.trim(), signature: "both" });
    return (
      <FormDialog
        title={notices.add}
        submit={notices.add}
        busy={busy}
        error={errorNextTo(error, ["/url"])}
        onSubmit={submit}
        close={close}
      >
        <TextInput
          label={notices.url}
          hint={notices.urlHint}
          inputMode="url"
          autocomplete="off"
          autofocus
          value={url}
          onValue={setUrl}
          error={checked && url.trim() === "" ? notices.urlMissing : mistakeAt(error, "/url")}
        />
      </FormDialog>
    );
  }
  const path = pathOf(open.receiver);
  if (open.kind === "rotate") {
    return (
      <FormDialog
        title={notices.rotate}
        submit={notices.rotate}
        busy={busy}
        error={error}
        onSubmit={() => void send(true, `${path}/rotate`, {})}
        close={close}
      >
        <p>{notices.rotateText}</p>
      </FormDialog>
    );
  }
  const drop = async () => {
    await remove(path);
    toast(notices.removed);
    done();
  };
  return (
    <ConfirmDialog
      open
      danger
      title={notices.removeTitle(addressOf(open.receiver))}
      confirm={notices.remove}
      onConfirm={drop}
      onClose={close}
    >
      <p>{notices.removeText}</p>
    </ConfirmDialog>
  );
}

function Secret({ secret, close }: { secret: WebhookSecret; close: () => void }): VNode {
  const { notices } = lazyWords.value;
  const footer = (
    <Button variant="primary" onClick={close}>
      {notices.close}
    </Button>
  );
  return (
    <Dialog open locked title={secret.webhook.url} onClose={close} footer={footer}>
      <div class="form">
        <HookSecret secret={secret} />
      </div>
    </Dialog>
  );
}
