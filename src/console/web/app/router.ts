/**
 * Which view is shown. What comes in: the address, clicks on links, back and forward. What goes
 * out: the view as a signal, and links that change it without loading the page anew.
 * Invariant: the path names the view, but a company has its address in the hash of the first one
 * (`/app#/empresa/<cnpj>`), so that the number is never sent with a request for the page, as does
 * the help page (`/app#/ajuda`); the hash of the news is the id of a saved search, that of the
 * lists the id of one. Any other hash belongs to the find view alone, and comes back when the user
 * returns to that view.
 */
import { signal } from "@preact/signals";
import {
  type ComponentChildren,
  type HTMLAttributes,
  h,
  type TargetedMouseEvent,
  type VNode,
} from "preact";

/** The views; some are at /app itself. */
export const VIEW_NAMES = [
  "find",
  "company",
  "exports",
  "saved",
  "news",
  "lists",
  "keys",
  "usage",
  "members",
  "audit",
  "account",
  "help",
] as const;

/** Name of a view, and of its path below /app. */
export type ViewName = (typeof VIEW_NAMES)[number];

const BASE = "/app";
/** Views at /app itself. */
const AT_BASE: readonly ViewName[] = ["find", "company", "help"];
/** The hash of the help page. */
const HELP = "#/ajuda";
/** How the hash of a company begins; its CNPJ follows. */
const COMPANY = "#/empresa/";
let findHash = "";

/** The view that the address names; an unknown path is the find view. */
export const view = signal<ViewName>("find");

/** What the address of the company view names: a CNPJ, if nobody typed anything else. */
export const shownCompany = signal("");

/** Id of the saved search whose news the address names; empty in every other view. */
export const shownSearch = signal("");

/** Id of the list that the address names; empty where it names all of them. */
export const shownList = signal("");

/** Follows the address from now on; called once by main.tsx. */
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
  // A typed address changes the hash alone.
  addEventListener("hashchange", read);
}

/** Reads what the hash of a view names. */
function readIds(name: ViewName): void {
  const id = location.hash.slice(1);
  shownSearch.value = name === "news" ? id : "";
  shownList.value = name === "lists" ? id : "";
}

/** The view of a path and a hash. */
export function viewOf(path: string, hash = ""): ViewName {
  const name = path.slice(BASE.length).replace(/^\/|\/$/g, "");
  const found = VIEW_NAMES.find((one) => one === name && !AT_BASE.includes(one)) ?? "find";
  if (found === "find" && hash === HELP) return "help";
  return found === "find" && companyOf(hash) !== "" ? "company" : found;
}

/** What the hash of a company names; empty for another hash. */
function companyOf(hash: string): string {
  return hash.startsWith(COMPANY) ? hash.slice(COMPANY.length) : "";
}

/** The address of a view; `hash` with or without its `#`, or empty. */
export function addressOf(name: ViewName, hash = ""): string {
  if (name === "help") return BASE + HELP;
  const path = AT_BASE.includes(name) ? BASE : `${BASE}/${name}`;
  return path + (hash === "" || hash.startsWith("#") ? hash : `#${hash}`);
}

/** Goes to the page of a company. */
export function goCompany(cnpj: string): void {
  go("company", `${COMPANY}${cnpj}`);
}

/** Goes to a view; without a hash the find view gets the one it had. */
export function go(name: ViewName, hash?: string): void {
  const before = view.value;
  if (before === "find") findHash = location.hash;
  const address = addressOf(name, hash ?? (name === "find" ? findHash : ""));
  if (address === location.pathname + location.hash) return;
  history.pushState(null, "", address);
  shownCompany.value = name === "company" ? companyOf(location.hash) : "";
  readIds(name);
  view.value = name;
  // Nobody hears of pushState: a view that is shown already reads its new address as after "back".
  if (name === before) dispatchEvent(new PopStateEvent("popstate"));
}

/** An anchor to the page of a company. */
export function CompanyLink({ cnpj, ...rest }: { cnpj: string } & Rest): VNode {
  return Link({ view: "company", hash: `${COMPANY}${cnpj}`, ...rest });
}

type Rest = Omit<LinkProps, "view" | "hash">;

/** What a link takes: the view, a hash for the find view, and what every anchor takes. */
export type LinkProps = {
  view: ViewName;
  hash?: string | undefined;
  children?: ComponentChildren;
} & Omit<HTMLAttributes<HTMLAnchorElement>, "role">;

/** An anchor to a view; with a modifier key the browser opens it as any link. */
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
