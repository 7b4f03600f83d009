/**
 * The page of an invitation, whose token follows the `#`, so that it reaches no server and no log.
 * The invited user sets a password and gets a session.
 * Invariant: opening the page does not use up the token. Once the password is set, the page reloads
 * without the token. A failed invitation shows a contact.
 */
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, post } from "../app/api.ts";
import { lazyWords } from "../app/lazywords.ts";
import type { InvitationAnswer } from "../app/memberanswers.ts";
import { SignInFrame } from "../app/signin.tsx";
import { keepSeconds } from "../app/signing.ts";
import { words } from "../app/words.ts";
import { errorNextTo, mistakeAt } from "../keys/dialogs.tsx";
import { Skeleton } from "../parts/busy.tsx";
import { Button } from "../parts/button.tsx";
import { Checkbox, focusInvalid } from "../parts/field.tsx";
import { ErrorNotice, Notice } from "../parts/notice.tsx";
import { PasswordInput } from "../parts/password.tsx";

/** Min length of a password, the only rule of the server that is checked while typing. */
const LENGTH_MIN = 12;

/** The page. */
export function JoinPage({ token }: { token: string }): VNode {
  const text = lazyWords.value.members;
  const [invitation, setInvitation] = useState<InvitationAnswer | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    post<InvitationAnswer>("/invitation", { token }).then(setInvitation, (failure) => {
      // A garbled token gets the same message as a used one.
      const isGarbled = failure instanceof ApiError && failure.code === "invalid_request";
      setError(isGarbled ? new ApiError(401, { code: "sign_in_failed" }) : failure);
    });
  }, [token]);
  return (
    <SignInFrame title={isUnknown(error) ? text.joinFailed : text.joinTitle}>
      {error !== null && <Failed error={error} />}
      {invitation === null && error === null && <Skeleton lines={3} height={44} />}
      {invitation !== null && error === null && (
        <Form token={token} invitation={invitation} onEnded={setError} />
      )}
    </SignInFrame>
  );
}

/** True if the server no longer knows the invitation. */
function isUnknown(error: unknown): boolean {
  return error instanceof ApiError && error.code === "sign_in_failed";
}

function Failed({ error }: { error: unknown }): VNode {
  const text = lazyWords.value.members;
  if (!isUnknown(error)) return <ErrorNotice error={error} onRetry={() => location.reload()} />;
  return (
    <>
      <Notice kind="warn">{text.joinFailedText}</Notice>
      <Button onClick={() => location.assign("/app")}>{text.joinSignIn}</Button>
    </>
  );
}

/** Default name of the only tenant. Users do not know this name. */
const UNNAMED = "default";

interface FormProps {
  token: string;
  invitation: InvitationAnswer;
  /** Called if the invitation was used or revoked while the page was open. */
  onEnded: (error: unknown) => void;
}

function Form({ token, invitation, onEnded }: FormProps): VNode {
  const text = lazyWords.value.members;
  const { account } = lazyWords.value;
  const form = useRef<HTMLFormElement>(null);
  const [password, setPassword] = useState("");
  const [keep, setKeep] = useState(false);
  const [checked, setChecked] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const length = [...password.normalize("NFKC")].length;
  const isShort = length < LENGTH_MIN;
  const problem = length === 0 ? account.needed : account.nextShort(length, LENGTH_MIN);
  const submit = async () => {
    setChecked(true);
    if (isShort) return focusInvalid(form.current);
    setBusy(true);
    setError(null);
    try {
      await post("/invitation/accept", { token, password, ...(keep ? { keep } : {}) });
      location.replace("/app");
    } catch (failure) {
      if (isUnknown(failure)) onEnded(failure);
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <>
      <p>{text.joinLead(invitation.tenant === UNNAMED ? null : invitation.tenant)}</p>
      <form
        ref={form}
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy) void submit();
        }}
      >
        <div class="field">
          <span class="field-label">{text.email}</span>
          <strong>{invitation.email}</strong>
        </div>
        <input type="text" autocomplete="username" value={invitation.email} readOnly hidden />
        <PasswordInput
          label={text.password}
          autocomplete="new-password"
          autofocus
          hint={account.nextHint(LENGTH_MIN)}
          value={password}
          onValue={setPassword}
          error={(checked && isShort ? problem : null) ?? mistakeAt(error, "/password")}
        />
        {keepSeconds.value > 0 && (
          <Checkbox
            label={words.value.shell.signIn.keep(keepSeconds.value)}
            checked={keep}
            onChecked={setKeep}
          />
        )}
        {errorNextTo(error, ["/password"]) !== null && <ErrorNotice error={error} />}
        <Button type="submit" variant="primary" busy={busy}>
          {text.joinSubmit}
        </Button>
      </form>
    </>
  );
}
