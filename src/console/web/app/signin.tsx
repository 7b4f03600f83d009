/**
 * Shows the sign-in forms. E-mail and password open a session. If that fails, an error is shown,
 * with only those details that the server sends.
 * Invariant: while the server requires a wait, the form counts down and sends nothing. The same
 * form covers a view whose session ended; then the e-mail is fixed. Signed-in users do not load
 * this code.
 */
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../parts/button.tsx";
import { Checkbox, focusInvalid, TextInput } from "../parts/field.tsx";
import { Logo } from "../parts/icon.tsx";
import { Notice } from "../parts/notice.tsx";
import { PasswordInput } from "../parts/password.tsx";
import { ApiError } from "./api.ts";
import { errorText } from "./errortext.ts";
import { LanguageMenu, ThemeMenu } from "./header.tsx";
import { user } from "./session.ts";
import { contact, keepSeconds, linkFailed, signIn, signOut } from "./signing.ts";
import { words } from "./words.ts";

/** The sign-in page. */
export function SignInPage(): VNode {
  const { shell } = words.value;
  return (
    <SignInFrame title={shell.signIn.title}>
      {linkFailed.value && <Notice kind="warn">{shell.signIn.linkFailed}</Notice>}
      <SignInForm />
      <p class="signin-help">{shell.signIn.help(contact.value)}</p>
    </SignInFrame>
  );
}

/** Frame of the forms for users who are not signed in. */
export function SignInFrame(props: { title: string; children: ComponentChildren }): VNode {
  const { shell } = words.value;
  return (
    <div class="signin">
      <header class="signin-side">
        <p class="brand">
          <Logo size={28} />
          {shell.product}
        </p>
        <Sieve />
        <p class="signin-lead">{shell.signIn.lead}</p>
      </header>
      <main class="signin-main" id="main">
        <div class="signin-menus">
          <LanguageMenu />
          <ThemeMenu />
        </div>
        <div class="signin-form">
          <p class="brand signin-brand">
            <Logo size={28} />
            {shell.product}
          </p>
          <h1>{props.title}</h1>
          {props.children}
        </div>
      </main>
    </div>
  );
}

/** The form over a view whose session ended. */
export function SignInAgain(): VNode {
  const text = words.value.shell.signIn;
  return (
    <>
      <p class="signin-ended">{text.ended}</p>
      <SignInForm fixedEmail={user()?.email ?? ""} />
      <Button
        variant="quiet"
        class="signin-other"
        onClick={() => void signOut().catch(() => location.assign("/app"))}
      >
        {text.other}
      </Button>
    </>
  );
}

function SignInForm({ fixedEmail }: { fixedEmail?: string }): VNode {
  const text = words.value.shell.signIn;
  const form = useRef<HTMLFormElement>(null);
  const { fields, submit, error, busy, waiting, checked } = useSignIn(fixedEmail ?? "");
  return (
    <form
      ref={form}
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!submit()) focusInvalid(form.current);
      }}
    >
      <TextInput
        label={text.email}
        type="email"
        name="email"
        autocomplete="username"
        inputMode="email"
        autocapitalize="none"
        spellcheck={false}
        readOnly={fixedEmail !== undefined}
        autofocus={fixedEmail === undefined}
        value={fields.email}
        onValue={fields.setEmail}
        error={checked && fields.email.trim() === "" ? text.needEmail : null}
      />
      <PasswordInput
        label={text.password}
        name="password"
        autocomplete="current-password"
        autofocus={fixedEmail !== undefined}
        value={fields.password}
        onValue={fields.setPassword}
        error={checked && fields.password === "" ? text.needPassword : null}
      />
      {keepSeconds.value > 0 && (
        <Checkbox
          label={text.keep(keepSeconds.value)}
          checked={fields.keep}
          onChecked={fields.setKeep}
        />
      )}
      {(error || waiting > 0) && (
        <Notice kind={waiting > 0 ? "warn" : "error"}>
          {waiting > 0 ? text.wait(waiting) : error}
        </Notice>
      )}
      <Button type="submit" variant="primary" busy={busy} disabled={waiting > 0}>
        {text.submit}
      </Button>
    </form>
  );
}

