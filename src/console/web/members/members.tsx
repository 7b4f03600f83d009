/**
 * The view of members: a table, and dialogs that add or invite, change, disable, and enable users.
 * Invariant: for owners only, as on the server. Users cannot change themselves here. A new password
 * or link is shown once.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { post, remove } from "../app/api.ts";
import { errorText } from "../app/errortext.ts";
import { ago, date } from "../app/format.ts";
import { lazyWords } from "../app/lazywords.ts";
import type { InvitedMember, Member } from "../app/memberanswers.ts";
import { user } from "../app/session.ts";
import { words } from "../app/words.ts";
import { Skeleton } from "../parts/busy.tsx";
import { Button } from "../parts/button.tsx";
import { ConfirmDialog } from "../parts/dialog.tsx";
import { useAnswer } from "../parts/load.ts";
import { Menu, type MenuItem } from "../parts/menu.tsx";
import { ErrorNotice, Notice } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { Pill } from "../parts/pill.tsx";
import { toast } from "../parts/toast.tsx";
import { AddMember, ShownLink, ShownPassword } from "./dialogs.tsx";

type Change = "makeOwner" | "makeMember" | "disable" | "password" | "newLink" | "uninvite";
type OpenDialog =
  | { kind: "add" }
  | { kind: "shown"; email: string; password: string }
  | { kind: "link"; invited: InvitedMember }
  | { kind: Change; member: Member };

/** The view. */
export function MembersView(): VNode {
  const { members: text } = lazyWords.value;
  const { shell } = words.value;
  const owner = user()?.role === "owner";
  const { answer, error, reload } = useAnswer<{ members: Member[] }>(owner ? "/members" : null);
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  if (!owner) {
    return (
      <Page title={shell.views.members}>
        <Notice kind="warn">{text.ownerOnly}</Notice>
      </Page>
    );
  }
  const add = (
    <Button variant="primary" icon="plus" onClick={() => setDialog({ kind: "add" })}>
      {text.add}
    </Button>
  );
  return (
    <Page title={shell.views.members} lead={text.lead} actions={add}>
      {error !== null && <ErrorNotice error={error} onRetry={reload} />}
      {answer === null && error === null && <Skeleton lines={3} height={48} />}
      {answer && <MemberTable list={answer.members} openDialog={setDialog} done={reload} />}
      <Dialogs dialog={dialog} openDialog={setDialog} done={reload} />
    </Page>
  );
}

interface TableProps {
  list: Member[];
  openDialog: (dialog: OpenDialog | null) => void;
  done: () => void;
}

function MemberTable({ list, openDialog, done }: TableProps): VNode {
  const text = lazyWords.value.members;
  return (
    <table class="data-table">
      <thead>
        <tr>
          <th scope="col">{text.email}</th>
          <th scope="col">{text.role}</th>
          <th scope="col" class="wide">
            {text.state}
          </th>
          <th scope="col" class="wide">
            {text.added}
          </th>
          <th scope="col" class="wide">
            {text.seen}
          </th>
          <td />
        </tr>
      </thead>
      <tbody>
        {list.map((member) => (
          <MemberRow key={member.id} member={member} openDialog={openDialog} done={done} />
        ))}
      </tbody>
    </table>
  );
}

type RowProps = Omit<TableProps, "list"> & { member: Member };

function MemberRow({ member, openDialog, done }: RowProps): VNode {
  const text = lazyWords.value.members;
  const seen = member.last_seen_at;
  const state = (
    <>
      <Pill kind={STATE_KINDS[member.state]}>{text.states[member.state]}</Pill>
      {member.state === "invited" && <span class="sub">{invitedText(member)}</span>}
    </>
  );
  return (
    <tr>
      <th scope="row">
        {member.email} {member.you && <Pill kind="accent">{text.you}</Pill>}
        <span class="sub narrow">
          {seen === null ? text.neverSeen : text.seenAgo(ago(seen))} {state}
        </span>
      </th>
      <td>{words.value.shell.roles[member.role]}</td>
      <td class="wide">{state}</td>
      <td class="wide">{date(member.created_at)}</td>
      <td class="wide">{seen === null ? text.never : ago(seen)}</td>
      <td class="actions">
        {!member.you && (
          <Menu
            icon="more"
            label={text.actions(member.email)}
            items={actionsOf(member, openDialog, done)}
          />
        )}
      </td>
    </tr>
  );
}

