/**
 * Which view is shown. What comes in: the address, clicks on links, back and forward. What goes
 * out: the view as a signal, and links that change it without loading the page anew.
 * Invariant: the path names the view; the hash belongs to the find view alone, is never sent to
 * the server, and comes back when the user returns to that view.
 */
import { signal } from "@preact/signals";
import {
  type ComponentChildren,
  type HTMLAttributes,
  h,
  type TargetedMouseEvent,
  type VNode,
} from "preact";

/** The views; `find` is at /app itself. */
export const VIEW_NAMES = [
  "find",
  "exports",
  "saved",
  "keys",
  "usage",
  "members",
  "audit",
  "account",
] as const;

/** Name of a view, and of its path below /app. */
export type ViewName = (typeof VIEW_NAMES)[number];

const BASE = "/app";
let findHash = "";

/** The view that the address names; an unknown path is the find view. */
export const view = signal<ViewName>("find");

/** Follows the address from now on; called once by main.tsx. */
export function followAddress(): void {
  const read = () => {
    if (view.value === "find") findHash = location.hash || findHash;
    view.value = viewOf(location.pathname);
  };
  view.value = viewOf(location.pathname);
  addEventListener("popstate", read);
}

/** The view of a path. */
export function viewOf(path: string): ViewName {
  const name = path.slice(BASE.length).replace(/^\/|\/$/g, "");
  return VIEW_NAMES.find((one) => one === name) ?? "find";
}

/** The address of a view; `hash` with or without its `#`, or empty. */
export function addressOf(name: ViewName, hash = ""): string {
  const path = name === "find" ? BASE : `${BASE}/${name}`;
  return path + (hash === "" || hash.startsWith("#") ? hash : `#${hash}`);
}

/** Goes to a view; without a hash the find view gets the one it had. */
export function go(name: ViewName, hash?: string): void {
  const before = view.value;
  if (before === "find") findHash = location.hash;
  const address = addressOf(name, hash ?? (name === "find" ? findHash : ""));
  if (address === location.pathname + location.hash) return;
  history.pushState(null, "", address);
  view.value = name;
  // Nobody hears of pushState: a view that is shown already reads its new address as after "back".
  if (name === before) dispatchEvent(new PopStateEvent("popstate"));
}

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
