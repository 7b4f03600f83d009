/**
 * The query as code. What comes in: what was explored, the columns chosen. What goes out: a button
 * with a dialog of commands to copy.
 * Invariant: what is shown asks exactly what the table shows; no key is in it.
 */
import type { VNode } from "preact";
import { useId, useState } from "preact/hooks";
import { status } from "../../app/status.ts";
import { words } from "../../app/words.ts";
import { CopyButton, IconButton } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { exploration } from "../query.ts";
import { choice } from "./choice.ts";
import { drawnColumns } from "./columnset.ts";
import {
  curlCommand,
  exportCommand,
  searchCommand,
  specJson,
  type WrittenQuery,
} from "./commands.ts";

const TABS = ["curl", "spec", "cli"] as const;
type Tab = (typeof TABS)[number];

/** The button; nothing can be written down before something was explored. */
export function CodeButton(): VNode {
  const [open, setOpen] = useState(false);
  const { code } = words.value.table;
  const { answer } = exploration.value;
  return (
    <>
      <IconButton
        icon="code"
        label={code.button}
        disabled={answer === null}
        onClick={() => setOpen(true)}
      />
      <Dialog open={open} title={code.title} size="large" onClose={() => setOpen(false)}>
        {open && answer !== null && (
          <Code
            query={{
              spec: answer.spec,
              origin: location.origin,
              snapshot: answer.snapshot,
              fields: shownFields(),
            }}
          />
        )}
      </Dialog>
    </>
  );
}

/** The fields of the columns on screen. */
function shownFields(): string[] {
  const allowed = new Set<string>(status.value?.field_allowlist);
  const columns = drawnColumns(choice.value, allowed);
  const fields = columns.flatMap((column) => column.fields.filter((field) => allowed.has(field)));
  return [...new Set(["cnpj", ...fields])];
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

/** The tabs; arrows, Home and End move and choose at once. */
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

/** A text to copy; it takes the focus so that a keyboard can scroll it. */
function Block({ text, label }: { text: string; label: string }): VNode {
  return (
    <div class="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must take the focus */}
      <section class="code-text" tabIndex={0} aria-label={label}>
        <pre>
          <code>{text}</code>
        </pre>
      </section>
      <CopyButton small text={text} label={words.value.table.code.copy} />
    </div>
  );
}
