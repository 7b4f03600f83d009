/**
 * `peneira account`: prints every field of one account, without a server.
 * Invariant: the values equal the answer of GET /v1/accounts/{cnpj}. If a CNPJ is not in the
 * snapshot, the command fails and reports wrong check digits.
 */
import { type Command, Option } from "commander";
import { CommandError } from "../../errors.ts";
import { absent } from "../../http/api/accounts/accounts.ts";
import { openAnySegment } from "../../ingest/columns/boot.ts";
import { stdout, visibleLine } from "../../process/terminal.ts";
import { ownershipOf, type Partnership } from "../../search/owners.ts";
import { account, type RenderedAccount } from "../../search/searcher.ts";
import type { Segment } from "../../search/segment.ts";
import { notInSnapshot } from "../../spec/catalog.ts";
import { cnpjMistake } from "../../spec/cnpj/cnpjmistake.ts";
import { readCnpjText } from "../../spec/cnpj/cnpjspelling.ts";
import { OUTPUT_FIELD_NAMES } from "../../spec/fields.ts";

const FORMATS = ["table", "json"] as const;

interface AccountOptions {
  readonly snapshot: string;
  readonly format: (typeof FORMATS)[number];
  readonly depth?: string;
}

/** Max steps of the tree of owners. */
const DEPTH_MAX = 5;
/** Max number of owners, and of owned companies, that are shown. The API lists all. */
const SHOWN_MAX = 50;

const EXAMPLES = `
Examples:
  $ peneira account --snapshot 2026-10.peneira 11.222.333/0001-81
  $ peneira account --snapshot 2026-10.peneira 11222333000181 --format json
  $ peneira account --snapshot 2026-10.peneira 11222333000181 --depth 2

\`peneira find\` with the first 8 characters of a CNPJ lists up to 20 establishments of its company;
GET /v1/companies/{root} of a server lists all.`;

/** Adds `peneira account` to the program. */
export function registerAccount(program: Command): void {
  program
    .command("account")
    .summary("print one account by its CNPJ")
    .description("Prints every field of one account, which is one establishment of a company.")
    .argument("<cnpj>", "14 characters, with or without punctuation, upper or lower case")
    .requiredOption("--snapshot <file>", "the snapshot to read from (required)")
    .addOption(new Option("--format <format>", "how to print").choices(FORMATS).default("table"))
    .option(
      "--depth <n>",
      "also show which companies own it, and which it owns, up to n steps (the import needs " +
        "--corporate-partners)",
    )
    .addHelpText("after", EXAMPLES)
    .action(run);
}

async function run(text: string, options: AccountOptions): Promise<void> {
  const { snapshot, format } = options;
  const depth = readDepth(options.depth);
  const read = readCnpjText(text);
  if (read.kind !== "cnpj") throw new CommandError(cnpjMistake(read, "").detail, 2);
  const segment = await openAnySegment(snapshot);
  try {
    const found = account(segment, read.cnpj, OUTPUT_FIELD_NAMES);
    if (found === null) throw absent(segment.label, read.checked);
    const tree = depth === 0 ? null : treeOf(segment, read.cnpj.slice(0, ROOT_LENGTH), depth);
    if (format === "json") {
      const shown = tree === null ? found : { ...found, ...tree };
      return stdout.data(`${JSON.stringify(shown, null, 2)}\n`);
    }
    stdout.data(lines(found));
    if (tree !== null) stdout.data(treeLines(tree));
  } finally {
    segment.close();
  }
}

const ROOT_LENGTH = 8;

/** Parses `--depth`. @throws CommandError (exit 2) for an invalid depth. */
function readDepth(typed: string | undefined): number {
  if (typed === undefined) return 0;
  const depth = Number(typed);
  if (Number.isInteger(depth) && depth >= 1 && depth <= DEPTH_MAX) return depth;
  throw new CommandError(
    `--depth must be a whole number from 1 to ${DEPTH_MAX}, not "${typed}"`,
    2,
  );
}

/** A company, and the companies that own it or that it owns, depending on the tree. */
interface Branch extends Partnership {
  readonly companies: readonly Branch[];
  /** Number of further companies below this one that are not shown. */
  readonly more: number;
}

interface Tree {
  readonly owners: readonly Branch[];
  readonly owns: readonly Branch[];
}

/** Returns owners and owned companies. @throws CommandError if the import read no partners. */
function treeOf(segment: Segment, root: string, depth: number): Tree {
  if (ownershipOf(segment, { root, limit: 1 }) === null) {
    throw new CommandError(notInSnapshot("--depth", "partners"));
  }
  const below = (direction: keyof Tree) => branches(segment, { root, depth, direction }, [root]);
  return { owners: below("owners").companies, owns: below("owns").companies };
}

/** Returns the companies below a company. To end cycles, repeated companies are not expanded. */
function branches(
  segment: Segment,
  { root, depth, direction }: { root: string; depth: number; direction: keyof Tree },
  above: readonly string[],
): Pick<Branch, "companies" | "more"> {
  const listed = ownershipOf(segment, { root, limit: SHOWN_MAX })?.[direction];
  const companies = (listed?.companies ?? []).map((one): Branch => {
    const { cnpj_root: next } = one;
    const isOpen = depth > 1 && !above.includes(next);
    const further = { root: next, depth: depth - 1, direction };
    const below = isOpen ? branches(segment, further, [...above, next]) : NOTHING;
    return { ...one, ...below };
  });
  return { companies, more: (listed?.total ?? 0) - companies.length };
}

const NOTHING = { companies: [], more: 0 };

function treeLines({ owners, owns }: Tree): string {
  const part = (title: string, list: readonly Branch[]): string =>
    list.length === 0 ? `${title}: none\n` : `${title}:\n${branchLines(list, 1)}`;
  return `\n${part("Owned by", owners)}${part("Owns", owns)}`;
}

function branchLines(list: readonly Branch[], level: number): string {
  const indent = "  ".repeat(level);
  return list
    .map(({ cnpj_root: root, legal_name: name, since, companies, more }) => {
      const day = since === null ? "" : `, since ${since}`;
      const rest = more > 0 ? `${indent}  and ${more} more\n` : "";
      const own = `${indent}${root}  ${visibleLine(name ?? "(not in the snapshot)")}${day}\n`;
      return `${own}${branchLines(companies, level + 1)}${rest}`;
    })
    .join("");
}

/** Formats each field as a line. A missing value is a dash. */
function lines(found: RenderedAccount): string {
  const width = Math.max(...OUTPUT_FIELD_NAMES.map((name) => name.length));
  return OUTPUT_FIELD_NAMES.map((name) => {
    const value = found[name] ?? null;
    const shown = Array.isArray(value) ? value.join(", ") || null : value;
    return `${name.padEnd(width)}  ${visibleLine(String(shown ?? "-"))}\n`;
  }).join("");
}
