/**
 * English texts of the shell, the sign-in page, and shared parts, and a sentence for each error
 * code of the server.
 * Invariant: the Portuguese tables have the same keys. The type requires a sentence for every error
 * code. If the server's own sentence has more detail, it is shown too or instead
 * (parts/notice.tsx).
 */
import type { ErrorCode } from "../../../../errors.ts";
import { duration, number } from "../../app/format.ts";

/** UI text for the shell, the sign-in page, and shared components. */
export const shell = {
  product: "Peneira",
  skip: "Skip to content",
  navigation: "Views",
  more: "More",
  advanced: "Advanced",
  views: {
    find: "Find",
    company: "Company",
    exports: "Exports",
    saved: "Saved searches",
    news: "What's new",
    lists: "Lists",
    enrich: "Fill in a spreadsheet",
    webhooks: "Webhooks",
    keys: "API keys",
    usage: "Usage",
    members: "Members",
    audit: "Audit trail",
    plans: "Plans",
    compare: "Compare",
    account: "Your account",
    help: "Help",
  },
  viewsShort: {
    find: "Find",
    company: "Company",
    exports: "Exports",
    saved: "Saved",
    news: "What's new",
    lists: "Lists",
    enrich: "Spreadsheet",
    webhooks: "Webhooks",
    keys: "Keys",
    usage: "Usage",
    members: "Members",
    audit: "Audit",
    plans: "Plans",
    compare: "Compare",
    account: "Account",
    help: "Help",
  },
  dropHere: "Drop to fill in the spreadsheet",
  snapshot: (label: string) => `${label} data`,
  snapshotTitle: (accounts: number, label: string) =>
    `${number(accounts)} establishments in snapshot ${label}`,
  noSnapshot: "No data loaded",
  plan: (name: string) => `Plan ${name}`,
  language: "Language",
  portuguese: "Português",
  english: "English",
  theme: "Colors",
  themeAuto: "As in the system",
  themeLight: "Light",
  themeDark: "Dark",
  accountMenu: (email: string) => `Account of ${email}`,
  signOut: "Sign out",
  close: "Close",
  cancel: "Cancel",
  save: "Save",
  retry: "Try again",
  loading: "Loading",
  copy: "Copy",
  copied: "Copied",
  copyFailed: "The browser did not allow copying. Select the text and copy it yourself.",
  removeChip: (label: string) => `Remove ${label}`,
  nothingFound: "Nothing found",
  choices: (count: number) => (count === 1 ? "1 choice" : `${number(count)} choices`),
  failed: "That did not work",
  bug:
    "Something unexpected happened in the browser. Reload the page; if it happens again, tell" +
    " the operator of this server.",
  unreachable: "The server does not answer. Check the connection and try again.",
  offline: "The server cannot be reached. What is on screen stays; new requests fail.",
  reconnect: "Check again",
  viewFailed: "This view could not be loaded. The server may have been updated.",
  reload: "Reload the page",
  rateLimited: (seconds: number) => `Too many requests. Try again in ${duration(seconds)}.`,
  /** For an answer without an error code, for example from a proxy. */
  answered: (status: number) => `The server answered with an error (${status}).`,
  /** Sentences for mistakes, by code. For other codes, the server's sentence is shown. */
  mistakes: {
    email_taken: "Another user has this e-mail already.",
    invalid_email: "This is not an e-mail address.",
    list_not_found: "A list of the filters no longer exists. Take it out of them.",
    last_owner: "There must be one owner at least.",
    unfit_password: "Too easy to guess. Choose another one.",
    unchanged_password: "This is the current password.",
    wrong_password: "This is not your current password.",
  },
  signIn: {
    title: "Sign in",
    lead: "Every company of Brazil, searched with one sentence.",
    email: "E-mail",
    password: "Password",
    show: "Show password",
    hide: "Hide password",
    keep: (seconds: number) =>
      seconds % 86_400 === 0 && seconds > 86_400
        ? `Keep me signed in for ${number(seconds / 86_400)} days`
        : `Keep me signed in for ${duration(seconds)}`,
    submit: "Sign in",
    wrong: "E-mail or password is wrong.",
    linkFailed: "This link to sign in was used before, or is too old. Sign in with your password.",
    wait: (seconds: number) => `Too many attempts. You can try again in ${duration(seconds)}.`,
    needEmail: "Type your e-mail address.",
    needPassword: "Type your password.",
    insecure:
      "This page came over an unencrypted connection, so the server refuses to sign in. " +
      "Open it over https or on the machine itself, or ask the operator of the server.",
    help: (contact: string | null) =>
      contact === null
        ? "No account yet? The operator of this server creates one with “peneira user create”."
        : `No account yet, or no password? Ask ${contact}.`,
    endedTitle: "Your session ended",
    ended: "Type your password to go on where you were. Nothing on the page is lost.",
    other: "Sign in as another user",
  },
  roles: { owner: "Owner", member: "Member" },
  newsBadge: (count: number) =>
    count === 1
      ? "1 search not looked at with the new data"
      : `${number(count)} searches not looked at with the new data`,
};

