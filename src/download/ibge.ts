/**
 * Downloads tables of IBGE's open service: `places.csv` and `descriptors.csv`.
 * Invariant: a file gets its name only when it is complete and an import could parse it. If the
 * download fails, the old file stays.
 */
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { activityTextsOf, activityTextsText, subclassesOf } from "../dump/activities.ts";
import { type PlaceRow, placesOf, placesText } from "../dump/places.ts";
import { CommandError } from "../errors.ts";
import { wordFor } from "../text/amounts.ts";
import { retryLimitsOf, withRetries } from "./backoff.ts";
import { type ShareAnswer, ShareClient } from "./client.ts";
import { DownloadError, retryAfter, ShareFault } from "./downloaderror.ts";
import type { Listener } from "./month.ts";
import type { ProxyRules } from "./proxy.ts";
import { sizeText } from "./words.ts";
import { makeFolder } from "./workfolder.ts";

/** Max consecutive failures of a request. */
const ATTEMPTS = 5;
/** Max bytes of an answer. Usual answers have 2 to 6 MB. */
const ANSWER_MAX = 2 ** 26;
/** Max wrong entries listed. */
const WRONG_SHOWN = 5;

interface ServiceUse {
  /** Base address of the service, ending with `/`. */
  readonly url: string;
  readonly proxies: ProxyRules;
  readonly stallMs: number;
  readonly signal: AbortSignal;
  readonly listener: Listener;
}

/** A written file. */
export interface FetchedTable {
  readonly file: string;
  readonly rows: number;
  readonly bytes: number;
}

interface TableRecipe {
  /** Path below the service's address. */
  readonly path: string;
  readonly file: string;
  /** Singular and plural name of a row, for display. */
  readonly row: readonly [one: string, more: string];
  /** Converts an answer to the file's text and number of rows. Appends faults to `mistakes`. */
  readonly make: (
    answer: unknown,
    mistakes: string[],
  ) => { readonly text: string; readonly rows: number };
}

/** The tables, by their flag. */
const TABLES = {
  places: {
    path: "v1/localidades/municipios",
    file: "places.csv",
    row: ["municipality", "municipalities"],
    make(answer, mistakes) {
      const rows = placeRowsOf(answer, mistakes);
      const text = placesText(rows);
      if (mistakes.length === 0) placesOf("places.csv", text);
      return { text, rows: rows.length };
    },
  },
  descriptors: {
    path: "v2/cnae/subclasses",
    file: "descriptors.csv",
    row: ["text", "texts"],
    make(answer, mistakes) {
      const subclasses = subclassesOf(answer, mistakes);
      const text = activityTextsText(subclasses);
      if (mistakes.length === 0) activityTextsOf("descriptors.csv", text);
      return { text, rows: subclasses.reduce((sum, { texts }) => sum + texts.length, 0) };
    },
  },
} as const satisfies Record<string, TableRecipe>;

/** Name of a table. */
export type ServiceTable = keyof typeof TABLES;

/** Fetches a table into a folder. @throws CommandError, Interrupted */
export async function downloadTable(
  name: ServiceTable,
  to: string,
  use: ServiceUse,
): Promise<FetchedTable> {
  const { path, file, row, make }: TableRecipe = TABLES[name];
  await makeFolder(to);
  const url = new URL(path, use.url);
  const { signal, stallMs, listener } = use;
  const share = { root: new URL(use.url), authorization: null, prefix: null };
  const client = new ShareClient(share, stallMs, use.proxies);
  const body = await withRetries({
    ...{ name: file, retryLimits: retryLimitsOf(stallMs, ATTEMPTS) },
    ...{ signal, report: listener.report },
    step: () => answerOf(client, url, use, file),
    advice: () => "Run the command again later, or set download.ibge_url.",
  });
  const mistakes: string[] = [];
  const { text, rows } = make(parsed(body, url), mistakes);
  if (mistakes.length > 0) throw notAsExpected(url, mistakes);
  const bytes = Buffer.byteLength(text);
  const whole = join(to, file);
  await replaceFile(whole, text);
  listener.report(
    `${whole}: ${rows.toLocaleString("en-US")} ${wordFor(rows, ...row)}, ${sizeText(bytes)}`,
  );
  return { file: whole, rows, bytes };
}

