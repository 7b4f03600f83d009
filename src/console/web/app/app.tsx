/**
 * The shell: header, navigation, and the view that the address names, whose code loads on first
 * use.
 * Invariant: one main landmark with one heading per view. Changing the view sets the title and
 * moves the focus to the heading. Without a user, only the sign-in page is shown.
 */
import type { ComponentType, VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { DropAnywhere } from "../enrich/drop.tsx";
import { CompanyView, Find } from "../find/find.tsx";
import { Busy } from "../parts/busy.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Notice } from "../parts/notice.tsx";
import { Toasts } from "../parts/toast.tsx";
import { reachable } from "./api.ts";
import { Header } from "./header.tsx";
import { type ViewName, view } from "./router.ts";
import { ended, session, user } from "./session.ts";
import { SignInAgain, SignInPage } from "./signin.tsx";
import { loadSession } from "./signing.ts";
import { words } from "./words.ts";

type Loader = () => Promise<ComponentType>;

/** Loads the code of all views that are not part of the first download. */
const later = () => import("./later.ts");

/** Loads a view. */
const VIEWS: Record<ViewName, Loader> = {
  find: async () => Find,
  company: async () => CompanyView,
  exports: async () => (await later()).ExportsView,
  news: async () => (await later()).NewsView,
  lists: async () => (await later()).ListsView,
  enrich: async () => (await later()).EnrichView,
  saved: async () => (await later()).SavedView,
  webhooks: async () => (await later()).WebhooksView,
  keys: async () => (await later()).KeysView,
  usage: async () => (await later()).UsageView,
  members: async () => (await later()).MembersView,
  plans: async () => (await later()).PlansView,
  compare: async () => (await later()).CompareView,
  audit: async () => (await later()).AuditView,
  help: async () => (await later()).HelpView,
  account: async () => (await later()).AccountView,
};

/** Offers to reload the page after code failed to load. */
function Failed(): VNode {
  const { shell } = words.value;
  const action = { label: shell.reload, onClick: () => location.reload() };
  return <Notice kind="error" title={shell.viewFailed} action={action} />;
}

/** The whole console. */
export function App(): VNode {
  const { shell } = words.value;
  const title = user() === null ? shell.signIn.title : shell.views[view.value];
  useEffect(() => {
    document.title = `${title} · ${shell.product}`;
  }, [title, shell.product]);
  if (session.value === null) return <Unreached />;
  if (user() === null) return <SignInPage />;
  return (
    <>
      <button type="button" class="skip" onClick={skip}>
        {shell.skip}
      </button>
      <Header />
      <Connection />
      <Main key={user()?.id} />
      <Toasts />
      <DropAnywhere />
      <Dialog
        open={ended.value}
        locked
        size="small"
        title={shell.signIn.endedTitle}
        onClose={() => {}}
      >
        {ended.value && <SignInAgain />}
      </Dialog>
    </>
  );
}

/** Moves the focus to the content. A link would replace the hash, which holds the search. */
function skip(): void {
  document.getElementById("main")?.focus();
}

/** Shows the current view. Keeps the browser's focus until the view changes. */
function Main(): VNode {
  const main = useRef<HTMLElement>(null);
  const name = view.value;
  const shown = useView(name);
  const first = useRef(true);
  useEffect(() => {
    if (shown.view === null) return;
    if (!first.current) focusHeading(main.current);
    first.current = false;
  }, [shown.view]);
  const View = shown.view;
  return (
    <main id="main" class={`main main-${name}`} tabIndex={-1} ref={main}>
      {shown.failed && <Failed />}
      {View ? <View /> : !shown.failed && <Busy />}
    </main>
  );
}

/** Focuses the heading: screen readers announce the view, and Tab continues from there. */
function focusHeading(main: HTMLElement | null): void {
  scrollTo(0, 0);
  const heading = main?.querySelector("h1");
  if (heading) heading.tabIndex = -1;
  (heading ?? main)?.focus({ preventScroll: true });
}

/** Starts loading the code of a view about to be shown. */
export function preload(name: ViewName): void {
  VIEWS[name]().catch(() => {});
}

function useView(name: ViewName): { view: ComponentType | null; failed: boolean } {
  const [loaded, setLoaded] = useState<{ name: ViewName; view: ComponentType | null }>();
  useEffect(() => {
    let stale = false;
    VIEWS[name]().then(
      (component) => !stale && setLoaded({ name, view: component }),
      () => !stale && setLoaded({ name, view: null }),
    );
    return () => {
      stale = true;
    };
  }, [name]);
  const current = loaded?.name === name ? loaded.view : null;
  return { view: current, failed: loaded?.name === name && current === null };
}

/** Interval for polling an unreachable server, in milliseconds. */
const AGAIN_MS = 5_000;

function Connection(): VNode | null {
  const { shell } = words.value;
  useEffect(() => {
    if (reachable.value) return;
    const timer = setInterval(() => void loadSession().catch(() => {}), AGAIN_MS);
    return () => clearInterval(timer);
  }, [reachable.value]);
  if (reachable.value) return null;
  const action = { label: shell.reconnect, onClick: () => void loadSession().catch(() => {}) };
  return (
    <div class="connection">
      <Notice kind="warn" action={action}>
        {shell.offline}
      </Notice>
    </div>
  );
}

function Unreached(): VNode {
  const { shell } = words.value;
  const action = { label: shell.retry, onClick: () => void loadSession().catch(() => {}) };
  return (
    <main class="unreached">
      <h1 class="visually-hidden">{shell.product}</h1>
      <Notice kind="error" title={shell.failed} action={action}>
        {shell.unreachable}
      </Notice>
    </main>
  );
}
