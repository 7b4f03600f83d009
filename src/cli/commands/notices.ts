/**
 * `peneira notices`: lists a tenant's notices and receivers, shows or resends notices, pauses the
 * notices of a saved search, and tests a webhook or an e-mail receiver. Prints tables or one JSON
 * document on standard output, messages on standard error.
 * Invariant: the command works while a server runs on the same directory. That server sends
 * replayed notices within a second. Results and errors are those of the API.
 */
import type { Command } from "commander";
import { Keyring } from "../../access/keyring.ts";
import { guardedFetcher } from "../../download/proxy.ts";
import { AppError, CommandError } from "../../errors.ts";
import { noticeJson } from "../../http/api/notices/noticeanswers.ts";
import { addressOf } from "../../notices/addresses.ts";
import { Egress } from "../../notices/egress.ts";
import { Emails } from "../../notices/emails.ts";
import { knownSearch, NoticeHistory } from "../../notices/history.ts";
import { Mailer } from "../../notices/mailer.ts";
import { isSendable } from "../../notices/payload.ts";
import { Webhooks } from "../../notices/webhooks.ts";
import { systemClock } from "../../process/clock.ts";
import { stderr, stdout } from "../../process/terminal.ts";
import { AuditStore } from "../../store/auditstore.ts";
import { KeyStore } from "../../store/keystore.ts";
import { NoticeStore } from "../../store/noticestore.ts";
import { ReceiverMailStore } from "../../store/receivermailstore.ts";
import { SearchStore } from "../../store/searchstore.ts";
import type { StateDatabase } from "../../store/statedatabase.ts";
import { type WebhookRow, WebhookStore } from "../../store/webhookstore.ts";
import { wordFor } from "../../text/amounts.ts";
import { configOf } from "../support/config.ts";
import { type CommandText, DATA_DIR_TEXT, explain } from "../support/helptext.ts";
import { printTable } from "../support/print.ts";
import { smtpOf } from "../support/smtp.ts";
import { type Absent, type DataDirOptions, withDatabase } from "../support/state.ts";
import { VERSION } from "./version.ts";

/** Options of commands about notices. */
export interface NoticeFlags extends DataDirOptions {
  readonly tenant: string;
  readonly config?: string;
  readonly json?: true;
}

interface ListOptions extends NoticeFlags {
  readonly search?: string;
  readonly limit: string;
}

interface ReplayOptions extends NoticeFlags {
  readonly through?: string;
  readonly webhook?: string;
  readonly onlyFailed?: true;
}

/** A tenant's notices and receivers, over an open state. */
export interface OpenNotices {
  readonly tenantId: string;
  readonly history: NoticeHistory;
  /** Throws if the tenant has no search with this id. */
  readonly knows: (search: string | undefined) => void;
  readonly searches: SearchStore;
  readonly webhooks: Webhooks;
  readonly emails: Emails;
  /** Ends connections to receivers. */
  close(): Promise<void>;
}

/** Time for a receiver to accept a connection, in milliseconds. */
const CONNECT_MS = 10_000;
const LIMIT_MAX = 1_000;
const COLUMNS = [
  ...["notice_id", "search_name", "sequence", "snapshot", "since", "state"],
  ...["entered", "left", "changed", "delivered"],
];

/** Adds `peneira notices` with its seven commands to the program. */
export function registerNotices(program: Command): void {
  const notices = explain(program.command("notices"), {
    summary: "list, show, replay, and pause notices of saved searches; list and test receivers",
    description:
      "Shows the notices of a tenant's saved searches, and whether they were delivered. Each " +
      "new month, every saved search gets one notice.",
    examples: [
      "peneira notices list --data-dir state --tenant acme",
      "peneira notices replay ntc_0123456789abcdef0123456789abcdef --data-dir state",
    ],
  });
  common(explain(notices.command("list"), LIST))
    .option("--search <id>", "only notices of this saved search")
    .option("--limit <n>", "maximum number of notices", "50")
    .action((options: ListOptions) => withNotices(options, (open) => list(open, options), "read"));
  placed(explain(notices.command("show"), SHOW).argument("<notice>", "its id")).action(
    (id: string, options: NoticeFlags) => withNotices(options, (open) => show(open, id), "read"),
  );
  common(explain(notices.command("replay"), REPLAY).argument("<notice>", "its id"))
    .option("--through <id>", "last notice of a range")
    .option("--webhook <id>", "only this webhook or e-mail receiver (default: all of the search)")
    .option("--only-failed", "only deliveries that failed")
    .action((id: string, options: ReplayOptions) =>
      withNotices(options, (open) => replay(open, id, options)),
    );
  common(explain(notices.command("pause"), PAUSE).argument("<search>", "its id")).action(
    (id: string, options: NoticeFlags) => withNotices(options, (open) => pause(open, id, true)),
  );
  common(explain(notices.command("resume"), RESUME).argument("<search>", "its id")).action(
    (id: string, options: NoticeFlags) => withNotices(options, (open) => pause(open, id, false)),
  );
  common(explain(notices.command("receivers"), RECEIVERS)).action((options: NoticeFlags) =>
    withNotices(options, (open) => receivers(open, options), "read"),
  );
  common(explain(notices.command("test"), TEST).argument("<receiver>", "its id")).action(
    (id: string, options: NoticeFlags) =>
      withNotices(options, (open) => test(open, id, options), "read"),
  );
}

