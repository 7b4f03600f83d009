/**
 * The drawer next to the table, with all data of one account and the reasons why it is listed.
 * Invariant: name and CNPJ appear immediately, and the other data later in reserved space. The keys
 * J and K open the next or previous account wherever the focus is, unless the user is typing.
 */
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Account } from "../../app/answers.ts";
import { date, month, number } from "../../app/format.ts";
import { isWide } from "../../app/media.ts";
import { CompanyLink } from "../../app/router.ts";
import { words } from "../../app/words.ts";
import { ListsOfAccount } from "../../lists/ofaccount.tsx";
import { IconButton } from "../../parts/button.tsx";
import { Drawer } from "../../parts/dialog.tsx";
import { ErrorNotice } from "../../parts/notice.tsx";
import { type Explained, useExplained } from "./explained.ts";
import { Facts, Group } from "./facts.tsx";
import { Identity, LoadingAccount } from "./identity.tsx";
import type { ShownList } from "./list.ts";
import { nameOf } from "./values.ts";
import { Why } from "./why.tsx";

interface AccountDrawerProps {
  list: ShownList;
  /** Row of the account in the list. Null closes the drawer. */
  index: number | null;
  allowed: ReadonlySet<string>;
  onMove: (index: number) => void;
  onClose: () => void;
}

/** The drawer. */
export function AccountDrawer({ list, index, ...props }: AccountDrawerProps): VNode | null {
  const account = index === null ? undefined : list.rows.accounts[index];
  const explained = useExplained(list.spec, list.rows.snapshot, account?.cnpj ?? null);
  if (index === null || account === undefined) return null;
  return <Open {...{ list, index, account, explained }} {...props} />;
}

interface OpenProps extends AccountDrawerProps {
  index: number;
  account: Account;
  explained: Explained;
}

function Open({ list, index, account, explained, allowed, onMove, onClose }: OpenProps): VNode {
  const body = useRef<HTMLDivElement>(null);
  const { rows } = list;
  const { drawer } = words.value.table;
  const move = (by: number) => {
    const next = index + by;
    rows.want(next);
    if (rows.accounts[next] !== undefined) onMove(next);
  };
  useWalking(move);
  const { answer, error, retry } = explained;
  useLayoutEffect(() => {
    // The drawer scrolls back to the top for each account.
    if (body.current?.parentElement) body.current.parentElement.scrollTop = 0;
  }, [account.cnpj]);
  useLayoutEffect(() => {
    // When the account or its error changes, the element with the focus may be removed. The drawer
    // then takes the focus immediately, because Escape closes it only if the focus is inside.
    if (document.activeElement === document.body) body.current?.focus({ preventScroll: true });
  }, [account.cnpj, answer, error]);
  const whole = { ...account, ...answer?.account };
  const at = drawer.place(number(index + 1), number(rows.total ?? rows.accounts.length));
  return (
    <Drawer open title={nameOf(account)} onClose={onClose} modal={!isWide.value} class="account">
      <div ref={body} class="account-body" tabIndex={-1} data-autofocus>
        <div class="account-walk">
          <IconButton
            icon="chevronLeft"
            small
            label={drawer.previous}
            aria-disabled={index === 0}
            onClick={() => move(-1)}
          />
          <IconButton
            icon="chevronRight"
            small
            label={drawer.next}
            aria-disabled={index + 1 >= rows.accounts.length && rows.end !== "more"}
            onClick={() => move(1)}
          />
          <span class="account-place">{at}</span>
          <p class="visually-hidden" role="status">
            {`${nameOf(account)}, ${at}`}
          </p>
        </div>
        <Identity account={whole} />
        <p class="account-sites">
          <CompanyLink cnpj={account.cnpj}>{drawer.page}</CompanyLink>
        </p>
        {error !== null ? (
          <ErrorNotice title={drawer.failed} error={error} onRetry={retry} />
        ) : answer === null ? (
          <LoadingAccount />
        ) : (
          <>
            <Facts account={whole} allowed={allowed}>
              <Group title={words.value.lists.title}>
                <ListsOfAccount key={account.cnpj} cnpj={account.cnpj} />
              </Group>
              <Why answer={answer} />
            </Facts>
            <p class="account-source">
              {drawer.snapshot(month(answer.snapshot), date(answer.snapshot_date))}
            </p>
          </>
        )}
      </div>
    </Drawer>
  );
}

/** Elements that use the keys J, K, and the arrows themselves. */
const OTHERS_KEYS = "input, textarea, select, [role=menu], [role=listbox], dialog:not(.account)";

/** Handles J and K anywhere, and the left and right arrows in the drawer. */
function useWalking(move: (by: number) => void): void {
  const latest = useRef(move);
  latest.current = move;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, target } = event;
      if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
      if (!(target instanceof Element) || target.closest(OTHERS_KEYS) !== null) return;
      const inside = target.closest(".account") !== null;
      const back = key === "k" || (inside && key === "ArrowLeft");
      const on = key === "j" || (inside && key === "ArrowRight");
      if (!back && !on) return;
      event.preventDefault();
      latest.current(back ? -1 : 1);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}
