/**
 * `peneira find`: finds accounts by name, CNPJ, phone, or e-mail, without a server.
 * Invariant: the accounts, their order, and their match kinds equal the answer of GET
 * /v1/accounts/suggest.
 */
import { type Command, InvalidArgumentError, Option } from "commander";
import { CommandError } from "../../errors.ts";
import { openAnySegment } from "../../ingest/columns/boot.ts";
import { stderr, stdout } from "../../process/terminal.ts";
import {
  contactCount,
  mistakeIn,
  SUGGEST_LIMITS,
  type Suggestions,
  suggest,
} from "../../search/finding.ts";
import { refusalText } from "../../spec/cnpj/cnpjmistake.ts";
import { contactRefusalText } from "../../spec/contacts/contactrefusal.ts";
import { lacksArea } from "../../spec/contacts/phones.ts";
import { STATE_NAMES } from "../../spec/states.ts";
import { plainText } from "../../spec/typedtext.ts";
import { wordFor } from "../../text/amounts.ts";
import { positive } from "../support/inputfiles.ts";
import { printJsonLines, printTable } from "../support/print.ts";

const FORMATS = ["table", "json", "jsonl"] as const;

interface FindOptions {
  readonly snapshot: string;
  readonly uf?: string;
  readonly limit: number;
  readonly format: (typeof FORMATS)[number];
}

const FIELDS = ["cnpj", "legal_name", "trade_name", "municipality_name", "uf"];

const EXAMPLES = `
Examples:
  $ peneira find --snapshot 2026-10.peneira padaria estrela da manha
  $ peneira find --snapshot 2026-10.peneira --uf SP --limit 20 "pdaria estrela"
  $ peneira find --snapshot 2026-10.peneira 11.222.333
  $ peneira find --snapshot 2026-10.peneira "(11) 98765-4321"`;

/** Adds `peneira find` to the program. */
export function registerFind(program: Command): void {
  program
    .command("find")
    .summary("find accounts by name, CNPJ, phone, or e-mail")
    .description(
      "Finds accounts by a legal or trade name, best match first. The name may be incomplete or " +
        "have up to two typos. Also finds accounts by CNPJ, by its first 8 characters, by phone, " +
        "or by e-mail.",
    )
    .argument("<text...>", "a name or a part of it, a CNPJ, a phone, or an e-mail")
    .requiredOption("--snapshot <file>", "the snapshot to look in (required)")
    .option("--uf <state>", "only accounts of this state; EX is abroad", state)
    .addOption(
      new Option("--limit <n>", "maximum number of accounts, at most 20")
        .argParser(positive)
        .default(SUGGEST_LIMITS.limitDefault),
    )
    .addOption(new Option("--format <format>", "how to print").choices(FORMATS).default("table"))
    .addHelpText("after", EXAMPLES)
    .action(run);
}

function state(text: string): string {
  const uf = text.toUpperCase();
  if (uf === "EX" || Object.hasOwn(STATE_NAMES, uf)) return uf;
  throw new InvalidArgumentError("It must be the two letters of a state, or EX.");
}

async function run(words: readonly string[], options: FindOptions): Promise<void> {
  const { format, limit, uf = null } = options;
  const text = plainText(words.join(" "));
  const mistake = mistakeIn(text);
  if (mistake !== null) throw new CommandError(mistake, 2);
  if (limit > SUGGEST_LIMITS.limit) {
    throw new CommandError(`--limit can be at most ${SUGGEST_LIMITS.limit}.`, 2);
  }
  const segment = await openAnySegment(options.snapshot);
  try {
    // Requests one match more than the limit, to see if there are further matches.
    const all = await suggest(segment, {
      ...{ text, uf, limit: limit + 1, fields: FIELDS },
      contacts: { phone: true, email: true },
    });
    const found = { ...all, suggestions: all.suggestions.slice(0, limit) };
    const rows = found.suggestions.map(({ match, account }) => ({ match, ...account }));
    if (format === "table") stdout.print(printTable(rows, ["match", ...FIELDS]));
    else if (format === "jsonl") stdout.data(printJsonLines(rows));
    else stdout.data(`${JSON.stringify({ snapshot: segment.label, ...found }, null, 2)}\n`);
    const hasMore = all.suggestions.length > limit;
    stderr.print(summary(found, { hasMore, label: segment.label, isPhone: lacksArea(text) }));
  } finally {
    segment.close();
  }
}

interface Summed {
  readonly hasMore: boolean;
  readonly label: string;
  /** True if the text looks like a phone without its area code. */
  readonly isPhone: boolean;
}

function summary(found: Suggestions, { hasMore, label, isPhone }: Summed): string {
  const { suggestions, number, contact, refused, contact_refused: whyNot } = found;
  const count = suggestions.length;
  const wrong =
    number?.check_digits_right === false
      ? `${number.value} has wrong check digits: look for a mistyped one\n`
      : "";
  // A number refused as a contact may match names. Such matches are counted as names.
  const why = refused === null ? "" : `${refusalText(refused)}\n`;
  if (contact !== null && (contact.total > 0 || count === 0)) {
    return `${contactCount(contact)} in snapshot ${label}\n${contact.total > 0 ? "" : why}`;
  }
  const total = hasMore
    ? `the first ${count} of the accounts that fit`
    : `${count} ${wordFor(count, "account fits", "accounts fit")}`;
  const lacks = whyNot === null ? "" : `${contactRefusalText(whyNot)}\n`;
  // A number may have been refused both as a contact and as a CNPJ. If it looks like a phone, the
  // reason why it is not a contact comes first.
  const whys = whyNot !== null && isPhone ? `${lacks}${why}` : `${why}${lacks}`;
  return `${wrong}${whys}${total} in snapshot ${label}\n`;
}