function useSignIn(firstEmail: string) {
  const [email, setEmail] = useState(firstEmail);
  const [password, setPassword] = useState("");
  const [keep, setKeep] = useState(false);
  const [checked, setChecked] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [waiting, wait] = useCountdown();
  const send = async () => {
    setBusy(true);
    setFailure(null);
    try {
      await signIn(email.trim(), password, keep);
    } catch (caught) {
      setFailure(caught);
      if (caught instanceof ApiError && caught.status === 429) wait(caught.retryAfterSeconds ?? 1);
    }
    setBusy(false);
  };
  /** Returns false if a field is missing. */
  const submit = (): boolean => {
    if (busy || waiting > 0) return true;
    setChecked(true);
    if (email.trim() === "" || password === "") return false;
    void send();
    return true;
  };
  const over = failure instanceof ApiError && failure.status === 429;
  const error = failure === null || over ? null : failureText(failure);
  const fields = { email, setEmail, password, setPassword, keep, setKeep };
  return { fields, submit, error, busy, waiting, checked };
}

function failureText(error: unknown): string {
  const text = words.value.shell.signIn;
  if (error instanceof ApiError && error.code === "sign_in_failed") return text.wrong;
  const answered = error instanceof ApiError && error.status >= 400 && error.status < 500;
  return answered && !isSecureContext ? text.insecure : errorText(error);
}

/** Returns the remaining seconds, and a function that starts the countdown. */
function useCountdown(): [left: number, begin: (seconds: number) => void] {
  const [until, setUntil] = useState(0);
  const [, redraw] = useState(0);
  const left = Math.max(0, Math.ceil((until - Date.now()) / 1000));
  useEffect(() => {
    if (until <= Date.now()) return;
    const timer = setInterval(() => {
      redraw((old) => old + 1);
      if (Date.now() >= until) clearInterval(timer);
    }, 250);
    return () => clearInterval(timer);
  }, [until]);
  return [left, (seconds) => setUntil(Date.now() + seconds * 1000)];
}

/** Draws grains above and below a sieve, as a decoration. */
function Sieve(): VNode {
  return (
    <svg class="sieve" viewBox="0 0 320 240" aria-hidden="true">
      {grains(130, 12, 96, 3).map(([x, y, r]) => (
        <circle key={`${x} ${y}`} class="sieve-grain" cx={x} cy={y} r={r} />
      ))}
      <path class="sieve-rim" d="M24 108h272v18a136 30 0 0 1-272 0z" />
      {Array.from({ length: 15 }, (_, hole) => 48 + hole * 16).map((x) => (
        <circle key={x} class="sieve-hole" cx={x} cy={134} r="2.5" />
      ))}
      {grains(9, 172, 232, 4).map(([x, y, r]) => (
        <circle key={`${x} ${y}`} class="sieve-found" cx={x} cy={y} r={r} />
      ))}
    </svg>
  );
}

/** Returns positions that look random but are fixed: a grid with a small offset for each grain. */
function grains(count: number, top: number, bottom: number, size: number): number[][] {
  const columns = Math.ceil(Math.sqrt(count * (240 / (bottom - top))));
  const rows = Math.ceil(count / columns);
  return Array.from({ length: count }, (_, at) => {
    const column = (at % columns) + 0.5 + (strewn(at) - 0.5) * 0.7;
    const row = Math.floor(at / columns) + 0.5 + (strewn(at + 500) - 0.5) * 0.7;
    const x = 40 + (column / columns) * 240;
    const y = top + (row / rows) * (bottom - top);
    return [Math.round(x), Math.round(y), size - strewn(at + 900) * size * 0.5];
  });
}

/** Returns a fixed pseudo-random number from 0 to 1. */
function strewn(seed: number): number {
  const value = Math.sin(seed * 12.9898) * 43_758.5453;
  return value - Math.floor(value);
}
