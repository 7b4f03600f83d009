/**
 * The view of API keys: a table, and for owners the dialogs that make, rename, replace, disable,
 * and enable keys.
 * Invariant: after a change, the server's answer is shown. Members cannot change keys.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { planName } from "../account/usage.tsx";
import type { ApiKey } from "../app/answers.ts";
import { post } from "../app/api.ts";
import { errorText } from "../app/errortext.ts";
import { ago, date } from "../app/format.ts";
import { lazyWords } from "../app/lazywords.ts";
import { user } from "../app/session.ts";
import { words } from "../app/words.ts";
import { Skeleton } from "../parts/busy.tsx";
import { Button } from "../parts/button.tsx";
import { ConfirmDialog } from "../parts/dialog.tsx";
import { useAnswer } from "../parts/load.ts";
import { Menu, type MenuItem } from "../parts/menu.tsx";
import { EmptyState, ErrorNotice, Notice } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { Pill, type PillProps } from "../parts/pill.tsx";
import { toast } from "../parts/toast.tsx";
import { CreateKey, RenameKey, RotateKey } from "./dialogs.tsx";

type OpenDialog = { kind: "create" } | { kind: "rename" | "rotate" | "disable"; key: ApiKey };

/** The view. */
export function KeysView(): VNode {
  const { keys: text } = lazyWords.value;
  const { shell } = words.value;
  const owner = user()?.role === "owner";
  const { answer, error, reload } = useAnswer<{ keys: ApiKey[] }>("/keys");
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const create = (
    <Button variant="primary" icon="plus" onClick={() => setDialog({ kind: "create" })}>
      {text.create}
    </Button>
  );
  const list = answer?.keys ?? null;
  return (
    <Page title={shell.views.keys} lead={text.lead} actions={owner && list?.length !== 0 && create}>
      {!owner && <Notice quiet>{text.readOnly}</Notice>}
      {error !== null && <ErrorNotice error={error} onRetry={reload} />}
      {list === null && error === null && <Skeleton lines={4} height={48} />}
      {list?.length === 0 && (
        <EmptyState icon="key" title={text.none} action={owner && create}>
          {text.noneText}
        </EmptyState>
      )}
      {list && list.length > 0 && (
        <KeyTable list={list} owner={owner} openDialog={setDialog} done={reload} />
      )}
      <Dialogs dialog={dialog} close={() => setDialog(null)} done={reload} />
    </Page>
  );
}

interface TableProps {
  list: ApiKey[];
  owner: boolean;
  openDialog: (dialog: OpenDialog) => void;
  done: () => void;
}

function KeyTable({ list, owner, openDialog, done }: TableProps): VNode {
  const text = lazyWords.value.keys;
  return (
    <table class="data-table">
      <thead>
        <tr>
          <th scope="col">{text.name}</th>
          <th scope="col">{text.state}</th>
          <th scope="col" class="wide">
            {text.plan}
          </th>
          <th scope="col" class="wide">
            {text.created}
          </th>
          <th scope="col" class="wide">
            {text.lastUsed}
          </th>
          <th scope="col" class="wide">
            {text.expires}
          </th>
          {owner && <td />}
        </tr>
      </thead>
      <tbody>
        {[...list].reverse().map((key) => (
          <KeyRow key={key.key_id} row={key} owner={owner} openDialog={openDialog} done={done} />
        ))}
      </tbody>
    </table>
  );
}

const KINDS: Record<ApiKey["state"], NonNullable<PillProps["kind"]>> = {
  active: "good",
  disabled: "plain",
  expired: "warn",
  tenant_disabled: "bad",
};

type RowProps = Omit<TableProps, "list"> & { row: ApiKey };

function KeyRow({ row, owner, openDialog, done }: RowProps): VNode {
  const text = lazyWords.value.keys;
  const name = row.name || text.unnamed;
  const used = row.last_used_at;
  return (
    <tr>
      <th scope="row">
        {name}
        <span class="sub mono">{row.key_id}</span>
        <span class="sub narrow">
          {planName(row.plan)} · {used === null ? text.unused : text.usedAgo(ago(used))}
          {row.expires_at && ` · ${text.endsOn(row.expires_at)}`}
        </span>
      </th>
      <td>
        <Pill kind={KINDS[row.state]}>{text.states[row.state]}</Pill>
      </td>
      <td class="wide">{planName(row.plan)}</td>
      <td class="wide">{date(row.created_at)}</td>
      <td class="wide">{used === null ? text.never : ago(used)}</td>
      <td class="wide">{row.expires_at === null ? text.endsNever : date(row.expires_at)}</td>
      {owner && (
        <td class="actions">
          <Menu icon="more" label={text.actions(name)} items={actionsOf(row, openDialog, done)} />
        </td>
      )}
    </tr>
  );
}

/** Lists a key's allowed actions. */
function actionsOf(
  key: ApiKey,
  openDialog: TableProps["openDialog"],
  done: () => void,
): MenuItem[] {
  const text = lazyWords.value.keys;
  const items: MenuItem[] = [
    { label: text.rename, icon: "edit", onSelect: () => openDialog({ kind: "rename", key }) },
  ];
  if (key.state === "active") {
    items.push(
      { label: text.rotate, icon: "refresh", onSelect: () => openDialog({ kind: "rotate", key }) },
      {
        label: text.disable,
        icon: "ban",
        danger: true,
        onSelect: () => openDialog({ kind: "disable", key }),
      },
    );
  }
  if (key.state === "disabled") {
    items.push({ label: text.enable, icon: "check", onSelect: () => void enable(key, done) });
  }
  return items;
}

async function enable(key: ApiKey, done: () => void): Promise<void> {
  try {
    await post(`/keys/${encodeURIComponent(key.key_id)}/enable`, {});
    toast(lazyWords.value.keys.enabled);
    done();
  } catch (error) {
    toast(errorText(error), { kind: "error" });
  }
}

function Dialogs(props: {
  dialog: OpenDialog | null;
  close: () => void;
  done: () => void;
}): VNode | null {
  const { dialog, close, done } = props;
  const text = lazyWords.value.keys;
  if (dialog === null) return null;
  if (dialog.kind === "create") return <CreateKey close={close} done={done} />;
  const { key } = dialog;
  if (dialog.kind === "rename") return <RenameKey row={key} close={close} done={done} />;
  if (dialog.kind === "rotate") return <RotateKey row={key} close={close} done={done} />;
  return (
    <ConfirmDialog
      open
      danger
      title={text.disableTitle(key.name || key.key_id)}
      confirm={text.disable}
      onClose={close}
      onConfirm={async () => {
        await post(`/keys/${encodeURIComponent(key.key_id)}/disable`, {});
        toast(text.disabled);
        done();
      }}
    >
      <p>{text.disableText}</p>
    </ConfirmDialog>
  );
}