const LIST: CommandText = {
  summary: "list the newest notices",
  description: "Lists the notices of a tenant with their counts, newest first.",
  examples: ["peneira notices list --data-dir state --tenant acme --json"],
};
const SHOW: CommandText = {
  summary: "show a notice, its deliveries, and the text that is sent",
  description: "Prints a notice, its deliveries, and the text that is sent, as one JSON document.",
  examples: ["peneira notices show ntc_0123456789abcdef0123456789abcdef --data-dir state"],
};
const REPLAY: CommandText = {
  summary: "send a notice, or a range of notices, again",
  description:
    "Queues notices again under the same ids; a running server sends them within a second.",
  examples: [
    "peneira notices replay ntc_0123456789abcdef0123456789abcdef --data-dir state --only-failed",
  ],
};
const PAUSE: CommandText = {
  summary: "pause the notices of a saved search",
  description: "Pauses a saved search: newer months make no notice until it is resumed.",
  remarks: "Existing notices are still delivered.",
  examples: ["peneira notices pause sch_0123456789abcdef0123456789abcdef --data-dir state"],
};
const RESUME: CommandText = {
  summary: "resume the notices of a saved search",
  description: "Resumes a saved search: its next notice begins where the last one ended.",
  examples: ["peneira notices resume sch_0123456789abcdef0123456789abcdef --data-dir state"],
};
const RECEIVERS: CommandText = {
  summary: "list the webhooks and e-mail receivers",
  description: "Lists the receivers of a tenant's notices, and whether deliveries succeed.",
  examples: ["peneira notices receivers --data-dir state --tenant acme"],
};
const TEST: CommandText = {
  summary: "send a sample to a webhook or by e-mail",
  description: "Sends one sample from this machine, and prints the outcome.",
  remarks:
    "This command uses the settings given here, not those of the running server. Set\n" +
    "notices.allow_networks for a webhook in a private network, and notices.smtp for e-mails.",
  examples: ["peneira notices test whk_0123456789abcdef0123456789abcdef --data-dir state"],
};
const RECEIVER_COLUMNS = ["id", "address", "searches", "state", "last_success"];

function common(command: Command): Command {
  return placed(command).option("--json", "print one JSON document");
}

/** Adds the flags that name a tenant of a state. */
function placed(command: Command): Command {
  return command
    .option("--tenant <name>", "tenant of the notices", "default")
    .option("--data-dir <dir>", DATA_DIR_TEXT)
    .option("--config <file>", "JSON file with settings (default: PENEIRA_CONFIG)");
}

/** Runs work on the notices of a tenant. Throws `CommandError` if the API would refuse it. */
export function withNotices<Result>(
  options: NoticeFlags,
  work: (open: OpenNotices) => Result,
  absent: Absent = "refuse",
): Result {
  return withDatabase(options, (database) => work(openNotices(database, options)), absent);
}

function openNotices(database: StateDatabase, options: NoticeFlags): OpenNotices {
  const config = configOf({}, options.config);
  const tenants = new Keyring(new KeyStore(database), systemClock);
  const { id: tenantId } = tenants.tenant(options.tenant);
  const egress = new Egress(config.get("notices.allow_networks"));
  const fetcher = guardedFetcher(egress, CONNECT_MS);
  const hooks = new WebhookStore(database);
  const baseUrl = config.get("notices.base_url") ?? "";
  const clock = systemClock;
  const searches = new SearchStore(database);
  const receivers = { store: hooks, searches, audit: new AuditStore(database), clock, baseUrl };
  const webhooks = new Webhooks({ ...receivers, egress, fetcher, userAgent: `Peneira/${VERSION}` });
  const store = new NoticeStore(database);
  const smtp = smtpOf(config);
  const mailer = smtp === null ? null : new Mailer(smtp, clock);
  const mails = new ReceiverMailStore(database);
  const emails = new Emails({ ...receivers, mails, mailer });
  const history = new NoticeHistory({ store, hooks, clock, baseUrl });
  const knows = (search: string | undefined) => {
    if (search === undefined) return;
    try {
      knownSearch(searches, tenantId, search);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      throw new CommandError(`--search ${search}: ${error.message}`);
    }
  };
  return { tenantId, history, knows, searches, webhooks, emails, close: () => fetcher.close() };
}