/**
 * Maps an error code to its sentence. After a sentence in an array, the server's detail is not
 * shown, because the sentence says everything.
 */
export type Problems = Readonly<Record<ErrorCode, string | readonly [whole: string]>>;

// Codes that only programs distinguish share a sentence.
const key = "The API key was not accepted.";
const link = "The link is not valid or has expired.";
const page = "The next page was not found. Search again.";
const again = "The request was not accepted. Reload the page.";
const plan = "Your plan does not include this.";

/** Sentences for problems, by the code of the problem. */
export const problems: Problems = {
  authentication_required: key,
  session_required: ["You are not signed in."],
  sign_in_failed: "Signing in failed.",
  authentication_invalid: key,
  authentication_disabled: key,
  csrf_invalid: ["This page is out of date. Reload it and try again."],
  origin_not_allowed: again,
  role_not_allowed: ["Only an owner may do this."],
  link_invalid: link,
  link_expired: link,
  not_found: ["This no longer exists."],
  list_not_found: ["The list no longer exists."],
  export_not_found: "There is no such export.",
  method_not_allowed: again,
  EXPORT_NOT_READY: "The export is not finished yet.",
  EXPORT_FAILED: "The export failed.",
  export_expired: "The export has expired.",
  payload_too_large: "This is larger than the server takes.",
  unsupported_media_type: "The server cannot read this kind of file.",
  range_not_satisfiable: again,
  invalid_request: "The request is not valid.",
  invalid_spec: "The filters are not valid.",
  query_too_broad: "The search is too broad. Add filters.",
  invalid_cursor: page,
  cursor_mismatch: page,
  cursor_expired: page,
  since_not_available: "The server does not have this older month.",
  translation_uncertain: "The sentence was not understood well enough.",
  idempotency_key_required: again,
  idempotency_key_reused: again,
  plan_not_allowed: plan,
  field_not_allowed: plan,
  secondary_cnae_mode_not_allowed: plan,
  rate_limited: "Too many requests. Try again shortly.",
  quota_exceeded: ["Your plan has no room for more. Delete what is no longer needed."],
  internal_error: ["The server failed. The error is in its log; try again."],
  state_damaged: ["The server's data is damaged. Its operator must restore a backup."],
  snapshot_unavailable: ["The server has no data loaded yet."],
  changes_preparing: "The changes are still being listed. Try again shortly.",
  storage_unavailable: ["The server cannot write to its disk. Nothing was changed."],
  files_unavailable: ["The place of the files does not answer. Try again shortly."],
  overloaded: ["The server has too much to do at the moment. Try again shortly."],
  storage_full: ["The server has no room left. Nothing was changed; searches still work."],
};
