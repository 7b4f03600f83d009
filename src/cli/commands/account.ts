/**
 * `peneira account`: prints every field of one account, without a server.
 * Invariant: the values equal the answer of GET /v1/accounts/{cnpj}; if a CNPJ is not in the
 * snapshot, the command fails and reports wrong check digits.
 */
import { type Command, Option } from "commander";
import { CommandError } from "../../errors.ts";
import { absent } from "../../http/api/accounts/accounts.ts";
import { openAnySegment } from "../../ingest/columns/boot.ts";
import { stdout, visibleLine } from "../../process/terminal.ts";
import { account, type RenderedAccount } from "../../search/searcher.ts";
import { cnpjMistake } from "../../spec/cnpj/cnpjmistake.ts";
import { readCnpjText } from "../../spec/cnpj/cnpjspelling.ts";
import { OUTPUT_FIELD_NAMES } from "../../spec/fields.ts";

const FORMATS = ["table", "json"] as const;

interface AccountOptions {
  readonly snapshot: string;
  readonly format: (typeof FORMATS)[number];
}

const EXAMPLES = `
Examples:
  $ peneira account --snapshot 2026-10.peneira 11.222.333/0001-81
  $ peneira account --snapshot 2026-10.peneira 11222333000181 --format json

All establishments of a company: peneira find with the first 8 characters of its CNPJ.`;

/** Adds `peneira account` to the program. */
export function registerAccount(program: Command): void {
  program
    .command("account")
    .summary("print one account by its CNPJ")
    .description("Prints every field of the account of a CNPJ.")
    .argument("<cnpj>", "14 characters, with or without punctuation, in any case")
    .requiredOption("--snapshot <file>", "the snapshot to read from")
    .addOption(new Option("--format <format>", "how to print").choices(FORMATS).default("table"))
    .addHelpText("after", EXAMPLES)
    .action(run);
}

async function run(text: string, { snapshot, format }: AccountOptions): Promise<void> {
  const read = readCnpjText(text);
  if (read.kind !== "cnpj") throw new CommandError(cnpjMistake(read, "").detail, 2);
  const segment = await openAnySegment(snapshot);
  try {
    const found = account(segment, read.cnpj, OUTPUT_FIELD_NAMES);
    if (found === null) throw absent(segment.label, read.checked);
    stdout.data(format === "json" ? `${JSON.stringify(found, null, 2)}\n` : lines(found));
  } finally {
    segment.close();
  }
}

/** Formats each field as a line; a missing value is a dash. */
function lines(found: RenderedAccount): string {
  const width = Math.max(...OUTPUT_FIELD_NAMES.map((name) => name.length));
  return OUTPUT_FIELD_NAMES.map((name) => {
    const value = found[name] ?? null;
    const shown = Array.isArray(value) ? value.join(", ") || null : value;
    return `${name.padEnd(width)}  ${visibleLine(String(shown ?? "-"))}\n`;
  }).join("");
}
