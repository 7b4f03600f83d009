/**
 * The top bar: logo, navigation with the current view marked, the served month, and the menus.
 * Invariant: all screen sizes have the same links (phones in the bottom bar and the account menu).
 * Links to views that the role may not see are omitted.
 */
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { Icon, type IconName, Logo } from "../parts/icon.tsx";
import { Menu, type MenuItem } from "../parts/menu.tsx";
import { toast } from "../parts/toast.tsx";
import { errorText } from "./errortext.ts";
import { month } from "./format.ts";
import { language } from "./language.ts";
import { chooseLanguage, chooseTheme, type Theme, theme } from "./preferences.ts";
import { go, Link, type ViewName, view } from "./router.ts";
import { user } from "./session.ts";
import { signOut } from "./signing.ts";
import { loadStatus, status } from "./status.ts";
import { words } from "./words.ts";

const SHOWN: readonly (readonly [ViewName, IconName])[] = [
  ["find", "search"],
  ["lists", "list"],
  ["enrich", "table"],
  ["exports", "download"],
  ["saved", "bookmark"],
  ["members", "users"],
];

/** Views that are not needed to find companies. */
const ADVANCED: readonly (readonly [ViewName, IconName])[] = [
  ["usage", "chart"],
  ["plans", "columns"],
  ["webhooks", "link"],
  ["keys", "key"],
  ["audit", "clock"],
];

/** Views that members may not use. */
const OWNERS_ONLY: readonly ViewName[] = ["members", "audit", "keys", "plans"];

/** The top bar. */
export function Header(): VNode {
  const { shell } = words.value;
  useEffect(() => {
    const load = () => {
      if (!document.hidden) void loadStatus();
    };
    load();
    // The status is loaded again when the page becomes visible, because a newer month may be served
    // by then.
    document.addEventListener("visibilitychange", load);
    return () => document.removeEventListener("visibilitychange", load);
  }, []);
  return (
    <header class="header">
      <Link view="find" class="brand">
        <Logo />
        {shell.product}
      </Link>
      <nav class="nav" aria-label={shell.navigation}>
        <ul>
          {SHOWN.filter(maySee).map(([name, icon]) => (
            <li key={name} class={`nav-${name}`}>
              <Link view={name} aria-current={isAt(name) ? "page" : undefined}>
                <Icon name={icon} size={20} />
                {shell.viewsShort[name]}
                {name === "saved" && <Badge />}
              </Link>
            </li>
          ))}
          <li class="nav-advanced" data-at={ADVANCED.some(([name]) => isAt(name))}>
            <Menu
              label={shell.advanced}
              align="start"
              items={ADVANCED.filter(maySee).map(viewItem)}
            >
              {shell.advanced}
              <Icon name="chevronDown" />
            </Menu>
          </li>
        </ul>
      </nav>
      <div class="header-end">
        <Served />
        <HelpLink />
        <LanguageMenu />
        <ThemeMenu />
        <AccountMenu />
      </div>
    </header>
  );
}

function maySee([name]: readonly [ViewName, IconName]): boolean {
  return user()?.role === "owner" || !OWNERS_ONLY.includes(name);
}

function viewItem([name, icon]: readonly [ViewName, IconName]): MenuItem {
  return { label: words.value.shell.views[name], icon, onSelect: () => go(name) };
}

/** True if a link is current. News counts as saved searches, a comparison as search. */
function isAt(name: ViewName): boolean {
  const within = { news: "saved", compare: "find" } as Partial<Record<ViewName, ViewName>>;
  return view.value === name || within[view.value] === name;
}

/** Shows the number of saved searches with news, if any. */
function Badge(): VNode | null {
  const count = status.value?.unseen_searches ?? 0;
  if (count === 0) return null;
  const countText = words.value.shell.newsBadge(count);
  return (
    <span class="nav-badge" title={countText}>
      <span aria-hidden="true">{count > 99 ? "99+" : count}</span>
      <span class="visually-hidden">{countText}</span>
    </span>
  );
}

/** Shows the month of the data that is searched. Its space is reserved until the answer arrives. */
function Served(): VNode {
  const { shell } = words.value;
  const now = status.value;
  const label = now?.snapshot ? month(now.snapshot) : null;
  const title = now?.snapshot ? shell.snapshotTitle(now.accounts ?? 0, now.snapshot) : undefined;
  return (
    <p class="served" title={title}>
      {now && <span class="served-data">{label ? shell.snapshot(label) : shell.noSnapshot}</span>}
      {now?.snapshot && <span class="served-short">{month(now.snapshot, "short")}</span>}
    </p>
  );
}

function HelpLink(): VNode {
  const { help } = words.value.shell.views;
  return (
    <Link
      view="help"
      class="button button-icon"
      aria-label={help}
      title={help}
      aria-current={view.value === "help" ? "page" : undefined}
    >
      <Icon name="unmapped" />
    </Link>
  );
}

/** Language menu; also on the sign-in page. */
export function LanguageMenu(): VNode {
  const { shell } = words.value;
  const choose = (wanted: "pt" | "en") => void chooseLanguage(wanted).catch(failed);
  return (
    <Menu
      label={shell.language}
      icon="globe"
      items={[
        {
          label: shell.portuguese,
          checked: language.value === "pt",
          onSelect: () => choose("pt"),
        },
        { label: shell.english, checked: language.value === "en", onSelect: () => choose("en") },
      ]}
    />
  );
}

/** Color theme menu; also on the sign-in page. */
export function ThemeMenu(): VNode {
  const { shell } = words.value;
  const names = { auto: shell.themeAuto, light: shell.themeLight, dark: shell.themeDark };
  const icons = { auto: "monitor", light: "sun", dark: "moon" } as const;
  const items = (Object.keys(names) as Theme[]).map((name) => ({
    label: names[name],
    checked: theme.value === name,
    onSelect: () => chooseTheme(name),
  }));
  return <Menu label={shell.theme} icon={icons[theme.value]} items={items} />;
}

function AccountMenu(): VNode {
  const { shell } = words.value;
  const who = user();
  const items: MenuItem[] = [
    viewItem(["account", "user"]),
    ...([["members", "users"], ...ADVANCED] as const).filter(maySee).map(viewItem),
    { label: shell.signOut, icon: "signOut", onSelect: () => void signOut().catch(failed) },
  ];
  const head = who && (
    <>
      <strong>{who.email}</strong>
      <span class="sub">
        {who.tenant} · {shell.roles[who.role]}
      </span>
    </>
  );
  return <Menu label={shell.accountMenu(who?.email ?? "")} icon="user" items={items} head={head} />;
}

function failed(error: unknown): void {
  toast(errorText(error), { kind: "error" });
}
