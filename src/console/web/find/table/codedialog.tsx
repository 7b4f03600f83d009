/**
 * The dialog with the query as code: commands to copy.
 * Invariant: the commands find the same accounts as the table. They contain no API key.
 */
import type { VNode } from "preact";
import { useId, useState } from "preact/hooks";
import { words } from "../../app/words.ts";
import { CopyButton } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import {
  curlCommand,
  exportCommand,
  searchCommand,
  specJson,
  type WrittenQuery,
} from "./commands.ts";

const TABS = ["curl", "spec", "cli"] as const;
type Tab = (typeof TABS)[number];

interface CodeDialogProps {
  query: WrittenQuery;
  onClose: () => void;
}

/** The dialog. */
export function CodeDialog({ query, onClose }: CodeDialogProps): VNode {
  return (
    <Dialog open title={words.value.table.code.title} size="large" onClose={onClose}>
      <Code query={query} />
    </Dialog>
  );
}

function Code({ query }: { query: WrittenQuery }): VNode {
  const [tab, setTab] = useState<Tab>("curl");
  const id = useId();
  const { code } = words.value.table;
  return (
    <div class="code">
      <Tabs id={id} tab={tab} onTab={setTab} />
      <div class="code-panel" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${tab}`}>
        <p>{code[tab]}</p>
        {tab === "curl" && <Block text={curlCommand(query)} label={code.tabs.curl} />}
        {tab === "spec" && <Block text={specJson(query)} label={code.tabs.spec} />}
        {tab === "cli" && (
          <>
            <h3>{code.search}</h3>
            <Block text={searchCommand(query)} label={code.search} />
            <h3>{code.export}</h3>
            <Block text={exportCommand(query)} label={code.export} />
          </>
        )}
      </div>
    </div>
  );
}

interface TabsProps {
  id: string;
  tab: Tab;
  onTab: (tab: Tab) => void;
}

/** Shows tabs, which arrow keys, Home, and End select immediately. */
function Tabs({ id, tab, onTab }: TabsProps): VNode {
  const { code } = words.value.table;
  const onKey = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
    const at = TABS.indexOf(tab);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: TABS.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = (to + TABS.length) % TABS.length;
    onTab(TABS[next] as Tab);
    event.currentTarget.querySelectorAll("button")[next]?.focus();
  };
  return (
    <div class="code-tabs" role="tablist" aria-label={code.title} onKeyDown={onKey}>
      {TABS.map((one) => (
        <button
          key={one}
          type="button"
          role="tab"
          id={`${id}-${one}`}
          class="code-tab"
          aria-selected={one === tab}
          aria-controls={one === tab ? `${id}-panel` : undefined}
          tabIndex={one === tab ? 0 : -1}
          onClick={() => onTab(one)}
        >
          {code.tabs[one]}
        </button>
      ))}
    </div>
  );
}

/** Shows text to copy. It can have the focus, so that the keyboard scrolls it. */
function Block({ text, label }: { text: string; label: string }): VNode {
  return (
    <div class="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it is focusable */}
      <section class="code-text" tabIndex={0} aria-label={label}>
        <pre>
          <code>{text}</code>
        </pre>
      </section>
      <CopyButton small text={text} label={words.value.table.code.copy} />
    </div>
  );
}
