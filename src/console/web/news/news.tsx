/**
 * The news of a saved search, whose id is in the address: the numbers of companies that are new,
 * have left, or have changed since a month. Below them: the companies of one kind, their export,
 * and a button that marks the news as seen.
 * Invariant: numbers are always exact. Months that the server lacks are never requested. Only the
 * user marks news as seen.
 */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ChangeKind } from "../../../changes/kinds.ts";
import { type ChangeGroup, fieldsOfGroup } from "../../../spec/fields/groups.ts";
import type { CreatedExport, Filters, OpenedSearch } from "../app/answers.ts";
import { ApiError, post } from "../app/api.ts";
import { errorText } from "../app/errortext.ts";
import { month, number } from "../app/format.ts";
import { lazyWords } from "../app/lazywords.ts";
import { go, shownSearch } from "../app/router.ts";
import { loadStatus, status } from "../app/status.ts";
import { exportRowsMax, SendingKeys } from "../exports/draft.ts";
import { addressOfSpec, isListAlone } from "../exports/summary.ts";
import { follow } from "../exports/watch.ts";
import { catalog, loadCatalog } from "../find/catalog.ts";
import { NoticeLog } from "../notices/log.tsx";
import { NoticeDialog, WATCHED } from "../notices/setup.tsx";
import { Progress, Skeleton } from "../parts/busy.tsx";
import { Button } from "../parts/button.tsx";
import { Segmented, Select } from "../parts/field.tsx";
import { Icon } from "../parts/icon.tsx";
import { useAnswer } from "../parts/load.ts";
import { Menu } from "../parts/menu.tsx";
import { EmptyState, ErrorNotice, Notice } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { toast } from "../parts/toast.tsx";
import { Changes, LINE_FIELDS } from "./changes.tsx";
import { bodyOfFile } from "./file.ts";
import { type News, type NewsQuestion, useNews } from "./newsquery.ts";

/** New companies first, because most users want these. */
const KINDS: readonly ChangeKind[] = ["entered", "left", "changed"];

/** Groups of fields that users can choose. */
const GROUPS = WATCHED;

/** The view. */
export function NewsView(): VNode {
  const id = shownSearch.value;
  const path = id === "" ? null : `/searches/${id}`;
  const { answer, error, reload } = useAnswer<{ search: OpenedSearch }>(path);
  const { news } = lazyWords.value;
  useEffect(() => {
    // A truncated address names no search.
    if (id === "") go("saved");
    void loadStatus();
    // Without the catalog, the search opens with codes instead of names.
    loadCatalog().catch(() => undefined);
  }, []);
  if (error !== null) {
    return (
      <Page title={news.title} actions={<Back />}>
        <ErrorNotice error={error} onRetry={reload} />
      </Page>
    );
  }
  if (answer === null || status.value === null) {
    return (
      <Page title={news.title}>
        <Skeleton lines={4} height={72} />
      </Page>
    );
  }
  return (
    <Search key={id} search={answer.search} months={status.value.changes_since} onSeen={reload} />
  );
}

function Back(): VNode {
  return (
    <Button icon="chevronLeft" onClick={() => go("saved")}>
      {lazyWords.value.news.back}
    </Button>
  );
}

interface SearchProps {
  search: OpenedSearch;
  /** Available older months, newest first. */
  months: readonly string[];
  /** Reloads the search once it is marked as seen. */
  onSeen: () => void;
}

function Search({ search, months, onSeen }: SearchProps): VNode {
  const { news } = lazyWords.value;
  const { saved, name, text } = search;
  const [since, setSince] = useState(months.includes(saved.snapshot) ? saved.snapshot : months[0]);
  const lead = text !== null && text !== name ? lazyWords.value.exports.sentence(text) : undefined;
  return (
    <Page title={name} lead={lead} actions={<Actions search={search} onSeen={onSeen} />}>
      {since === undefined ? (
        <EmptyState icon="bookmark" title={news.oneMonth}>
          <p>{news.oneMonthHint}</p>
        </EmptyState>
      ) : (
        <Since search={search} months={months} since={since} onSince={setSince} />
      )}
      <NoticeLog search={search.id} />
    </Page>
  );
}