/** Makes one attempt to read the whole body. @throws DownloadError, ShareFault */
async function answerOf(
  client: ShareClient,
  url: URL,
  { signal, listener }: ServiceUse,
  label: string,
): Promise<string> {
  const headers = { accept: "application/json" };
  const answer = await client.request({ method: "GET", url, headers, signal });
  if (answer.status !== 200) {
    answer.drop();
    throw refusalOf(answer);
  }
  const length = Number(answer.headers.get("content-length") ?? 0);
  const shown = listener.show(label, length);
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of answer.body()) {
      bytes += piece.length;
      if (bytes > ANSWER_MAX) {
        answer.drop();
        throw new ShareFault(`${url.href} sends more than ${sizeText(ANSWER_MAX)}.`);
      }
      pieces.push(piece);
      shown.update(bytes);
    }
  } finally {
    shown.done();
  }
  if (bytes < length) {
    const here = `${sizeText(bytes)} of ${sizeText(length)}`;
    throw new DownloadError("again", `the connection was cut after ${here}`);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function refusalOf({ status, headers, url }: ShareAnswer): Error {
  if (status >= 500 || [408, 423, 425, 429].includes(status)) {
    const waitMs = Math.min(60_000, retryAfter(headers.get("retry-after"), Date.now()));
    return new DownloadError("again", `the service answers ${status}`, { waitMs });
  }
  return new ShareFault(`${url.href} answers ${status}; check download.ibge_url.`);
}

function parsed(body: string, url: URL): unknown {
  try {
    return JSON.parse(body.replace(/^\ufeff/, ""));
  } catch (error) {
    const reason = (error as Error).message;
    throw new ShareFault(
      `${url.href} answers no JSON (${reason}); check download.ibge_url.`,
      1,
      error,
    );
  }
}

function notAsExpected(url: URL, mistakes: readonly string[]): ShareFault {
  const shown = mistakes.slice(0, WRONG_SHOWN).map((mistake) => `\n- ${mistake}`);
  const more = mistakes.length - shown.length;
  return new ShareFault(
    `${url.href} does not answer as it did when this version was made:${shown.join("")}` +
      `${more > 0 ? `\n- and ${more} more` : ""}`,
  );
}

async function replaceFile(whole: string, text: string): Promise<void> {
  const part = `${whole}.part`;
  try {
    const handle = await open(part, "w", 0o666);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(part, whole);
  } catch (error) {
    await rm(part, { force: true }).catch(() => {});
    throw new CommandError(`${whole} cannot be written: ${(error as Error).message}.`, 1, error);
  }
}

type Entry = Readonly<Record<string, unknown>> | null | undefined;

/** Returns municipalities with their regions. New ones may lack older kinds of region. */
function placeRowsOf(answer: unknown, mistakes: string[]): readonly PlaceRow[] {
  if (!Array.isArray(answer) || answer.length === 0) {
    mistakes.push("it is not a list of municipalities");
    return [];
  }
  const inner = (entry: Entry, name: string) => entry?.[name] as Entry;
  return answer.map((entry: Entry, at): PlaceRow => {
    const ibge = String(entry?.id ?? "");
    if (!/^\d{7}$/.test(ibge)) mistakes.push(`entry ${at + 1}: id is not a code of 7 digits`);
    const micro = inner(entry, "microrregiao");
    const immediate = inner(entry, "regiao-imediata");
    const all = [
      inner(micro, "mesorregiao"),
      micro,
      inner(immediate, "regiao-intermediaria"),
      immediate,
    ];
    if (all.every((region) => region == null)) mistakes.push(`entry ${at + 1}: it has no regions`);
    const regions = all.map((region) => {
      const name = region?.nome ?? "";
      if (typeof name !== "string") mistakes.push(`entry ${at + 1}: nome is not a text`);
      return String(name).trim();
    });
    return { ibge, regions };
  });
}
