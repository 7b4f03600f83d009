/**
 * The view that compares two searches or shows a cross table of one: groups, a choice of facets,
 * and the numbers.
 * Invariant: the address holds all choices, so a link shows the same. Every change is one history
 * entry. Nothing is counted before both groups are chosen.
 */
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { FACETS, type FacetName } from "../../../spec/facets.ts";
import { lazyWords } from "../app/lazywords.ts";
import { go, shownComparison } from "../app/router.ts";
import { catalog, catalogFailed, loadCatalog } from "../find/catalog.ts";
import { Busy } from "../parts/busy.tsx";
import { Button, copyText } from "../parts/button.tsx";
import { Segmented, Select } from "../parts/field.tsx";
import { ErrorNotice, Notice } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { type Comparison, decodeComparison, encodeComparison } from "./address.ts";
import { CrossTable } from "./cross.tsx";
import { Group, Suggestions } from "./groups.tsx";
import { Compared } from "./table.tsx";

/** The view. */
export function CompareView(): VNode {
  const { compare } = lazyWords.value;
  const book = catalog.value;
  useEffect(() => void loadCatalog().catch(() => {}), []);
  if (book === null) {
    return (
      <Page title={compare.title}>
        {catalogFailed.value ? (
          <ErrorNotice error={null} onRetry={() => void loadCatalog().catch(() => {})} />
        ) : (
          <Busy />
        )}
      </Page>
    );
  }
  const now = decodeComparison(shownComparison.value, book.lookup);
  const set = (changes: Partial<Comparison>) => {
    go("compare", `#${encodeComparison({ ...now, ...changes }, book.lookup)}`);
  };
  const isCross = now.across !== null;
  return (
    <Page
      title={isCross ? compare.crossTitle : compare.title}
      wide
      actions={
        <Button icon="link" onClick={() => void copyText(location.href)}>
          {compare.shareLink}
        </Button>
      }
    >
      <Segmented
        legend={compare.mode}
        hideLegend
        value={isCross ? "cross" : "groups"}
        onValue={(mode) => set({ across: mode === "cross" ? other(now.facet) : null })}
        options={[
          { value: "groups", label: compare.modeGroups },
          { value: "cross", label: compare.modeCross },
        ]}
      />
      <Groups now={now} set={set} />
      <div class="compare-facets">
        <FacetSelect
          label={isCross ? compare.rows : compare.by}
          value={now.facet}
          set={(facet) => set({ facet })}
        />
        {now.across !== null && (
          <FacetSelect
            label={compare.columns}
            value={now.across}
            set={(across) => set({ across })}
          />
        )}
      </div>
      <Numbers now={now} />
    </Page>
  );
}

interface GroupsProps {
  readonly now: Comparison;
  readonly set: (changes: Partial<Comparison>) => void;
}

function Groups({ now, set }: GroupsProps): VNode {
  const { compare } = lazyWords.value;
  const isCross = now.across !== null;
  return (
    <div class="compare-groups">
      <Group
        name={isCross ? compare.group : compare.groupNamed(1)}
        query={now.first}
        set={(first) => set({ first })}
      />
      {!isCross && now.second !== null && (
        <Group
          name={compare.groupNamed(2)}
          query={now.second}
          set={(second) => set({ second })}
          month={now.month}
          setMonth={(month) => set({ month })}
        />
      )}
      {!isCross && now.second === null && <Suggestions first={now.first} set={set} />}
    </div>
  );
}

function Numbers({ now }: { now: Comparison }): VNode {
  const { compare } = lazyWords.value;
  const { first, second, month, facet, across } = now;
  if (across !== null) {
    if (across === facet) return <Notice>{compare.sameFacets}</Notice>;
    return <CrossTable query={first} facets={[facet, across]} />;
  }
  if (second === null) return <p class="field-hint">{compare.chooseSecond}</p>;
  return <Compared queries={[first, second]} month={month} facet={facet} />;
}

interface FacetSelectProps {
  readonly label: string;
  readonly value: FacetName;
  readonly set: (facet: FacetName) => void;
}

function FacetSelect({ label, value, set }: FacetSelectProps): VNode {
  const { facetNames } = lazyWords.value.compare;
  return (
    <Select
      label={label}
      value={value}
      onValue={(name) => set(name as FacetName)}
      options={FACETS.map((name) => ({ value: name, label: facetNames[name] }))}
    />
  );
}

/** Returns the default facet of the columns for these rows. */
function other(facet: FacetName): FacetName {
  return facet === "uf" ? "company_size" : "uf";
}