function Actions({ search, onSeen }: Pick<SearchProps, "search" | "onSeen">): VNode {
  const { news, exports } = lazyWords.value;
  const [busy, setBusy] = useState(false);
  const [editing, setEditing] = useState(false);
  const open = () => {
    const address = addressOfSpec(search.spec, search.text ?? "", catalog.peek());
    go("find", `#${address}`);
  };
  const seen = () => {
    setBusy(true);
    post(`/searches/${search.id}`, { refresh: true })
      .then(
        () => {
          toast(news.seenToast);
          onSeen();
        },
        (failure: unknown) => toast(errorText(failure), { kind: "error" }),
      )
      .finally(() => {
        setBusy(false);
        void loadStatus();
      });
  };
  return (
    <>
      <Back />
      <Button onClick={open}>{exports.open}</Button>
      <Button icon="edit" onClick={() => setEditing(true)}>
        {lazyWords.value.notices.change}
      </Button>
      <Button busy={busy} onClick={seen}>
        {news.seen}
      </Button>
      {editing && <NoticeDialog subject={search.id} onClose={() => setEditing(false)} />}
    </>
  );
}

type SinceProps = Omit<SearchProps, "onSeen"> & { since: string; onSince: (since: string) => void };

function Since({ search, months, since, onSince }: SinceProps): VNode {
  const { news } = lazyWords.value;
  const [kind, setKind] = useState<ChangeKind>(firstKind(search));
  const allowed = status.value?.field_allowlist ?? [];
  const fields = LINE_FIELDS.filter((field) => allowed.includes(field));
  const [groups, setGroups] = useState<readonly ChangeGroup[]>([]);
  const question: NewsQuestion = { spec: search.spec, since, kind, groups, fields };
  const editing = useNews(question);
  const totals = useTotals(editing, `${search.id} ${since}`);
  const options = KINDS.map((value) => ({
    value,
    label: totals === null ? news.kinds[value] : news.kindsOf[value](totals[value]),
  }));
  return (
    <section class="card news">
      <div class="news-head">
        <Segmented legend={news.kind} hideLegend value={kind} onValue={setKind} options={options} />
        <Select
          label={news.since}
          value={since}
          onValue={onSince}
          options={months.map((value) => ({ value, label: month(value) }))}
        />
        <ExportMenu question={question} name={search.name} total={totals?.[kind] ?? 0} />
      </div>
      {kind === "changed" && <Groups values={groups} onValues={setGroups} allowed={allowed} />}
      <SeenUntil seen={search.saved.snapshot} months={months} />
      <Answer
        editing={editing}
        kind={kind}
        filters={search.spec.filters}
        isFiltered={kind === "changed" && groups.length > 0}
      />
    </section>
  );
}

/**
 * Returns the kind of change to show first. A search that filters only by lists serves to watch
 * customers, so it starts with changed accounts.
 */
function firstKind({ spec: { filters } }: OpenedSearch): ChangeKind {
  return isListAlone(filters) ? "changed" : "entered";
}

interface GroupsProps {
  values: readonly ChangeGroup[];
  onValues: (values: readonly ChangeGroup[]) => void;
  /** Fields that the plan allows. */
  allowed: readonly string[];
}

/**
 * Shows checkboxes for groups of fields. If some are checked, only accounts with a change in at
 * least one of these groups are listed.
 */
function Groups({ values, onValues, allowed }: GroupsProps): VNode {
  const { news } = lazyWords.value;
  const offered = GROUPS.filter((group) =>
    fieldsOfGroup(group).every((name) => allowed.includes(name)),
  );
  const toggle = (group: ChangeGroup, checked: boolean) =>
    onValues(offered.filter((one) => (one === group ? checked : values.includes(one))));
  return (
    <fieldset class="news-groups">
      <legend class="visually-hidden">{news.what}</legend>
      {offered.map((group) => (
        <label key={group} class="segment">
          <input
            type="checkbox"
            checked={values.includes(group)}
            onChange={(event) => toggle(group, event.currentTarget.checked)}
          />
          <span>{news.groups[group]}</span>
        </label>
      ))}
    </fieldset>
  );
}

