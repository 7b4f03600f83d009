/**
 * Routes between views. The current view is a signal that follows the address, links, back, and
 * forward, without reloading the page.
 * Invariant: the path names the view. Company and help pages use the hash at /app
 * (`/app#/empresa/<cnpj>`, `/app#/ajuda`), so that no page request sends the CNPJ. The hash of the
 * news is the id of a saved search, that of the lists is the id of a list, and that of a comparison
 * is its groups. Any other hash belongs to the find view, and is restored when the user returns
 * there.
 */
import { signal } from "@preact/signals";
import {
  type ComponentChildren,
  type HTMLAttributes,
  h,
  type TargetedMouseEvent,
  type VNode,
} from "preact";

/** The views; some share /app. */
export const VIEW_NAMES = [
  "find",
  "company",
  "exports",
  "saved",
  "news",
  "lists",
  "enrich",
  "webhooks",
  "keys",
  "usage",
  "members",
  "audit",
  "plans",
  "compare",
  "account",
  "help",
] as const;

/** Name of a view, and of its path below /app. */
export type ViewName = (typeof VIEW_NAMES)[number];

const BASE = "/app";
/** Views whose path is /app itself. */
const AT_BASE: readonly ViewName[] = ["find", "company", "help"];
/** The hash of the help page. */
const HELP = "#/ajuda";
/** Start of the hash of a company page; the CNPJ follows. */
const COMPANY = "#/empresa/";
let findHash = "";

/** The view that the address names; unknown paths show the find view. */
export const view = signal<ViewName>("find");

/** The CNPJ in the company view's address, or any other text typed there. */
export const shownCompany = signal("");

/** Id of the saved search whose news is shown; empty in other views. */
export const shownSearch = signal("");

/** Address of the comparison shown; empty in other views. */
export const shownComparison = signal("");

/** Id of the list in the address; empty if it shows all lists. */
export const shownList = signal("");

/** Follows the address; called once by main.tsx. */
export function followAddress(): void {
  const read = () => {
    const next = viewOf(location.pathname, location.hash);
    if (next === "find") findHash = location.hash || findHash;
    shownCompany.value = companyOf(location.hash);
    readIds(next);
    view.value = next;
  };
  read();
  addEventListener("popstate", read);
  // Fires if the user edits only the hash of the address.
  addEventListener("hashchange", read);
}

/** Reads the id in a view's hash. */
function readIds(name: ViewName): void {
  const id = location.hash.slice(1);
  shownSearch.value = name === "news" ? id : "";
  shownList.value = name === "lists" ? id : "";
  shownComparison.value = name === "compare" ? id : "";
}

function viewOf(path: string, hash = ""): ViewName {
  const name = path.slice(BASE.length).replace(/^\/|\/$/g, "");
  const found = VIEW_NAMES.find((one) => one === name && !AT_BASE.includes(one)) ?? "find";
  if (found === "find" && hash === HELP) return "help";
  return found === "find" && companyOf(hash) !== "" ? "company" : found;
}

/** Returns the text after the prefix of a company's hash, or an empty string. */
function companyOf(hash: string): string {
  return hash.startsWith(COMPANY) ? hash.slice(COMPANY.length) : "";
}

/** Returns a view's address; `hash` may be empty or lack its `#`. */
function addressOf(name: ViewName, hash = ""): string {
  if (name === "help") return BASE + HELP;
  const path = AT_BASE.includes(name) ? BASE : `${BASE}/${name}`;
  return path + (hash === "" || hash.startsWith("#") ? hash : `#${hash}`);
}

/** Opens a company's page. */
export function openCompany(cnpj: string): void {
  go("company", `${COMPANY}${cnpj}`);
}

/** Opens a view. Without a hash, the find view opens with its last hash. */
export function go(name: ViewName, hash?: string): void {
  const before = view.value;
  if (before === "find") findHash = location.hash;
  const address = addressOf(name, hash ?? (name === "find" ? findHash : ""));
  if (address === location.pathname + location.hash) return;
  history.pushState(null, "", address);
  shownCompany.value = name === "company" ? companyOf(location.hash) : "";
  readIds(name);
  view.value = name;
  // `pushState` fires no event. If the view is already shown, the event of the back button is
  // fired, so that the view reads the new hash.
  if (name === before) dispatchEvent(new PopStateEvent("popstate"));
}

/** A link to a company's page. */
export function CompanyLink({ cnpj, ...rest }: { cnpj: string } & Rest): VNode {
  return Link({ view: "company", hash: `${COMPANY}${cnpj}`, ...rest });
}

type Rest = Omit<LinkProps, "view" | "hash">;

/** Props of a link: a view, an optional hash, and the attributes of an anchor. */
type LinkProps = {
  view: ViewName;
  hash?: string | undefined;
  children?: ComponentChildren;
} & Omit<HTMLAttributes<HTMLAnchorElement>, "role">;

/** A link to a view; the browser handles clicks with a modifier key. */
export function Link({ view: name, hash, onClick, ...rest }: LinkProps): VNode {
  const follow = (event: TargetedMouseEvent<HTMLAnchorElement>) => {
    if (event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    onClick?.call(event.currentTarget, event);
    if (event.defaultPrevented) return;
    event.preventDefault();
    go(name, hash);
  };
  const props = { ...rest, href: addressOf(name, hash ?? ""), onClick: follow };
  return h("a", props as object) as VNode;
}
