/**
 * Explains why an account is listed: its score, with a bar for each part, and for each filter the
 * account's value that matches.
 * Invariant: all bars have the same scale, and each shows its number. The number of a negative part
 * has a minus sign.
 */
import type { VNode } from "preact";
import type { AccountFields, ExplainAnswer } from "../../app/answers.ts";
import { date, money, number, phone } from "../../app/format.ts";
import { words } from "../../app/words.ts";
import { Icon } from "../../parts/icon.tsx";
import { Notice } from "../../parts/notice.tsx";
import { catalog } from "../catalog.ts";
import { stateName } from "../filters/filterwords.ts";
import { Group } from "./facts.tsx";
import { cnaeText, named, postalText, textOf, yesNo } from "./values.ts";

/** The explanation. */
export function Why({ answer }: { answer: ExplainAnswer }): VNode {
  const { drawer } = words.value.table;
  return (
    <Group title={drawer.why}>
      {answer.listed ? (
        <Met answer={answer} />
      ) : (
        <Notice kind="warn" quiet>
          <p>{drawer.notListed}</p>
        </Notice>
      )}
      <Score answer={answer} />
    </Group>
  );
}

/** Each filter's match. */
function Met({ answer: { account, explain } }: { answer: ExplainAnswer }): VNode {
  const { drawer } = words.value.table;
  const lines = Object.entries(explain.matched).map(([name, value]) => ({
    name,
    text: matchedText(name, value, account),
  }));
  if (lines.length === 0) return <p class="account-none">{drawer.noFilters}</p>;
  return (
    <ul class="why-met">
      {lines.map(({ name, text }) => (
        <li key={name}>
          <Icon name="check" size={14} />
          <span>{text}</span>
        </li>
      ))}
    </ul>
  );
}

/** Describes how a filter was met. An unknown filter is shown by its name. */
function matchedText(name: string, value: unknown, account: AccountFields): string {
  const { matched } = words.value.table;
  const { code, as } = Object(value) as { code?: unknown; as?: unknown };
  const key = name === "cnae" && as === "secondary" ? "cnae_secondary" : name;
  const describe = Object.hasOwn(matched, key) ? matched[key] : undefined;
  const shownValue =
    name === "cnae" ? activityText(String(code ?? "")) : valueText(name, value, account);
  return describe === undefined ? `${name}: ${shownValue}` : describe(shownValue);
}

function activityText(code: string): string {
  const shown = cnaeText(code);
  const name = catalog.value?.activityName(shown) ?? null;
  return name === null ? shown : `${shown} ${name}`;
}

/** Formats a matching value. */
function valueText(name: string, value: unknown, account: AccountFields): string {
  const { sizes, statuses } = words.value.codes;
  const text = value === null || value === undefined ? "" : String(value);
  if (name === "uf") return stateName(text);
  if (name.startsWith("municipality_")) return textOf(account, "municipality_name") || text;
  if (name === "registration_status") return named(statuses, text);
  if (name === "company_size_code") return named(sizes, text);
  if (name === "postal_code") return postalText(text);
  if (name === "phone_number") return phone(text);
  if (name === "legal_nature") return textOf(account, "legal_nature_description") || text;
  if (name === "started_on") return date(text);
  if (name === "share_capital" && typeof value === "number") return money(value);
  return typeof value === "boolean" ? yesNo(value) : text;
}

function Score({ answer: { explain } }: { answer: ExplainAnswer }): VNode {
  const { drawer, parts: names, strategies } = words.value.table;
  const strategy = named(strategies, String(explain.strategy ?? "balanced"));
  const shown = Object.entries(explain.parts).filter(
    ([part, points]) => part !== "sanction" || points !== 0,
  );
  const most = Math.max(1, ...shown.map(([, points]) => Math.abs(points)));
  return (
    <details class="why-score">
      <summary>
        {drawer.score(strategy)} <strong>{number(explain.score)}</strong>
      </summary>
      <dl class="why-parts">
        {shown.map(([part, points]) => (
          <div key={part} class={points < 0 ? "why-part why-minus" : "why-part"}>
            <dt>{named(names, part)}</dt>
            <dd>
              <span class="why-bar" aria-hidden="true">
                <span style={{ width: `${(100 * Math.abs(points)) / most}%` }} />
              </span>
              <span class="why-points">{signed(points)}</span>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/** Points with their sign. */
function signed(points: number): string {
  return points < 0 ? `\u2212${number(-points)}` : `+${number(points)}`;
}
