/**
 * The dialogs of members: adding one, and an invitation link or generated password, shown once.
 * Invariant: a dialog with a link or password closes only by its own button.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { date } from "../app/format.ts";
import { lazyWords } from "../app/lazywords.ts";
import type { CreatedMember, InvitedMember, Member } from "../app/memberanswers.ts";
import { words } from "../app/words.ts";
import { errorNextTo, FormDialog, mistakeAt, useFormPost } from "../keys/dialogs.tsx";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Segmented, TextInput } from "../parts/field.tsx";
import { Notice } from "../parts/notice.tsx";
import { SecretOnce } from "../parts/password.tsx";

interface AddMemberProps {
  close: () => void;
  /** Reloads the list. */
  done: () => void;
}

/** Adds a member. */
export function AddMember({ close, done }: AddMemberProps): VNode {
  const text = lazyWords.value.members;
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Member["role"]>("member");
  const [way, setWay] = useState<"link" | "password">("link");
  const { send, busy, error, answer, checked } = useFormPost<CreatedMember | InvitedMember>(done);
  const path = way === "link" ? "/invitations" : "/members";
  const given = /^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(email.trim());
  const problem = email.trim() === "" ? text.emailNeeded : given ? null : text.emailWrong;
  if (answer !== null) {
    return "token" in answer ? (
      <ShownLink invited={answer} close={close} />
    ) : (
      <ShownPassword created={answer} close={close} />
    );
  }
  return (
    <FormDialog
      title={text.addTitle}
      submit={text.addSubmit}
      busy={busy}
      error={errorNextTo(error, ["/email"])}
      close={close}
      onSubmit={() => void send(problem === null, path, { email: email.trim(), role })}
    >
      <TextInput
        label={text.email}
        type="email"
        inputMode="email"
        autocomplete="off"
        value={email}
        onValue={setEmail}
        autofocus
        error={(checked ? problem : null) ?? mistakeAt(error, "/email")}
      />
      <Segmented
        legend={text.role}
        value={role}
        onValue={setRole}
        options={[
          { value: "member", label: words.value.shell.roles.member },
          { value: "owner", label: words.value.shell.roles.owner },
        ]}
      />
      <p class="field-hint">{text.roleHints[role]}</p>
      <Segmented
        legend={text.way}
        value={way}
        onValue={setWay}
        options={[
          { value: "link", label: text.ways.link },
          { value: "password", label: text.ways.password },
        ]}
      />
      <p class="field-hint">{text.wayHints[way]}</p>
    </FormDialog>
  );
}

interface ShownPasswordProps {
  created: { email: string; password: string };
  close: () => void;
}

/** A generated password, shown once. */
export function ShownPassword({ created, close }: ShownPasswordProps): VNode {
  const text = lazyWords.value.members;
  const footer = (
    <Button variant="primary" onClick={close}>
      {text.done}
    </Button>
  );
  return (
    <Dialog open locked size="small" title={text.onceTitle} onClose={close} footer={footer}>
      <div class="form">
        <Notice kind="warn">{text.once}</Notice>
        <SecretOnce label={text.email} secret={created.email} />
        <SecretOnce label={text.password} secret={created.password} />
      </div>
    </Dialog>
  );
}

interface ShownLinkProps {
  invited: InvitedMember;
  close: () => void;
}

/** An invitation link, shown once. */
export function ShownLink({ invited, close }: ShownLinkProps): VNode {
  const text = lazyWords.value.members;
  const link = `${location.origin}/app#invite=${invited.token}`;
  const day = date(invited.invited_until ?? "");
  const mail = new URLSearchParams({
    subject: text.mailSubject,
    body: text.mailBody(link, day),
  });
  // Spaces are encoded as %20, because mail programs do not read plus signs as spaces.
  const parts = mail.toString().replaceAll("+", "%20");
  const footer = (
    <>
      <a
        class="button button-secondary"
        href={`mailto:${encodeURIComponent(invited.email).replaceAll("%40", "@")}?${parts}`}
      >
        {text.mail}
      </a>
      <Button variant="primary" onClick={close}>
        {text.linkDone}
      </Button>
    </>
  );
  return (
    <Dialog open locked size="small" title={text.linkTitle} onClose={close} footer={footer}>
      <div class="form">
        <Notice kind="warn">{text.linkOnce(day)}</Notice>
        <SecretOnce label={text.email} secret={invited.email} />
        <SecretOnce label={text.link} secret={link} />
      </div>
    </Dialog>
  );
}
