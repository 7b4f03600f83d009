/**
 * English words of exports and saved searches; functions take formatted values and counts.
 * Invariant: the Portuguese table has the same keys. Nothing here is markup.
 */

import type { Packing } from "../../../../spec/fields.ts";
import type { PresetName } from "../../../../spec/presets.ts";
import { number } from "../../app/format.ts";

const rows = (count: number) => (count === 1 ? "1 row" : `${number(count)} rows`);

/** Words of the export dialog, the list of exports, and saved searches. */
export const exports = {
  dialogTitle: "Export establishments",

  format: "Format",
  formats: {
    csv: ["CSV", "For spreadsheets, CRMs and imports of every kind."],
    xlsx: ["Excel", "A workbook with typed columns, for Excel and similar programs."],
    jsonl: ["JSON Lines", "One establishment per line, for programs."],
    parquet: ["Parquet", "Typed columns, for DuckDB, pandas and Spark."],
    html: ["Web page", "One page to read, search, print or send on."],
  } as Record<string, readonly [name: string, purpose: string]>,

  layout: "Layout",
  layoutOwn: "My columns",
  layouts: {
    sales: "Sales list",
    rd_station: "RD Station",
    pipedrive: "Pipedrive",
    hubspot: "HubSpot",
    salesforce: "Salesforce",
  } as Record<PresetName, string>,
  layoutColumns: (columns: string) => `Columns: ${columns}.`,

  people: "Headers and values in words",
  peopleHint: "“Active”, 02.654.062/0001-42, (17) 98356-9848: for people, not for programs.",
  title: "Name of the file",

  csvOptions: "CSV options",
  csvExcel: "Opens in Excel",
  csvExcelHint: "Semicolons and a byte order mark, as Excel in Brazil expects.",
  csvStandard: "Standard (RFC 4180)",
  csvStandardHint: "Commas, UTF-8 without a mark: what programs expect.",
  csvOther: "My own",
  csvOtherHint: "Choose delimiter and mark yourself.",
  delimiter: "Delimiter",
  delimiterComma: "Comma (,)",
  delimiterSemicolon: "Semicolon (;)",
  bom: "Byte order mark (BOM)",

  compression: "Compression",
  compressionHint:
    "A smaller file to download; zstd is the smallest. Excel opens it only unpacked.",
  compressions: {
    none: "None",
    gzip: "gzip (.gz)",
    zstd: "zstd (.zst)",
  } as Record<Packing, string>,

  fields: "Columns",
  fieldsChosen: (count: string, of: string) => `${count} of ${of} chosen`,
  chooseFields: "Choose one by one",
  presets: "Choose at once",
  presetDefault: "Default",
  presetContact: "For contact",
  presetAll: "All",
  fieldGroups: {
    company: "Company",
    contact: "Contact",
    activity: "Activity",
    place: "Place",
    address: "Address",
    nature: "Size and nature",
    regime: "Regime",
    status: "Registration",
    rank: "Ranking",
  } as Record<string, string>,
  fieldsNone: "Choose at least one column.",
  fieldsPlan: (count: string) => `Your plan leaves ${count} columns out.`,
  order: "Order of the columns",
  dropField: (field: string) => `Leave ${field} out`,
  moveUp: (field: string) => `Move ${field} up`,
  moveDown: (field: string) => `Move ${field} down`,
  moved: (field: string, place: string) => `${field} is now column ${place}.`,

  limit: "Limit of rows (optional)",
  limitHint: (max: string) => `The first of the order, up to ${max}. Leave it empty to export all.`,
  limitWrong: (max: string) => `Give a whole number from 1 to ${max}, or leave it empty.`,
  explain: "Say why each one is listed",
  explainHint: "Adds the score, its parts and the filters met as columns.",
  mode: "Secondary activities",
  modes: {
    off: ["Primary activity only", "As on the screen."],
    fallback: ["Fill up with secondary", "Secondary matches come after all primary ones."],
    full: ["Primary or secondary", "Both alike, in one order."],
  } as Record<string, readonly [name: string, purpose: string]>,
  modeHint: "The screen counts by the primary activity alone; an export may look further.",

  estimate: "What it will be",
  estimating: "Counting…",
  rows,
  estimateBytes: (bytes: string) => `about ${bytes}`,
  estimateFailed: "The size could not be estimated.",
  capped: (rows: string, matches: string) =>
    `Only the first ${rows} of ${matches} matches: that is as many as your plan exports.`,
  limited: (rows: string, matches: string) => `The first ${rows} of ${matches} matches.`,
  tooManyForFormat: (format: string, max: string) =>
    `${format} holds at most ${max} rows. Take another format, or fewer rows.`,
  takeFirst: (max: string) => `Take the first ${max}`,
  takeCsv: "Take CSV",
  quotaLeft: (left: string, hour: string) => `Your plan has ${left} rows left until ${hour}.`,
  quotaShort: (rows: string, left: string, hour: string) =>
    `These are ${rows} rows, and your plan has only ${left} left until ${hour}.`,
  noExports: "Your plan has no exports. Ask the owner of your account for a larger one.",

  errors: {
    quota_exceeded:
      "Your plan has not enough rows left today, or no room for files. Take fewer, delete " +
      "exports, or wait until the daily quota starts again.",
    plan_not_allowed: "Your plan does not allow this export.",
    field_not_allowed: "Your plan does not allow some of these columns.",
    query_too_broad:
      "Name an activity, a place, a list, a phone or an e-mail first: so broad a query is not " +
      "exported.",
    secondary_cnae_mode_not_allowed: "Secondary activities in full are not available to your plan.",
    rate_limited: "Too many exports are waiting already. Try again when one of them is done.",
    idempotency_key_reused:
      "This was sent before with other choices. Close the dialog and open it again.",
    snapshot_unavailable: "The server has no data loaded at the moment.",
    overloaded: "The server has too much to do at the moment. Try again in a few seconds.",
  } as Record<string, string>,

  send: "Export",
  sending: "Sending…",
  close: "Close",
  keepRunning: "Close, keep it running",
  another: "Another export",
  retry: "Try again",

  queued: "Waiting for its turn",
  queuedHint: "Exports run one after another; this one starts by itself.",
  running: "Making the file…",
  rowsWritten: (rows: string, all: string | null) =>
    all === null ? `${rows} rows written` : `${rows} of ${all} rows written`,
  left: (time: string) => `about ${time} left`,
  progressLabel: "Progress of the export",
  done: "Ready",
  doneRows: (count: number, size: string) => `${rows(count)}, ${size}`,
  until: (when: string) => `Can be downloaded until ${when}.`,
  failed: "Failed",
  expired: "Expired",
  download: "Download",
  stop: "Cancel the export",
  stopped: "The export was cancelled.",
  gone: "This export was deleted meanwhile.",
  pollFailed: "The state could not be read; trying again.",
  toastDone: (name: string) => `Your export is ready: ${name}`,
  toastFailed: (name: string) => `An export failed: ${name}`,
  toastOpen: "See exports",
  failures: {
    disk_full: "The server's disk is full. Ask its operator for space, then run it again.",
    files_unavailable: "The place of the files did not answer. Run it again later.",
    write_failed: "The file could not be written. Ask the operator to look at the log.",
    quota_exceeded: "The file is larger than what your plan may keep. Delete exports first.",
    sent_file_unreadable:
      "The spreadsheet that was sent was deleted or cannot be read. Send it again.",
    snapshot_unavailable: "Its snapshot was deleted or is damaged. Run it again on the newest one.",
    state_damaged: "The server's own data is damaged. Tell the operator.",
    too_many_attempts: "Writing it was tried several times and never came to its end.",
    render_failed: "The server failed while writing it. Tell the operator its identifier.",
  } as Record<string, string>,

  historyTitle: "Exports",
  historyIntro: "Files made by your team, newest first.",
  historyEmpty: "No exports yet",
  historyEmptyHint: "Make a search first, then click Export above the list.",
  historyFind: "Make a search",
  historyFailed: "The exports could not be read.",
  more50: "Show older ones",
  dataOf: (month: string) => `${month} data`,
  byGone: "former user",
  expiresIn: (left: string) => `expires ${left}`,
  again: "Make it again from the newest data",
  againSent: "The export is being made again from the newest data.",
  useQuery: "Use as a search",
  remove: "Delete",
  removeTitle: "Delete this export?",
  removeText: "Its file is deleted for your whole team. This cannot be undone.",
  removed: "The export was deleted.",
  menu: (name: string) => `More about ${name}`,

  savedTitle: "Saved searches",
  savedIntro: "Searches saved by your team, what has changed since, and the last notice.",
  savedEmpty: "No saved searches yet",
  savedEmptyHint: "Make a search, then click Notify me monthly above the list.",
  savedFailed: "The saved searches could not be read.",
  openNamed: (name: string) => `Open: ${name}`,
  open: "Open",
  rename: "Rename",
  renameTitle: "Rename this search",
  refresh: "Use the current count as its base",
  refreshed: "The current count is now the base.",
  countThen: "Before",
  countNow: "Now",
  change: "Change of total",
  unchanged: "unchanged",
  nowUnknown: "cannot be counted now",
  removeSearchTitle: "Delete this saved search?",
  removeSearchText: "It disappears for your whole team. Exports made of it stay.",
  removedSearch: "The saved search was deleted.",
  sentence: (text: string) => `“${text}”`,
};
