/**
 * The user's own account: the profile, the password form, and the sessions, with a way to end them
 * all.
 * Invariant: passwords are cleared once sent. The length is checked before sending; the server
 * checks again, and its message is shown.
 */
import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import type { SessionAnswer, SessionList } from "../app/answers.ts";
import { ApiError, post } from "../app/api.ts";
import { ago } from "../app/format.ts";
import { lazyWords } from "../app/lazywords.ts";
import { session, user } from "../app/session.ts";
import { signOut } from "../app/signing.ts";
import { words } from "../app/words.ts";
import { errorNextTo, mistakeAt } from "../keys/dialogs.tsx";
import { Skeleton } from "../parts/busy.tsx";
import { Button } from "../parts/button.tsx";
import { ConfirmDialog } from "../parts/dialog.tsx";
import { focusInvalid } from "../parts/field.tsx";
import { useAnswer } from "../parts/load.ts";
import { ErrorNotice } from "../parts/notice.tsx";
import { Card, Page } from "../parts/page.tsx";
import { PasswordInput } from "../parts/password.tsx";
import { Pill } from "../parts/pill.tsx";
import { toast } from "../parts/toast.tsx";
import { planName } from "./usage.tsx";

/** Min length of a password; the only rule of the server that is checked while typing. */
const LENGTH_MIN = 12;

/** The view. */
export function AccountView(): VNode {
  return (
    <Page title={words.value.shell.views.account}>
      <div class="profile">
        <div class="profile-part">
          <Who />
          <Password />
        </div>
        <Sessions key={session.value?.csrf_token} />
      </div>
    </Page>
  );
}

function Who(): VNode {
  const text = lazyWords.value.account;
  const who = user();
  return (
    <Card title={text.who}>
      <dl class="facts">
        <dt>{text.email}</dt>
        <dd>{who?.email}</dd>
        <dt>{text.tenant}</dt>
        <dd>{who?.tenant}</dd>
        <dt>{text.role}</dt>
        <dd>{who && words.value.shell.roles[who.role]}</dd>
        <dt>{text.plan}</dt>
        <dd>{who && planName(who.plan)}</dd>
      </dl>
    </Card>
  );
}

function Password(): VNode {
  const text = lazyWords.value.account;
  const form = useRef<HTMLFormElement>(null);
  const { current, next, error, busy, submit } = usePasswords();
  return (
    <Card title={text.passwordTitle}>
      <p class="card-lead">{text.passwordLead}</p>
      <form
        ref={form}
        class="form form-narrow"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit().then((sent) => {
            if (!sent) focusInvalid(form.current);
          });
        }}
      >
        <input type="text" autocomplete="username" value={user()?.email} readOnly hidden />
        <PasswordInput
          label={text.current}
          autocomplete="current-password"
          value={current.value}
          onValue={current.set}
          error={current.error}
        />
        <PasswordInput
          label={text.next}
          autocomplete="new-password"
          hint={text.nextHint(LENGTH_MIN)}
          value={next.value}
          onValue={next.set}
          error={next.error}
        />
        {error !== null && <ErrorNotice error={error} />}
        <Button type="submit" variant="primary" busy={busy} class="form-submit">
          {text.change}
        </Button>
      </form>
    </Card>
  );
}

function usePasswords() {
  const text = lazyWords.value.account;
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const [checked, setChecked] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const wrong = error instanceof ApiError && error.code === "sign_in_failed";
  const problem = problemOf(current, next);
  const submit = async (): Promise<boolean> => {
    setChecked(true);
    if (current === "" || problem !== null) return false;
    setBusy(true);
    setError(null);
    try {
      const body = { current_password: current, new_password: next };
      session.value = await post<SessionAnswer>("/password", body);
      setCurrent("");
      setNext("");
      setChecked(false);
      toast(text.changed);
      setBusy(false);
      return true;
    } catch (failure) {
      setError(failure);
      setBusy(false);
      return false;
    }
  };
  const missing = checked && current === "" ? text.needed : null;
  const refused = wrong ? text.wrongCurrent : mistakeAt(error, "/current_password");
  return {
    current: { value: current, set: setCurrent, error: missing ?? refused },
    next: {
      value: next,
      set: setNext,
      error: (checked ? problem : null) ?? mistakeAt(error, "/new_password"),
    },
    error: wrong ? null : errorNextTo(error, ["/current_password", "/new_password"]),
    busy,
    submit,
  };
}

function problemOf(current: string, next: string): string | null {
  const text = lazyWords.value.account;
  const length = [...next.normalize("NFKC")].length;
  if (length === 0) return text.needed;
  if (length < LENGTH_MIN) return text.nextShort(length, LENGTH_MIN);
  return next === current ? text.nextSame : null;
}

function Sessions(): VNode {
  const text = lazyWords.value.account;
  const { answer, error, reload } = useAnswer<SessionList>("/sessions");
  const [confirming, setConfirming] = useState(false);
  return (
    <Card title={text.sessionsTitle}>
      <p class="card-lead">{text.sessionsLead(session.value?.idle_seconds ?? 0)}</p>
      {error !== null && <ErrorNotice error={error} onRetry={reload} />}
      {answer === null && error === null && <Skeleton lines={2} height={40} />}
      <ul class="lines">
        {answer?.sessions.map((one) => (
          <li key={one.id}>
            {one.current ? <Pill kind="accent">{text.here}</Pill> : <Pill>{text.elsewhere}</Pill>}
            <span>
              {text.began(ago(one.created_at))}, {text.used(ago(one.seen_at))}
            </span>
          </li>
        ))}
      </ul>
      {(answer !== null || error !== null) && (
        <Button icon="signOut" onClick={() => setConfirming(true)}>
          {text.everywhere}
        </Button>
      )}
      <ConfirmDialog
        open={confirming}
        danger
        title={text.everywhereTitle}
        confirm={text.everywhere}
        onClose={() => setConfirming(false)}
        onConfirm={() => signOut(true)}
      >
        <p>{text.everywhereText}</p>
      </ConfirmDialog>
    </Card>
  );
}