const STATE_KINDS = { active: "good", disabled: "plain", invited: "accent" } as const;

/** Returns the text with the last day of an invitation, or the text for an expired one. */
function invitedText({ invited_until: until }: Member): string {
  const text = lazyWords.value.members;
  const hasEnded = until === null || Date.parse(until) <= Date.now();
  return hasEnded ? text.invitedEnded : text.invitedUntil(date(until));
}

function actionsOf(
  member: Member,
  openDialog: TableProps["openDialog"],
  done: () => void,
): MenuItem[] {
  const text = lazyWords.value.members;
  const turn = member.role === "owner" ? ("makeMember" as const) : ("makeOwner" as const);
  const password: MenuItem = {
    label: text.newPassword,
    icon: "key",
    onSelect: () => openDialog({ kind: "password", member }),
  };
  const role: MenuItem = {
    label: text[turn],
    icon: "user",
    onSelect: () => openDialog({ kind: turn, member }),
  };
  const disable: MenuItem = {
    label: text.disable,
    icon: "ban",
    danger: true,
    onSelect: () => openDialog({ kind: "disable", member }),
  };
  const enable: MenuItem = {
    label: text.enable,
    icon: "check",
    onSelect: () => {
      const failed = (error: unknown) => toast(errorText(error), { kind: "error" });
      change(member, { state: "active" }).then(done, failed);
    },
  };
  const newLink: MenuItem = {
    label: text.newLink,
    icon: "link",
    onSelect: () => openDialog({ kind: "newLink", member }),
  };
  const uninvite: MenuItem = {
    label: text.uninvite,
    icon: "ban",
    danger: true,
    onSelect: () => openDialog({ kind: "uninvite", member }),
  };
  if (member.state === "invited") return [newLink, role, uninvite];
  return member.state === "active" ? [role, password, disable] : [enable];
}

async function change(member: Member, dialog: Partial<Member>): Promise<void> {
  await post(pathOf(member), dialog);
  toast(lazyWords.value.members.changed);
}

function Dialogs(props: { dialog: OpenDialog | null } & Omit<TableProps, "list">): VNode | null {
  const { dialog, openDialog, done } = props;
  const text = lazyWords.value.members;
  const close = () => openDialog(null);
  if (dialog === null) return null;
  if (dialog.kind === "add") return <AddMember close={close} done={done} />;
  if (dialog.kind === "shown") return <ShownPassword created={dialog} close={close} />;
  if (dialog.kind === "link") return <ShownLink invited={dialog.invited} close={close} />;
  const { kind, member } = dialog;
  const confirm = kind === "password" ? text.passwordSubmit : text[kind];
  const [title, explanation] = {
    makeOwner: [text.makeOwnerTitle, text.makeOwnerText] as const,
    makeMember: [text.makeMemberTitle, text.makeMemberText] as const,
    disable: [text.disableTitle, text.disableText] as const,
    password: [text.passwordTitle, text.passwordText] as const,
    newLink: [text.newLinkTitle, text.newLinkText] as const,
    uninvite: [text.uninviteTitle, text.uninviteText] as const,
  }[kind];
  const run = async () => {
    if (kind === "makeOwner") await change(member, { role: "owner" });
    if (kind === "makeMember") await change(member, { role: "member" });
    if (kind === "disable") await change(member, { state: "disabled" });
    if (kind === "password") {
      const made = await post<{ password: string }>(`${pathOf(member)}/password`, {});
      // The confirmation closes first, together with its dialog.
      setTimeout(() => openDialog({ kind: "shown", email: member.email, password: made.password }));
    }
    if (kind === "uninvite") await remove(`${pathOf(member)}/invitation`);
    if (kind === "newLink") {
      const invited = await post<InvitedMember>(`${pathOf(member)}/invitation`, {});
      setTimeout(() => openDialog({ kind: "link", invited }));
    }
    done();
  };
  return (
    <ConfirmDialog
      open
      danger={kind === "disable" || kind === "uninvite"}
      title={title(member.email)}
      confirm={confirm}
      onClose={close}
      onConfirm={run}
    >
      <p>{explanation}</p>
    </ConfirmDialog>
  );
}

function pathOf(member: Member): string {
  return `/members/${encodeURIComponent(member.id)}`;
}
