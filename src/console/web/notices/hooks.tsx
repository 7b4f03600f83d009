/**
 * The view of webhooks: their state, with ways to add, test, pause, and delete them and to replace
 * their secrets.
 * Invariant: a secret is shown once, in a dialog that closes only by its own button. Members see
 * webhooks and change none.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { post, remove } from "../app/api.ts";
import { errorText } from "../app/errortext.ts";
import { ago, dateTime, duration } from "../app/format.ts";
import { lazyWords } from "../app/lazywords.ts";
import type { Webhook, WebhookPage, WebhookSecret, WebhookTest } from "../app/recordanswers.ts";
import { user } from "../app/session.ts";
import { errorNextTo, FormDialog, mistakeAt, useSent } from "../keys/dialogs.tsx";
import { Skeleton } from "../parts/busy.tsx";
import { Button } from "../parts/button.tsx";
import { ConfirmDialog, Dialog } from "../parts/dialog.tsx";
import { TextInput } from "../parts/field.tsx";
import { useAnswer } from "../parts/load.ts";
import { Menu } from "../parts/menu.tsx";
import { EmptyState, ErrorNotice } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { Pill } from "../parts/pill.tsx";
import { toast } from "../parts/toast.tsx";
import { HookSecret } from "./setup.tsx";

type Open =
  | { readonly kind: "add" }
  | { readonly kind: "rotate" | "remove"; readonly hook: Webhook };

/** The view. */
export function WebhooksView(): VNode {
  const { notices } = lazyWords.value;
  const [open, ask] = useState<Open | null>(null);
  const { answer, error, reload } = useAnswer<WebhookPage>("/webhooks?limit=100");
  const isOwner = user()?.role === "owner";
  const add = isOwner ? (
    <Button variant="primary" icon="plus" onClick={() => ask({ kind: "add" })}>
      {notices.add}
    </Button>
  ) : null;
  return (
    <Page title={notices.hooks} lead={notices.hooksLead} actions={add}>
      {error !== null && <ErrorNotice error={error} onRetry={reload} />}
      {answer === null && error === null && <Skeleton lines={3} height={72} />}
      {answer?.webhooks.length === 0 && (
        <EmptyState icon="link" title={notices.hooksEmpty}>
          <p>{notices.hooksEmptyHint}</p>
        </EmptyState>
      )}
      <ul class="records">
        {answer?.webhooks.map((hook) => (
          <Row key={hook.id} hook={hook} isOwner={isOwner} ask={ask} reload={reload} />
        ))}
      </ul>
      {open !== null && <Dialogs open={open} close={() => ask(null)} done={reload} />}
    </Page>
  );
}

interface RowProps {
  hook: Webhook;
  isOwner: boolean;
  ask: (open: Open) => void;
  reload: () => void;
}

function Row({ hook, isOwner, ask, reload }: RowProps): VNode {
  const { notices } = lazyWords.value;
  const { url, enabled, disabled_reason: why, searches } = hook;
  const facts = [
    searches === null ? notices.hearsAll : notices.hearsSome(searches.length),
    hook.last_success_at === null ? "" : notices.succeeded(ago(hook.last_success_at)),
    hook.failing_since === null ? "" : notices.failing(dateTime(hook.failing_since)),
    hook.old_secret_until === null ? "" : notices.oldUntil(dateTime(hook.old_secret_until)),
  ];
  return (
    <li class="record">
      <div class="record-text">
        <h2 class="record-title">{url}</h2>
        <p class="record-facts">
          {facts
            .filter((one) => one !== "")
            .map((one) => (
              <span key={one}>{one}</span>
            ))}
        </p>
      </div>
      <div class="record-state">
        <Pill kind={enabled ? "good" : why === "owner" ? "plain" : "bad"}>
          {enabled ? notices.enabled : notices.reasons[why ?? "owner"]}
        </Pill>
      </div>
      {isOwner && <Actions {...{ hook, ask, reload }} />}
    </li>
  );
}

function Actions({ hook, ask, reload }: Omit<RowProps, "isOwner">): VNode {
  const { notices } = lazyWords.value;
  const { id, url, enabled } = hook;
  const [busy, setBusy] = useState(false);
  const failed = (failure: unknown) => toast(errorText(failure), { kind: "error" });
  const toggle = () => post(`/webhooks/${id}`, { enabled: !enabled }).then(reload, failed);
  const test = () => {
    setBusy(true);
    post<WebhookTest>(`/webhooks/${id}/test`, {})
      .then(tell, failed)
      .finally(() => setBusy(false));
  };
  const switching = enabled ? notices.pause : notices.enable;
  return (
    <div class="record-actions">
      <Button small busy={busy} aria-label={`${notices.test}: ${url}`} onClick={test}>
        {notices.test}
      </Button>
      <Button small aria-label={`${switching}: ${url}`} onClick={() => void toggle()}>
        {switching}
      </Button>
      <Menu
        icon="more"
        small
        label={notices.menu(url)}
        items={[
          { label: notices.rotate, icon: "refresh", onSelect: () => ask({ kind: "rotate", hook }) },
          {
            label: notices.remove,
            icon: "trash",
            danger: true,
            onSelect: () => ask({ kind: "remove", hook }),
          },
        ]}
      />
    </div>
  );
}

function tell({ test: { delivered, status, duration_ms: took, error } }: WebhookTest): void {
  const { notices } = lazyWords.peek();
  if (delivered) toast(notices.tested(status, duration(took / 1000)));
  else toast(notices.notTested(error ?? String(status)), { kind: "error" });
}

interface DialogsProps {
  open: Open;
  close: () => void;
  done: () => void;
}

function Dialogs({ open, close, done }: DialogsProps): VNode {
  const { notices } = lazyWords.value;
  const [url, setUrl] = useState("");
  const { send, busy, checked, error, answer } = useSent<WebhookSecret>(done);
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
  const path = `/webhooks/${open.hook.id}`;
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
      title={notices.removeTitle}
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