/**
 * Shows the month up to which the user has seen the news, if the news cannot start there. The news
 * cannot start at the current month, or at a month that the server no longer has.
 */
function SeenUntil({ seen, months }: { seen: string; months: readonly string[] }): VNode | null {
  const { news } = lazyWords.value;
  if (months.includes(seen)) return null;
  const isServed = seen === status.value?.snapshot;
  return (
    <Notice quiet kind="info">
      <p>{isServed ? news.seenUntil(month(seen)) : news.notSince(month(seen))}</p>
    </Notice>
  );
}

/** Returns a search's totals, which stay while another kind of change loads. */
function useTotals({ answer }: News, of: string) {
  const [known, setKnown] = useState<{ of: string; totals: Record<ChangeKind, number> } | null>(
    null,
  );
  useEffect(() => {
    if (answer !== null) setKnown({ of, totals: answer.totals });
  }, [answer]);
  return known?.of === of ? known.totals : null;
}

interface AnswerProps extends Pick<NewsQuestion, "kind"> {
  editing: News;
  filters: Filters;
  /** True if the user restricts which fields have changed. */
  isFiltered: boolean;
}

function Answer({ editing, kind, filters, isFiltered }: AnswerProps): VNode {
  const { news } = lazyWords.value;
  const { answer, changes, preparing, busy, error } = editing;
  if (error !== null && answer === null) {
    return <ErrorNotice title={news.failed} error={error} onRetry={editing.reload} />;
  }
  if (answer === null) {
    return preparing === null ? (
      <Skeleton lines={5} height={56} />
    ) : (
      <div role="status">
        <p>{news.preparing}</p>
        <Progress value={preparing} label={news.preparing} />
      </div>
    );
  }
  const left = answer.totals[kind] - changes.length;
  return (
    <>
      {changes.length === 0 ? (
        <p class="news-none">
          {(isFiltered ? news.noneOfGroups : news.none[kind])(month(answer.since.snapshot))}
        </p>
      ) : (
        <Changes kind={kind} changes={[...changes]} filters={filters} />
      )}
      {error !== null && <ErrorNotice title={news.failed} error={error} onRetry={editing.reload} />}
      {left > 0 && error === null && (
        <Button busy={busy} onClick={editing.more}>
          {news.more(number(left))}
        </Button>
      )}
    </>
  );
}

interface ExportMenuProps {
  question: NewsQuestion;
  /** Name of the search. */
  name: string;
  total: number;
}

function ExportMenu({ question, name, total }: ExportMenuProps): VNode | null {
  const { news, exports } = lazyWords.value;
  // Idempotency keys, so that a second click or a retry after a lost answer makes no second file.
  const [keys] = useState(() => new SendingKeys());
  if (status.value === null || exportRowsMax(status.value) === 0 || total === 0) return null;
  const send = async (format: "xlsx" | "csv") => {
    const plan = status.peek() ?? { field_allowlist: [], presets: [] };
    const body = bodyOfFile({ question, format, name, plan });
    try {
      const created = await post<CreatedExport>("/exports", body, {
        idempotencyKey: keys.keyFor(body),
      });
      follow(created.export);
      const action = { label: exports.toastOpen, onClick: () => go("exports") };
      toast(news.exporting, { action });
    } catch (failure) {
      const known = exports.errors[failure instanceof ApiError ? failure.code : ""];
      toast(known ?? errorText(failure), { kind: "error" });
    }
  };
  return (
    <Menu
      label={news.exportKind[question.kind]}
      items={(["xlsx", "csv"] as const).map((format) => ({
        label: exports.formats[format]?.[0] ?? format,
        onSelect: () => void send(format),
      }))}
    >
      <Icon name="download" /> {news.exportKind[question.kind]}
    </Menu>
  );
}
