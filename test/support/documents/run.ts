/**
 * Runs the examples of one document as a reader does. Returns the numbers of blocks that were run,
 * compared, and skipped, and every mistake with its line.
 * Invariant: one bash with -euo pipefail runs all blocks of a document in one empty folder, so that
 * variables and files persist between blocks. The server address in the document is replaced by one
 * with a free port. Background processes are ended, and no files are left.
 */
import { spawn } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { differences } from "./answers.ts";
import { type Block, type Parsed, parseDocument, RUN, SHOWN } from "./blocks.ts";
import { linkPackages, withPackages } from "./packages.ts";

/** The server address that documents use. */
const ADDRESS = "127.0.0.1:8080";
/** Milliseconds that all blocks of one document may take together. */
const RUN_MS_MAX = 300_000;

/** A run's inputs. */
export interface RunInput {
  /** Folder with the program `peneira`. It is put at the front of the PATH. */
  readonly bin: string;
  /** Files that a document may need, by name. */
  readonly files: Readonly<Record<string, string>>;
  /** Address of a local server with the registry's zips, for documents that need `share`. */
  readonly share?: string;
}

/** The result of running a document's examples. */
export interface Outcome {
  readonly ran: number;
  readonly compared: number;
  readonly skipped: readonly string[];
  /** Number of blocks that were skipped because a package is missing here. */
  readonly absent: number;
  readonly mistakes: readonly string[];
}

/** Starts a server with the commands of docs/start.md, for a document that needs a server. */
const SERVER: Block = {
  language: "sh",
  text: `KEY=$(peneira key create --data-dir state 2>/dev/null)
peneira serve --snapshot 2026-10.peneira --data-dir state`,
  line: 0,
  marks: { server: true },
};

const HEAD = `set -euo pipefail
listens() {
  for _ in $(seq 1200); do
    grep -q '^listening on' "$1.err" "$1.out" 2>/dev/null && return 0
    kill -0 "$2" 2>/dev/null || { echo "it ended before it listened" >&2; return 1; }
    sleep 0.05
  done
  echo "it did not listen within 60 s" >&2
  return 1
}
copy() {
  for _ in $(seq 40); do
    copied=$(grep -ohP "$1" "$2.out" "$2.err" | head -1 | tr -d '"') || true
    [ -z "$copied" ] || return 0
    sleep 0.05
  done
  echo "the answer holds nothing to copy" >&2
  return 1
}
`;

/** Runs a document. */
export async function runDocument(text: string, input: RunInput): Promise<Outcome> {
  const parsed = parseDocument(text);
  const folder = mkdtempSync(join(tmpdir(), "peneira-document-"));
  const work = join(folder, "here");
  const records = join(folder, "records");
  mkdirSync(work);
  mkdirSync(records);
  try {
    const unknown = giveFiles(parsed.given, input, work);
    const mistakes = [...parsed.mistakes, ...unknown];
    if (mistakes.length > 0) return { ran: 0, compared: 0, skipped: [], absent: 0, mistakes };
    const able = withPackages(parsed.blocks);
    if (able.some(({ language }) => language === "js")) linkPackages(work);
    const blocks = parsed.given.includes("server") ? [SERVER, ...able] : able;
    const port = await freePort();
    const script = HEAD + blocks.map((block, at) => scriptOf(block, at, records)).join("");
    const address = `127.0.0.1:${port}`;
    const share = parsed.given.includes("share") ? input.share : undefined;
    const place = { work, bin: input.bin, address, share };
    const failed = await runScript(script.replaceAll(ADDRESS, address), place);
    const absent = able.filter(({ marks }) => marks.needs && marks.skip !== undefined).length;
    return { ...compareBlocks({ ...parsed, blocks }, { records, failed, address }), absent };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  }
}

function giveFiles(given: Parsed["given"], { files }: RunInput, work: string): string[] {
  const names = given.filter((name) => name !== "server" && name !== "share");
  const unknown = names.filter((name) => files[name] === undefined);
  if (unknown.length > 0) return [`given: there is no ${unknown.join(", ")}`];
  for (const name of names) {
    mkdirSync(dirname(join(work, name)), { recursive: true });
    linkSync(files[name] as string, join(work, name));
  }
  return [];
}

/**
 * Returns the part of the script for one block. The block's output is written to files whose names
 * contain its number.
 */
function scriptOf(block: Block, at: number, records: string): string {
  const { marks } = block;
  if (marks.skip !== undefined) return "";
  const base = join(records, String(at));
  if (marks.file !== undefined)
    return `cat >${marks.file} <<'END OF FILE'\n${block.text}\nEND OF FILE\n`;
  const code = codeOf(block);
  if (code === null) return "";
  const begin = `exec >${base}.out 2>${base}.err\necho ${at} >${join(records, "at")}\n`;
  return begin + wrapped(code, block, base) + retainedFiles(block, base);
}

