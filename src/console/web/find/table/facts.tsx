/**
 * The facts of an account as lists of terms: contact, activities, address, company, and
 * registration.
 * Invariant: values are text nodes. E-mail addresses and phones become only mailto: and tel: links.
 * Values in links to other sites are encoded. Data that the tenant's plan does not include is
 * reported as such. Data missing in the register is omitted.
 */
import type { ComponentChildren, VNode } from "preact";
import { useEffect } from "preact/hooks";
import { punctuateCnae } from "../../../../spec/catalog.ts";
import type { Account } from "../../app/answers.ts";
import { cnpjRoot, date, money, number, phone } from "../../app/format.ts";
import { Link } from "../../app/router.ts";
import { words } from "../../app/words.ts";
import { CopyButton } from "../../parts/button.tsx";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { catalog, loadCatalog } from "../catalog.ts";
import { cityText, named, postalText, reasonNames, streetText, textOf, yesNo } from "./values.ts";

/** The registry's own page of a company, with its partners. */
const REGISTRY =
  "https://solucoes.receita.fazenda.gov.br/servicos/cnpjreva/cnpjreva_solicitacao.asp?cnpj=";

interface FactsProps {
  account: Account;
  allowed: ReadonlySet<string>;
}

/** All facts, in groups, followed by the children. */
export function Facts({
  account,
  allowed,
  children,
}: FactsProps & { children: ComponentChildren }): VNode {
  useEffect(() => {
    // Without the catalog, secondary activities are shown as codes.
    loadCatalog().catch(() => undefined);
  }, []);
  return (
    <>
      <Contact account={account} allowed={allowed} />
      <Company account={account} />
      <Activities account={account} />
      <Address account={account} />
      {children}
    </>
  );
}