function list({ history, knows, tenantId }: OpenNotices, options: ListOptions): void {
  const limit = /^[1-9]\d{0,3}$/.test(options.limit) ? Number(options.limit) : 0;
  if (limit < 1 || limit > LIMIT_MAX) {
    throw new CommandError(`--limit must be a whole number from 1 to ${LIMIT_MAX}.`, 2);
  }
  const { search } = options;
  knows(search);
  const before = Number.MAX_SAFE_INTEGER;
  const wanted = { before, limit, ...(search === undefined ? {} : { searchId: search }) };
  const notices = history.page(tenantId, wanted).map(noticeJson);
  if (options.json) {
    print({ notices });
    return;
  }
  if (notices.length === 0) {
    stderr.print("There is no notice yet: a newer month makes one for each saved search.\n");
    return;
  }
  const rows = notices.map(({ deliveries, ...notice }) => {
    const done = deliveries.filter(({ state }) => state === "delivered").length;
    return { ...notice, delivered: `${done} of ${deliveries.length}` };
  });
  stdout.print(printTable(rows, COLUMNS));
}

function show({ history, tenantId }: OpenNotices, id: string): void {
  const found = refused(() => history.find(tenantId, id));
  const { row } = found;
  const sent: unknown = isSendable(row) ? JSON.parse(history.bodyOf(row)) : null;
  print({ notice: noticeJson(found), sent });
}

async function replay(
  { history, tenantId }: OpenNotices,
  id: string,
  options: ReplayOptions,
): Promise<void> {
  const { through = null, webhook = null, onlyFailed = false } = options;
  const request = { tenantId, id, through, webhook, onlyFailed };
  const queued = await history.replay(request).catch(refusal);
  if (options.json) print({ queued });
  else stderr.print(`${queued} ${wordFor(queued, "notice is", "notices are")} queued again.\n`);
}

function pause(open: OpenNotices, id: string, pausing: boolean): void {
  const { searches, tenantId } = open;
  refused(() => knownSearch(searches, tenantId, id));
  searches.pause(tenantId, id, pausing ? systemClock.nowMs() : null);
  stderr.print(`The notices of ${id} are ${pausing ? "paused" : "resumed"}.\n`);
}

function receivers({ webhooks, emails, tenantId }: OpenNotices, { json }: NoticeFlags): void {
  const all = [webhooks, emails].flatMap((kind) =>
    kind.page(tenantId, Number.MAX_SAFE_INTEGER, LIMIT_MAX),
  );
  const rows = all.map((row) => ({
    id: row.id,
    address: row.kind === "email" ? addressOf(row) : row.url,
    searches: row.searches === null ? "all" : String(JSON.parse(row.searches).length),
    state: stateOf(row),
    last_success: row.succeededAt === null ? null : new Date(row.succeededAt).toISOString(),
  }));
  if (json) print({ receivers: rows });
  else if (rows.length === 0) stderr.print("There is no webhook and no e-mail receiver.\n");
  else stdout.print(printTable(rows, RECEIVER_COLUMNS));
}

function stateOf(row: WebhookRow): string {
  if (row.unsubscribedAt !== null) return "unsubscribed";
  if (row.disabledAt !== null) return `disabled: ${row.disabledReason}`;
  return row.failingSince === null ? "enabled" : "failing";
}

async function test(open: OpenNotices, id: string, { json }: NoticeFlags): Promise<void> {
  try {
    const kind = id.startsWith("eml_") ? open.emails : open.webhooks;
    const { outcome, ...sent } = await kind.test(open.tenantId, id).catch(refusal);
    const { status, error } = outcome;
    const delivered = error === null;
    const duration_ms = Math.round(outcome.tookMs);
    if (json) print({ test: { ...sent, delivered, status, duration_ms, error } });
    else if (delivered) stderr.print(`The receiver answered ${status} in ${duration_ms} ms.\n`);
    if (!delivered) throw new CommandError(error);
  } finally {
    await open.close();
  }
}

/** Runs an action. Converts API errors to messages. */
function refused<Value>(action: () => Value): Value {
  try {
    return action();
  } catch (error) {
    return refusal(error);
  }
}

/** Throws an API error as a message for the command line. */
function refusal(error: unknown): never {
  throw error instanceof AppError ? new CommandError(error.message) : error;
}

function print(document: object): void {
  stdout.data(`${JSON.stringify(document)}\n`);
}