/** Returns the command that runs a block, or null if the block is only shown. */
function codeOf({ language, text, marks }: Block): string | null {
  if (marks.sent !== undefined) {
    const { method, path } = marks.sent;
    return `curl -sS --fail-with-body -X ${method} 'http://${ADDRESS}${path}' \\
  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
  -H "Idempotency-Key: $RANDOM$RANDOM" -d @- <<'END OF BODY'\n${text}\nEND OF BODY\n`;
  }
  if (!RUN.includes(language)) return null;
  if (language === "python") return `python3 - <<'END OF PROGRAM'\n${text}\nEND OF PROGRAM\n`;
  if (language === "js") {
    return `node --input-type=module - <<'END OF PROGRAM'\n${text}\nEND OF PROGRAM\n`;
  }
  return `${(marks.as ?? text).replaceAll("dist/peneira", "peneira")}\n`;
}

function wrapped(code: string, { marks }: Block, base: string): string {
  if (marks.server) {
    const lines = code.replaceAll("\\\n", " ").trimEnd().split("\n");
    const before = lines.slice(0, -1).join("\n");
    return `${before}\n( ${lines.at(-1)} ) &\nlistens ${base} $!\n`;
  }
  if (marks.fails === undefined) return code;
  const report = `echo "it ended with $code, not ${marks.fails}" >&2`;
  const check = `[ $code = ${marks.fails} ] || { ${report}; exit 1; }`;
  return `set +e\n( set -e\n${code})\ncode=$?\nset -e\n${check}\n`;
}

/**
 * Sets a shell variable to the part of an answer that a reader would copy. The member `key` stands
 * for the API key that the command prints.
 */
function retainedFiles({ marks }: Block, base: string): string {
  if (marks.keeps === undefined) return "";
  const { variable, member } = marks.keeps;
  const value = `(?<="${member}":)"[^"]*"|(?<="${member}": )"[^"]*"`;
  const pattern = member === "key" ? "pnr_[0-9a-f]+_[0-9a-f]+" : value;
  return `copy '${pattern}' ${base}\n${variable}=$copied\n`;
}

interface Place {
  readonly work: string;
  readonly bin: string;
  readonly address: string;
  readonly share: string | undefined;
}

/** Runs the script in a separate process group. Afterwards, ends the whole group. */
function runScript(script: string, { work, bin, address, share }: Place): Promise<boolean> {
  const file = join(work, "..", "script.sh");
  writeFileSync(file, script);
  const child = spawn("bash", [file], {
    cwd: work,
    detached: true,
    stdio: "ignore",
    env: {
      PATH: `${bin}:${process.env.PATH}`,
      HOME: work,
      LC_ALL: "C.UTF-8",
      TZ: "UTC",
      PENEIRA_LISTEN: address,
      ...(share === undefined ? {} : { PENEIRA_DOWNLOAD_URL: share }),
    },
  });
  const group = (signal: NodeJS.Signals) => {
    try {
      process.kill(-(child.pid as number), signal);
    } catch {
      // The group has no processes left.
    }
  };
  const late = setTimeout(() => group("SIGKILL"), RUN_MS_MAX);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => {
      clearTimeout(late);
      group("SIGKILL");
      resolve(code !== 0);
    });
  });
}

interface Records {
  readonly records: string;
  readonly failed: boolean;
  readonly address: string;
}

/** Compares the texts that the document shows with the real output. */
function compareBlocks(
  { blocks }: Pick<Parsed, "blocks">,
  { records, failed, address }: Records,
): Omit<Outcome, "absent"> {
  const read = (name: string) => {
    const file = join(records, name);
    return existsSync(file) ? readFileSync(file, "utf8").replaceAll(address, ADDRESS) : "";
  };
  const last = failed ? Number(read("at") || 0) : blocks.length;
  const skipped: string[] = [];
  const mistakes: string[] = [];
  let [ran, compared, above] = [0, 0, -1];
  for (const [at, block] of blocks.entries()) {
    const { marks, line, language } = block;
    const shows = SHOWN.includes(language) && marks.file === undefined && marks.sent === undefined;
    const reason = marks.skip ?? (shows ? blocks[above]?.marks.skip : undefined);
    if (reason !== undefined) skipped.push(`${line}: ${reason}`);
    else if (shows) {
      if (above >= last) continue;
      const { server } = (blocks[above] as Block).marks;
      const out = read(`${above}.out`);
      const real =
        (out.trim() === "" && language === "text") || server ? read(`${above}.err`) : out;
      const wrong = differences(language, block.text, real, marks.part ?? false);
      mistakes.push(...wrong.map((what) => `${line}: ${what}`));
      compared++;
    } else if (at <= last && block !== SERVER && marks.file === undefined) {
      ran++;
      if (marks.prints !== undefined && at < last) {
        mistakes.push(...otherPrint(block, read(`${at}.out`).trim()));
        compared++;
      }
    }
    if (!shows && marks.file === undefined) above = at;
  }
  if (failed) mistakes.push(failure(blocks[last], read(`${last}.out`), read(`${last}.err`)));
  return { ran, compared, skipped, mistakes };
}

/** Returns a mistake if the program's output differs from the output that its mark states. */
function otherPrint({ line, marks: { prints } }: Block, real: string): string[] {
  return real === prints ? [] : [`${line}: it prints "${real}", not "${prints}"`];
}

function failure(block: Block | undefined, out: string, err: string): string {
  const output = `${out.slice(-2_000)}\n${err.slice(-3_000)}`;
  return `${block?.line}: the block failed\n${block?.text}\n${output}`;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