/** Facts with a heading. */
export function Group({ title, children }: { title: string; children: ComponentChildren }): VNode {
  return (
    <section class="account-group">
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function Contact({ account, allowed }: FactsProps): VNode {
  const { drawer, fields } = words.value.table;
  const lines = [
    { field: "email", key: "email", icon: "contact", scheme: "mailto:", show: String },
    { field: "phone_1", key: "phone", icon: "phone", scheme: "tel:", show: phone },
    { field: "phone_2", key: "phone", icon: "phone", scheme: "tel:", show: phone },
  ] as const;
  const known = lines.filter(({ field }) => textOf(account, field) !== "");
  const offered = lines.some(({ field }) => allowed.has(field));
  return (
    <Group title={drawer.contact}>
      {known.length === 0 ? (
        <p class="account-none">{offered ? drawer.noContact : drawer.contactNotInPlan}</p>
      ) : (
        <ul class="account-contact">
          {known.map(({ field, key, icon, scheme, show }) => (
            <ContactLine
              key={field}
              icon={icon}
              href={scheme + addressed(textOf(account, field))}
              text={show(textOf(account, field))}
              label={drawer.copy(fields[field])}
              whatsApp={whatsApp(textOf(account, field))}
            >
              <Sharers
                hash={`${key}=${encodeURIComponent(textOf(account, field))}`}
                count={Number(account[`${field}_shared`])}
              />
            </ContactLine>
          ))}
        </ul>
      )}
    </Group>
  );
}

/** Encodes an address for a link, so that it cannot add other parts. */
function addressed(text: string): string {
  return encodeURIComponent(text).replaceAll("%40", "@").replaceAll("%2B", "+");
}

interface ContactLineProps {
  icon: IconName;
  href: string;
  text: string;
  label: string;
  whatsApp: string | null;
  children: VNode;
}

function ContactLine(props: ContactLineProps): VNode {
  const { icon, href, text, label, whatsApp: chat, children } = props;
  return (
    <li>
      <Icon name={icon} />
      <a href={href}>{text}</a>
      <CopyButton iconOnly small text={text} label={label} />
      {chat !== null && <OtherSite href={chat}>WhatsApp</OtherSite>}
      {children}
    </li>
  );
}

/** Link to a search for all accounts with a contact. Renders nothing if no other company has it. */
function Sharers({ hash, count }: { hash: string; count: number }): VNode | null {
  if (!(count > 1)) return null;
  return (
    <Link class="account-site" view="find" hash={hash}>
      {words.value.table.drawer.sharedBy(number(count))}
    </Link>
  );
}

/** Links to another site, in a new tab, without a referrer. */
function OtherSite({ href, children }: { href: string; children: string }): VNode {
  return (
    <a class="account-site" href={href} rel="noopener noreferrer" target="_blank">
      {children}
    </a>
  );
}

function Activities({ account }: { account: Account }): VNode {
  const { drawer } = words.value.table;
  const primary = textOf(account, "cnae_primary");
  const { cnae_secondary: codes } = account;
  const others = Array.isArray(codes) ? codes.map(String) : [];
  const nameOf = (code: string) => catalog.value?.activityName(punctuateCnae(code)) ?? null;
  return (
    <Group title={drawer.activities}>
      {primary !== "" && (
        <Activity
          code={primary}
          name={textOf(account, "cnae_primary_description") || nameOf(primary)}
        />
      )}
      {others.length > 0 && (
        <>
          <h4>{drawer.secondary}</h4>
          <ul class="account-activities">
            {others.map((code) => (
              <li key={code}>
                <Activity code={code} name={nameOf(code)} />
              </li>
            ))}
          </ul>
        </>
      )}
    </Group>
  );
}

function Activity({ code, name }: { code: string; name: string | null }): VNode {
  return (
    <p class="account-activity">
      <span class="account-code">{/^\d{7}$/.test(code) ? punctuateCnae(code) : code}</span>
      <span>{name}</span>
    </p>
  );
}

function Address({ account }: { account: Account }): VNode {
  const { drawer } = words.value.table;
  const city = cityText(account);
  const population = account.municipality_population;
  const postal = postalText(textOf(account, "postal_code"));
  const lines = [
    streetText(account),
    textOf(account, "district"),
    [postal, city].filter((part) => part !== "").join(" "),
  ].filter((line) => line !== "");
  return (
    <Group title={drawer.address}>
      <address class="account-address">
        {lines.map((line) => (
          <span key={line}>{line}</span>
        ))}
      </address>
      <p class="account-sites">
        <CopyButton small text={lines.join("\n")} label={drawer.copyAddress} />
        {account.uf !== "EX" && <OtherSite href={mapOf(lines)}>{drawer.map}</OtherSite>}
      </p>
      {typeof population === "number" && (
        <p class="account-none">{drawer.population(number(population))}</p>
      )}
      <FactList facts={codesOf(account)} />
    </Group>
  );
}

/** A term and its value; hidden if empty. */
export type Fact = readonly [term: string, value: string];

function Company({ account }: { account: Account }): VNode {
  const { drawer } = words.value.table;
  const facts = [...companyFacts(account), ...registerFacts(account)];
  return (
    <Group title={drawer.company}>
      <FactList facts={facts} />
      <p class="account-sites">
        <OtherSite href={registryOf(account.cnpj)}>{drawer.registry}</OtherSite>
      </p>
      <p class="account-none">{drawer.partners}</p>
    </Group>
  );
}

/** Shows a list of terms and values. Terms with an empty value are left out. */
export function FactList({ facts }: { facts: readonly Fact[] }): VNode {
  return (
    <dl class="account-facts">
      {facts
        .filter(([, value]) => value !== "")
        .map(([term, value]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/**
 * Returns the municipality's codes in other registers. They are listed last, because they serve
 * only to join data.
 */
function codesOf(account: Account): Fact[] {
  const { fields } = words.value.table;
  return [
    [fields.municipality_ibge, textOf(account, "municipality_ibge")],
    [fields.municipality_tom, textOf(account, "municipality_tom")],
  ];
}

function companyFacts(account: Account): Fact[] {
  const { fields } = words.value.table;
  const { sizes } = words.value.codes;
  const capital = account.share_capital;
  const nature = [textOf(account, "legal_nature_description"), textOf(account, "legal_nature")];
  return [
    [fields.started_on, openedText(account)],
    [fields.company_size_code, named(sizes, textOf(account, "company_size_code"))],
    [fields.share_capital, typeof capital === "number" ? money(capital) : ""],
    [fields.legal_nature_description, nature.filter((one) => one !== "").join(" · ")],
    [fields.simples_opt_in, yesNo(account.simples_opt_in)],
    [fields.mei_opt_in, yesNo(account.mei_opt_in)],
  ];
}

function registerFacts(account: Account): Fact[] {
  const { fields, drawer } = words.value.table;
  const { statuses } = words.value.codes;
  const reasons = reasonNames();
  const status = named(statuses, textOf(account, "registration_status"));
  const since = textOf(account, "registration_status_date");
  const reason = textOf(account, "registration_status_reason");
  const abroad = account.uf === "EX";
  const statusText = since === "" ? status : drawer.since(status, date(since));
  const parts = [
    statusText,
    reason === "" || /^0*$/.test(reason) ? "" : drawer.reason(named(reasons, reason)),
  ];
  return [
    [fields.registration_status, parts.filter((part) => part !== "").join(", ")],
    [fields.cnpj_root, cnpjRoot(textOf(account, "cnpj_root"))],
    [fields.country_code, abroad ? textOf(account, "country_code") : ""],
  ];
}

/** Returns the registered opening day. */
function openedText(account: Account): string {
  const day = textOf(account, "started_on");
  return day === "" ? "" : date(day);
}

/** Returns the chat link of a Brazilian mobile number, or null for any other text. */
function whatsApp(text: string): string | null {
  const mobile = /^\+(55\d{2}9\d{8})$/.exec(text);
  return mobile === null ? null : `https://wa.me/${mobile[1]}`;
}

/** Returns the address of a map page that shows a postal address. */
function mapOf(lines: readonly string[]): string {
  const query = encodeURIComponent(lines.join(", "));
  return `https://www.google.com/maps/search/?api=1&query=${query}`;
}

function registryOf(cnpj: string): string {
  return REGISTRY + encodeURIComponent(cnpj);
}
