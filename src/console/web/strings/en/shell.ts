/**
 * English words of the shell, of signing in and of the parts that all views use. What comes in:
 * values of functions. What goes out: text.
 * Invariant: the Portuguese table has the same keys.
 */
import { duration, number } from "../../app/format.ts";

/** Words of this area. */
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
    news: "What is new",
    lists: "Lists",
    keys: "API keys",
    usage: "Usage",
    members: "Members",
    audit: "Audit trail",
    account: "Your account",
    help: "Help",
  },
  viewsShort: {
    find: "Find",
    company: "Company",
    exports: "Exports",
    saved: "Saved",
    news: "What is new",
    lists: "Lists",
    keys: "Keys",
    usage: "Usage",
    members: "Members",
    audit: "Audit",
    account: "Account",
    help: "Help",
  },
  snapshot: (label: string) => `Data of ${label}`,
  snapshotTitle: (accounts: number, label: string) =>
    `${number(accounts)} establishments in snapshot ${label}`,
  noSnapshot: "No data loaded",
  plan: (name: string) => `Plan ${name}`,
  language: "Language",
  portuguese: "Português",
  english: "English",
  theme: "Colours",
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
    " whoever runs this server.",
  unreachable: "The server does not answer. Check the connection and try again.",
  offline: "The server cannot be reached. What is on screen stays; new requests fail.",
  reconnect: "Check again",
  viewFailed: "This view could not be loaded. The server may have been updated.",
  reload: "Reload the page",
  rateLimited: (seconds: number) => `Too many requests. Try again in ${duration(seconds)}.`,
  /** For an answer without a code, as a proxy gives. */
  answered: (status: number) => `The server answered with an error (${status}).`,
  /** By the code of a mistake; for others the server's own sentence is shown. */
  mistakes: {
    email_taken: "Somebody has this e-mail already.",
    invalid_email: "This is not an e-mail address.",
    list_not_found: "A list of the filters no longer exists. Take it out of them.",
    last_owner: "There must be one owner at least.",
    unfit_password: "Too easy to guess. Choose another one.",
    unchanged_password: "This is the present password.",
    wrong_password: "This is not your present password.",
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
      "Open it over https or on the machine itself, or ask whoever runs the server.",
    help: (contact: string | null) =>
      contact === null
        ? "No account yet? Whoever runs this server makes one with “peneira user create”."
        : `No account yet, or no password? Ask ${contact}.`,
    endedTitle: "Your session ended",
    ended: "Type your password to go on where you were. Nothing on the page is lost.",
    other: "Sign in as somebody else",
  },
  roles: { owner: "Owner", member: "Member" },
  newsBadge: (count: number) =>
    count === 1
      ? "1 search not looked at with the new data"
      : `${number(count)} searches not looked at with the new data`,
};
