/**
 * Messages to the user: a box with an icon and, if the user can act, a button.
 *
 * - Notice: kind? = "info": "info", "warn", "error", "done"; title?; children; action?: {label,
 *   onClick, busy?}; quiet? (not announced)
 * - ErrorNotice: error: unknown (the sentence of its code, then the server's English one if it
 *   has more detail; mistakes one by one); onRetry?; title?
 * - EmptyState: icon: IconName; title; children?; action?: VNode
 *
 * Invariant: failures are announced immediately (role alert), the rest politely. Icon and words
 * show the kind, never color alone.
 */
// Most views need the tenant's lists. This import puts their code in the file that all views share.
import "../lists/all.ts";
import type { ComponentChildren, VNode } from "preact";
import { ApiError, type ApiMistake } from "../app/api.ts";
import {
  type ErrorMessage,
  errorMessageOf,
  isKnownMistake,
  mistakeText,
} from "../app/errortext.ts";
import { language } from "../app/language.ts";
import { words } from "../app/words.ts";
import { Button } from "./button.tsx";
import { Icon, type IconName } from "./icon.tsx";

const ICONS = { info: "info", warn: "warning", error: "error", done: "check" } as const;

/** Props of a notice. */
interface NoticeProps {
  kind?: keyof typeof ICONS;
  title?: ComponentChildren;
  children?: ComponentChildren;
  action?: { label: string; onClick: () => void; busy?: boolean } | undefined;
  quiet?: boolean;
}

/** A box with a message. */
export function Notice({ kind = "info", title, children, action, quiet }: NoticeProps): VNode {
  const role = kind === "error" ? "alert" : "status";
  return (
    <div class={`notice notice-${kind}`} role={quiet ? undefined : role}>
      <Icon name={ICONS[kind]} />
      <div class="notice-text">
        {title && <p class="notice-title">{title}</p>}
        {children}
      </div>
      {action && (
        <Button small busy={action.busy} onClick={action.onClick}>
          {action.label}
        </Button>
      )}
    </div>
  );
}

interface ErrorNoticeProps {
  error: unknown;
  onRetry?: (() => void) | undefined;
  title?: string;
}

/** Shows an error, with a retry button if that may help. */
export function ErrorNotice({ error, onRetry, title }: ErrorNoticeProps): VNode {
  const action = onRetry && { label: words.value.shell.retry, onClick: onRetry };
  const mistakes = error instanceof ApiError ? error.errors : [];
  return (
    <Notice kind="error" title={title ?? words.value.shell.failed} action={action}>
      {mistakes.length === 0 && <Sentences {...errorMessageOf(error)} />}
      {mistakes.length > 0 && <Mistakes error={error} mistakes={mistakes} />}
    </Notice>
  );
}

function Sentences({ text, detail }: ErrorMessage): VNode {
  return (
    <>
      <p>{text}</p>
      {detail !== null && (
        <p class="notice-detail" lang="en">
          {detail}
        </p>
      )}
    </>
  );
}

/** Lists mistakes. Those without a translation are in English, after a general sentence. */
function Mistakes({ error, mistakes }: { error: unknown; mistakes: ApiMistake[] }): VNode {
  const known = mistakes.every((one) => isKnownMistake(one));
  return (
    <>
      {!known && language.value !== "en" && <p>{errorMessageOf(error).text}</p>}
      <ul>
        {mistakes.map((one) => (
          <li key={`${one.pointer} ${one.code}`} lang={isKnownMistake(one) ? undefined : "en"}>
            {mistakeText(one)}
          </li>
        ))}
      </ul>
    </>
  );
}

interface EmptyStateProps {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
  action?: ComponentChildren;
}

/** Shows that there is nothing yet. */
export function EmptyState({ icon, title, children, action }: EmptyStateProps): VNode {
  return (
    <div class="empty">
      <Icon name={icon} size={28} />
      <p class="empty-title">{title}</p>
      {children && <div class="empty-text">{children}</div>}
      {action}
    </div>
  );
}
