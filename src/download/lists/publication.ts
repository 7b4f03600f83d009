/**
 * Finds the newest publication of a public list: CEIS, CNEP, and CEPIM of the Portal da
 * Transparência, and the debts of PGFN. Input: the address of the portal, or of PGFN's listing.
 * Output: the files of one publication with size, tag, and date, and the date in its name.
 * Invariant: a page supplies only a date or one of the known names, never a path. If a quarter
 * lacks one of its three zips, an older complete quarter is used.
 */
import { isDay } from "../../../native-index/format/snapshot/meta-schema.ts";
import { withRetries } from "../backoff.ts";
import { DownloadError, errorOfStatus, ShareFault } from "../downloaderror.ts";
import { measured, type RemoteFile, remoteFile } from "../months.ts";
import { listFolder, type SourceContext } from "../source.ts";
import type { PublicList } from "./names.ts";

/** One publication of a list. */
export interface Publication {
  readonly list: PublicList;
  /** Name of the file, or of the quarter's folder. */
  readonly name: string;
  /** Date of the list, such as `2026-09-30`; for debts, the last month of the quarter. */
  readonly asOf: string;
  readonly files: readonly RemoteFile[];
}

/** Max bytes of the portal's page, usually a few hundred kB. Its script contains the dates. */
const PAGE_BYTES_MAX = 4 * 2 ** 20;
/** Number of quarters to try, because the newest may still lack a zip. */
const QUARTERS_TRIED = 3;

/** Finds the newest publication. @throws ShareFault, Interrupted */
export function newestPublication(context: SourceContext, list: PublicList): Promise<Publication> {
  return list === "pgfn" ? newestQuarter(context) : newestDay(context, list);
}

/** Finds the newest zip of a sanctions list. The list's page names the available days. */
async function newestDay(
  context: SourceContext,
  list: Exclude<PublicList, "pgfn">,
): Promise<Publication> {
  const { source } = context;
  const page = new URL(list, source.share.root);
  const text = await withRetries({
    ...context,
    name: `the page of ${list.toUpperCase()}`,
    step: () => pageText(context, page),
  });
  const day = newestDayOf(text);
  if (day === null) {
    throw new ShareFault(
      `${page.href} names no day. Perhaps it asks for a person; open it in a browser, and save ` +
        `the zip as AAAAMMDD_${list.toUpperCase()}.zip.`,
    );
  }
  const digits = day.replaceAll("-", "");
  const name = `${digits}_${list.toUpperCase()}.zip`;
  const url = new URL(`${list}/${digits}`, source.share.root);
  const files = await remoteFiles(context, [{ name, url }], []);
  return { list, name, asOf: day, files };
}

/** Returns a pattern that matches a member in the page's script and captures its value. */
const member = (name: string, value: string) => `"${name}"\\s{0,9}:\\s{0,9}"(${value})"`;
const DAY = new RegExp(
  [member("ano", "20\\d\\d"), member("mes", "\\d\\d"), member("dia", "\\d\\d")].join(
    "\\s{0,9},\\s{0,9}",
  ),
  "g",
);

/** Returns the latest day (`"ano" : "2026", "mes" : "09", "dia" : "30"`) on a page, or null. */
export function newestDayOf(page: string): string | null {
  const found = [...page.matchAll(DAY)].map(([, year, month, day]) => `${year}-${month}-${day}`);
  return found.filter(isDay).sort().at(-1) ?? null;
}

async function pageText({ source, signal }: SourceContext, url: URL): Promise<string> {
  const answer = await source.request({
    method: "GET",
    url,
    signal,
    headers: { accept: "text/html" },
  });
  if (answer.status !== 200) {
    answer.drop();
    throw errorOfStatus(answer, false);
  }
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of answer.body()) {
    bytes += piece.length;
    if (bytes > PAGE_BYTES_MAX) {
      answer.drop();
      throw new ShareFault(`${url.href} is longer than a page of the portal.`);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("latin1");
}

/** Names of a quarter's zips. One quarter has `…Previdenciariozip.zip`. */
const DEBT_ZIP = /^Dados_abertos_(FGTS|Previdenciario|Nao_Previdenciario)(?:zip)?\.zip$/;
const DEBT_KINDS = ["FGTS", "Previdenciario", "Nao_Previdenciario"] as const;
const QUARTER = /^(20\d\d)_trimestre_0([1-4])$/;

async function newestQuarter(context: SourceContext): Promise<Publication> {
  const entries = await listFolder(context, []);
  const names = entries.flatMap(({ folder, name }) => (folder && QUARTER.test(name) ? [name] : []));
  if (names.length === 0) {
    const { href } = context.source.share.root;
    throw new ShareFault(`There are no quarters at ${href}. Check download.url.`);
  }
  for (const name of names.sort().reverse().slice(0, QUARTERS_TRIED)) {
    const found = (await listFolder(context, [name])).filter((entry) => {
      return !entry.folder && DEBT_ZIP.test(entry.name);
    });
    const lacking = DEBT_KINDS.filter((kind) => {
      return !found.some((entry) => DEBT_ZIP.exec(entry.name)?.[1] === kind);
    });
    const files = lacking.length > 0 ? [] : await remoteFiles(context, found, [name]);
    if (files.length > 0 && files.every(({ bytes }) => bytes > 0)) {
      return { list: "pgfn", name, asOf: lastMonthOf(name), files };
    }
    context.report(`${name} is not complete: it lacks ${lacking.join(", ") || "a zip with bytes"}`);
  }
  throw new ShareFault("None of PGFN's newest quarters is complete. Try again later.");
}

/** `2026_trimestre_02` holds the list of `2026-06`. */
function lastMonthOf(quarter: string): string {
  const [, year, number] = QUARTER.exec(quarter) ?? [];
  return `${year}-${String(Number(number) * 3).padStart(2, "0")}`;
}

interface FoundFile {
  readonly name: string;
  readonly url: URL;
}

/** Requests size, tag, and date of files; `folder` is their local path. */
async function remoteFiles(
  context: SourceContext,
  found: readonly FoundFile[],
  folder: readonly string[],
): Promise<RemoteFile[]> {
  const open = { folder: false, bytes: null, etag: null, modified: null, unmeasured: true };
  const entries = await measured(
    context,
    found.map(({ name, url }) => ({ ...open, name, url })),
  );
  return entries.map((entry) => {
    if (entry.bytes === null) {
      throw new DownloadError("replaced", `${entry.name} is listed, but not there`);
    }
    return remoteFile([...folder, entry.name], context.source, entry);
  });
}
