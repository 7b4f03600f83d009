/**
 * Shows the rest of a company's public record: dates on which it left regimes, sanctions, federal
 * debt, and a tree of its owners and of companies that it owns.
 * Invariant: each public list has its date, and a list that was not imported is omitted. The tree
 * is the server's answer, two steps deep. Companies beyond its limits are only counted.
 */
import type { VNode } from "preact";
import { DEBT_KINDS } from "../../../spec/filters/wider.ts";
import type { Account, AccountAnswer } from "../app/answers.ts";
import { date, money, month, number } from "../app/format.ts";
import { lazyWords } from "../app/lazywords.ts";
import type { OwnedCompanies, OwnedCompany, OwnershipAnswer } from "../app/recordanswers.ts";
import { CompanyLink, Link } from "../app/router.ts";
import { words } from "../app/words.ts";
import { type Fact, FactList, Group } from "../find/table/facts.tsx";
import { companyName, textOf, yesNo } from "../find/table/values.ts";
import { useAnswer } from "../parts/load.ts";
import { ErrorNotice } from "../parts/notice.tsx";
import { Card } from "../parts/page.tsx";

type Provenance = AccountAnswer["provenance"];

/** Shows the facts of the record. Renders nothing if no fact is known. */
export function RecordFacts(props: { account: Account; provenance: Provenance }): VNode | null {
  const facts = factsOf(props.account, props.provenance).filter(([, value]) => value !== "");
  if (facts.length === 0) return null;
  return (
    <Group title={lazyWords.value.record.title}>
      <FactList facts={facts} />
    </Group>
  );
}

function factsOf(account: Account, provenance: Provenance): Fact[] {
  const { fields } = words.value.table;
  const dayOf = (field: string) => (account[field] ? date(textOf(account, field)) : "");
  const listed = (value: unknown, since: string | undefined) => dated(yesNo(value), since);
  return [
    [fields.simples_excluded_on, dayOf("simples_excluded_on")],
    [fields.mei_excluded_on, dayOf("mei_excluded_on")],
    [fields.sanctioned, listed(account.sanctioned, provenance.ceis_as_of_date)],
    [fields.in_cnep, listed(account.in_cnep, provenance.cnep_as_of_date)],
    [fields.in_cepim, listed(account.in_cepim, provenance.cepim_as_of_date)],
    [fields.federal_debt, dated(debtText(account), provenance.pgfn_as_of_month)],
  ];
}

/** Appends the date of a list to a text: a day or a month. */
function dated(text: string, since: string | undefined): string {
  if (text === "" || since === undefined || since === "not_available") return text;
  const when = since.length > 7 ? date(since) : month(since);
  return `${text}, ${lazyWords.value.record.asOf(when)}`;
}

/** Formats the amount and kinds of a debt. */
function debtText(account: Account): string {
  const { record } = lazyWords.value;
  const { federal_debt: has, federal_debt_total: total } = account;
  if (has !== true) return yesNo(has);
  const { debts } = words.value.find.described;
  const kinds = DEBT_KINDS.filter((kind) => account[`federal_debt_${kind}`] === true);
  const amount = typeof total === "number" ? money(total) : yesNo(has);
  return record.debtOf(amount, kinds.map((kind) => debts[kind]).join(", "));
}

/** Shows the owners and the owned companies. Renders nothing if the snapshot has no partners. */
export function Ownership({ root }: { root: string }): VNode | null {
  const { record } = lazyWords.value;
  const { answer, error, reload } = useAnswer<OwnershipAnswer>(`/companies/${root}/ownership`);
  if (error !== null) return <ErrorNotice title={record.failed} error={error} onRetry={reload} />;
  if (answer === null || answer.owners === null || answer.owns === null) return null;
  const { owners, owns, partners_snapshot: label } = answer;
  return (
    <Card title={record.owners}>
      <Tree title={record.owners} companies={owners} />
      <h3>{record.owns}</h3>
      <Tree title={record.owns} companies={owns} />
      {owns.total > 0 && (
        <Link view="find" hash={`owned_by=${root}`}>
          {record.allOwned}
        </Link>
      )}
      {label !== null && <p class="company-told">{record.partnersOf(month(label))}</p>}
    </Card>
  );
}

function Tree({ title, companies: { companies, total } }: TreeProps): VNode {
  const { record } = lazyWords.value;
  const left = total - companies.length;
  if (total === 0) return <p class="company-told">{record.none}</p>;
  return (
    <ul class="company-tree" aria-label={title}>
      {companies.map((one) => (
        <Branch key={one.cnpj_root} company={one} />
      ))}
      {left > 0 && <li class="company-told">{record.more(number(left))}</li>}
    </ul>
  );
}

interface TreeProps {
  title: string;
  companies: OwnedCompanies;
}

function Branch({ company }: { company: OwnedCompany }): VNode {
  const { record } = lazyWords.value;
  const { cnpj_root: root, legal_name: name, qualification: code, since, next } = company;
  const summary = [
    root.replace(/^(..)(...)/, "$1.$2."),
    code === null ? "" : (record.qualifications[code] ?? record.qualification(code)),
    since === null ? "" : record.since(date(since)),
  ].filter((one) => one !== "");
  return (
    <li>
      {name === null ? (
        <span>{record.unnamed}</span>
      ) : (
        <CompanyLink cnpj={root}>{companyName(name)}</CompanyLink>
      )}
      <span class="company-told">{summary.join(" · ")}</span>
      {next !== null && next.total > 0 && <Tree title={name ?? root} companies={next} />}
    </li>
  );
}
