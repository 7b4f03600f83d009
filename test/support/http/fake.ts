/**
 * A real server for the HTTP suites, around a service with a simulated engine.
 * Invariant: everything is real (sockets, transport, keys in SQLite, plans, normalization) except
 * two parts that their own suites test. The engine scans a list of invented accounts, and the
 * exporter is a model in memory.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import PLANS from "../../../data/plans.json" with { type: "json" };
import { TABLES, type TableName } from "../../../native-index/format/columns.ts";
import { AuditTrail } from "../../../src/access/audittrail.ts";
import { Keyring } from "../../../src/access/keyring.ts";
import { RateLimits, Usage } from "../../../src/access/limits.ts";
import { Passwords } from "../../../src/access/passwords.ts";
import { PLAN_NAMES } from "../../../src/access/plannames.ts";
import { loadPlans, type PlanName, type Plans } from "../../../src/access/plans.ts";
import { Sessions } from "../../../src/access/sessions.ts";
import { SignIns } from "../../../src/access/signins.ts";
import { Users } from "../../../src/access/users.ts";
import { ChangeLists } from "../../../src/changes/lists.ts";
import { Months } from "../../../src/changes/months.ts";
import { searchCounter } from "../../../src/export/queue/rendertask.ts";
import { PUBLIC_TABLE } from "../../../src/http/api/routes.ts";
import { Budget, ExportWaits, OverloadGuard } from "../../../src/http/server/admission.ts";
import { IN_CALL } from "../../../src/http/server/body.ts";
import { ResponseCache } from "../../../src/http/server/responsecache.ts";
import type { RouteTable } from "../../../src/http/server/routetable.ts";
import { openTransport, startServer } from "../../../src/http/server/server.ts";
import type { Engine, Service } from "../../../src/http/server/service.ts";
import { Telemetry } from "../../../src/http/server/telemetry.ts";
import { openHttpThreads } from "../../../src/http/server/threads/http-threads.ts";
import type { Sockets } from "../../../src/http/server/transport/sockets.ts";
import type {
  Transport,
  TransportLimits,
  TransportName,
} from "../../../src/http/server/transport/transport.ts";
import { ListBinder } from "../../../src/lists/listbinding.ts";
import { Lists } from "../../../src/lists/lists.ts";
import { agentEndpoint } from "../../../src/mcp/httpendpoint.ts";
import type { SmtpSettings } from "../../../src/notices/mailer.ts";
import { Notices } from "../../../src/notices/notices.ts";
import { type Clock, systemClock } from "../../../src/process/clock.ts";
import { Ledger } from "../../../src/process/ledger.ts";
import { type Log, openLog } from "../../../src/process/log.ts";
import type { Facets } from "../../../src/search/facet.ts";
import type { AccountSlices } from "../../../src/search/project.ts";
import {
  type FacetedPageRequest,
  type SearchAnswer,
  type SlicedAnswer,
  UNSTREAMED_ACCOUNTS_MAX,
} from "../../../src/search/searcher.ts";
import type { Segment } from "../../../src/search/segment.ts";
import { loadConfig } from "../../../src/settings/config.ts";
import { punctuateCnae } from "../../../src/spec/catalog.ts";
import type { FacetName } from "../../../src/spec/facets.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { AuditStore } from "../../../src/store/auditstore.ts";
import { openDatabase } from "../../../src/store/database.ts";
import { KeyStore } from "../../../src/store/keystore.ts";
import { ListStore } from "../../../src/store/liststore.ts";
import { SearchStore } from "../../../src/store/searchstore.ts";
import { openSecrets } from "../../../src/store/secrets.ts";
import type { StateDatabase } from "../../../src/store/statedatabase.ts";
import { QuotaStore, UsageStore } from "../../../src/store/usagestore.ts";
import { UserStore } from "../../../src/store/userstore.ts";
import { FakeExporter } from "../export/fake-exporter.ts";
import { fakeFinding } from "./fake-finding.ts";

/** The two transports. Every HTTP suite runs with each of them. */
export const TRANSPORTS: readonly TransportName[] = ["uws", "node"];

/** Limits short enough for a test. */
export const TEST_LIMITS = {
  headBytesMax: 8_192,
  headersTimeoutMs: 1_000,
  requestTimeoutMs: 2_000,
  idleTimeoutMs: 5_000,
  writeTimeoutMs: 5_000,
  minReadBytesPerSecond: 16_384,
  bodiesBytesMax: 4_194_304,
  socketsMax: 2_000,
  socketsPerAddress: null,
  trustedProxies: null,
  senderShareMax: 1,
} as const;

interface FakeAccount {
  readonly cnpj: string;
  readonly legal_name: string;
  readonly uf: string;
  readonly municipality_ibge: string;
  readonly cnae_primary: string;
  readonly email: string;
}

/** Invented accounts in rank order, alternating between SP and RJ, 250 in each. */
export const FAKE_ACCOUNTS: readonly FakeAccount[] = Array.from({ length: 500 }, (_, row) => ({
  cnpj: String(10_000_000_000_100 + row),
  legal_name: `Empresa Inventada ${row} "Á"`,
  uf: row % 2 === 0 ? "SP" : "RJ",
  municipality_ibge: row % 2 === 0 ? "3550308" : "3304557",
  cnae_primary: row % 4 < 2 ? "4721102" : "5611201",
  email: `empresa${row}@example.com`,
}));

/** Returns a segment without a file. Segments with a different `label` and `id` are distinct. */
export function fakeSegment(label = "2026-10", id = "feedfacecafebeef"): Segment {
  let poisoned = false;
  return {
    native: { poisoned: () => poisoned, poison: () => (poisoned = true), ...fakeNative } as never,
    path: `${label}.peneira`,
    label,
    snapshotDate: `${label}-10`,
    snapshotId: id,
    provenance: {
      rfb_snapshot: label,
      ibge_population_year: "not_available",
      ceis_as_of_date: "not_available",
    },
    accounts: FAKE_ACCOUNTS.length,
    catalog: {
      cnaeCodes: ["4721102", "4721103", "5611201"],
      legalNatures: ["2062"],
      municipalities: [
        { tom: "6001", name: "RIO DE JANEIRO", ibge: "3304557", uf: "RJ" },
        { tom: "7107", name: "SAO PAULO", ibge: "3550308", uf: "SP" },
      ],
    },
    codeOf: () => -1,
    close: () => {},
  };
}

/** String tables of the simulated segment, in the order of the catalog's codes. */
const FAKE_TABLES: Readonly<Partial<Record<TableName, readonly string[]>>> = {
  cnae_primary: ["4721102", "4721103", "5611201"],
  cnae_description: ["Padaria", "Laticínios e frios", "Restaurantes e similares"],
  municipality_ibge: ["3304557", "3550308"],
};

/** The calls of the addon that translation and leads make. */
const fakeNative = {
  table: (number: number) => FAKE_TABLES[TABLES[number] as TableName] ?? [],
  facets: () => [Uint32Array.of(250, 250, 0)],
  renderJson: (rows: Uint32Array, fields: readonly string[]) =>
    Buffer.from(JSON.stringify([...rows].map((row) => fieldsOf(row, fields)))),
};

/** Further members that all invented accounts have. */
const FAKE_FACTS = { headquarters: true, registration_status: 2, cnae_secondary: [], score: 640 };

function fieldsOf(row: number, fields: readonly string[]): Record<string, unknown> {
  const account = { ...FAKE_FACTS, ...FAKE_ACCOUNTS[row] } as Record<string, unknown>;
  return Object.fromEntries(fields.map((name) => [name, account[name] ?? null]));
}

/** Makes a fake segment behave as if its file was truncated. */
export function poison(segment: Segment): void {
  (segment.native as unknown as { poison(): void }).poison();
}

/** The replaceable parts of a test engine. */
interface EngineParts extends Omit<Engine, "page" | "counts"> {
  search(segment: Segment, request: FacetedPageRequest): SearchAnswer;
  searchSliced(segment: Segment, request: FacetedPageRequest): SlicedAnswer;
  facets(segment: Segment, spec: AccountQuerySpec, names: readonly FacetName[]): Facets;
  /** Resolves when facets can be counted. Null means that they can be counted now. */
  wait?(): Promise<void> | null;
}

/** Scans the invented accounts. It supports only the filters `uf_any_of` and `cnae_any_of`. */
export const fakeParts: EngineParts = {
  search(_segment, { spec, fields, afterRow, project }) {
    const rows = matchingRows(spec.filters);
    const after = rows.filter((row) => row > afterRow);
    const page = after.slice(0, spec.limit);
    const render = project ?? ((found) => fakeNative.renderJson(found, fields));
    return {
      accounts: render(Uint32Array.from(page)),
      ...{ placed: -1, count: page.length },
      total: rows.length,
      more: after.length > page.length,
      lastRow: page.at(-1) ?? -1,
      plan: {} as never,
    };
  },
  searchSliced(segment, request) {
    const { accounts, placed: _, ...page } = fakeParts.search(segment, request);
    const rowCount = (JSON.parse(Buffer.from(accounts).toString()) as unknown[]).length;
    return { ...page, slices: fakeSlices(accounts, rowCount) };
  },
  countMatches: (_segment, spec) => matchingRows(spec.filters).length,
  facets(_segment, spec, names) {
    const missing = matchingRows(spec.filters).length;
    const empty = { values: [], other: { values: 0, count: 0 }, missing };
    return Object.fromEntries(names.map((name) => [name, empty]));
  },
  account(_segment, cnpj, fields) {
    const account = FAKE_ACCOUNTS.find((one) => one.cnpj === cnpj) as
      | Record<string, unknown>
      | undefined;
    if (account === undefined) return null;
    return Object.fromEntries(fields.map((name) => [name, account[name] ?? null]));
  },
  ...fakeFinding(FAKE_ACCOUNTS, fieldsOf),
};

/** Makes an engine of the given parts. */
export function engineOf(parts: EngineParts): Engine {
  const facetsOf: Engine["counts"] = (segment, spec, names) => ({
    facets: names === null ? null : parts.facets(segment, spec, names),
    total: parts.countMatches(segment, spec),
  });
  return {
    ...parts,
    page(segment, request) {
      const { facets: names, spec } = request;
      const facets = names === null ? null : parts.facets(segment, spec, names);
      if (spec.limit <= UNSTREAMED_ACCOUNTS_MAX)
        return { ...parts.search(segment, request), facets };
      const { slices, ...rest } = parts.searchSliced(segment, request);
      const accounts = slices.rowCount > UNSTREAMED_ACCOUNTS_MAX ? slices : slices.whole();
      return { ...rest, count: slices.rowCount, accounts, placed: -1, facets };
    },
    counts(segment, spec, names, asker) {
      const wait = parts.wait?.() ?? null;
      const count = () => facetsOf(segment, spec, names, asker);
      return wait === null ? count() : wait.then(count);
    },
  };
}

/** The engine of the invented accounts. */
export const fakeEngine = engineOf(fakeParts);

/** The text of a page in chunks of a few hundred bytes. */
export function fakeSlices(
  accounts: Uint8Array,
  rowCount: number,
  pieceBytes = 777,
): AccountSlices {
  return {
    rowCount,
    whole: () => accounts,
    *texts() {
      for (let at = 0; at < accounts.byteLength; at += pieceBytes) {
        yield accounts.subarray(at, at + pieceBytes);
      }
    },
  };
}

function matchingRows(filters: {
  readonly geo: { readonly uf_any_of: readonly string[] };
  readonly industry: { readonly cnae_any_of: readonly string[] };
}): number[] {
  const { uf_any_of: states } = filters.geo;
  const { cnae_any_of: activities } = filters.industry;
  return [...FAKE_ACCOUNTS.keys()].filter((row) => {
    const { uf, cnae_primary: activity } = FAKE_ACCOUNTS[row] as FakeAccount;
    if (states.length > 0 && !states.includes(uf)) return false;
    return activities.length === 0 || activities.includes(punctuateCnae(activity));
  });
}

/** The plans without rate limits, because suites send as fast as they can. */
function unhurried(plans: Plans): Plans {
  const rates = { requests_per_second: 1e6, burst: 1e6 };
  const rows = Object.entries(plans).map(([name, plan]) => {
    return [name, { ...plan, limits: { ...plan.limits, ...rates } }];
  });
  return Object.fromEntries(rows) as Plans;
}

/** A server on a free port, with one key per plan and its whole log. */
export interface FakeServer {
  readonly base: string;
  readonly port: number;
  readonly transport: TransportName;
  readonly dataDir: string;
  readonly service: Service;
  readonly keyring: Keyring;
  readonly exporter: FakeExporter;
  readonly keys: Readonly<Record<PlanName, string>>;
  readonly logged: string[];
  /** Budgets for request bodies that are being received, and for answers that are being sent. */
  readonly bodies: Budget;
  readonly streams: Budget;
  readonly sockets: Sockets;
  load(segment: Segment | null): void;
  stop(): void;
  close(): Promise<void>;
}

function usageIn(database: StateDatabase, clock: Clock = systemClock): Usage {
  return new Usage(new UsageStore(database), new QuotaStore(database), clock);
}

function consoleIn(database: StateDatabase, dataDir: string, clock: Clock = systemClock) {
  const store = new UserStore(database);
  const passwords = new Passwords({ n: 2, r: 1, p: 1 });
  const users = new Users({ store, keys: new KeyStore(database), passwords, clock });
  const sessions = new Sessions({
    ...{ store, users, passwords, clock },
    signIns: new SignIns(clock),
    secret: openSecrets(dataDir).console,
    ...{ idleSeconds: 1_800, maxSeconds: 43_200, keptSeconds: 2_592_000 },
  });
  const audit = new AuditTrail(new AuditStore(database), clock, 63_072_000);
  const lists = new Lists(new ListStore(database), clock);
  const listed = new ListBinder(lists);
  return { users, sessions, audit, lists, listed, searches: new SearchStore(database) };
}

/**
 * Returns the part of the server that sends notices. It may send to addresses of this machine, and
 * counts nothing until a suite starts it.
 */
function noticesIn(
  {
    smtp,
    ...known
  }: {
    readonly database: StateDatabase;
    readonly dataDir: string;
    readonly log: Log;
    readonly smtp: SmtpSettings | null;
  },
  service: () => Service,
): Notices {
  return new Notices({
    ...known,
    clock: systemClock,
    plans: loadPlans(),
    consolePlan: () => "enterprise",
    served: {
      current: () => service().segment(),
      retired: (belongs) => service().replaced(belongs),
      retain: (segment) => service().retain(segment),
    },
    changes: {
      months: {
        known: () => service().months.known(),
        open: (month) => service().months.open(month),
        retain: (segment) => service().months.retain(segment),
      },
      lists: { open: (pair, patience) => service().changeLists.open(pair, patience) },
    },
    exporter: {
      create: (wanted) => service().exporter.create(wanted),
      settled: (tenantId, id, waitMs) => service().exporter.settled(tenantId, id, waitMs),
    },
    listed: new ListBinder(new Lists(new ListStore(known.database), systemClock)),
    linkSecrets: openSecrets(known.dataDir).link,
    settings: {
      ...{ allowNetworks: "127.0.0.0/8", retryMs: 86_400_000, retentionMs: 86_400_000 },
      ...{ baseUrl: "https://peneira.example.com", version: "0.0.0-test", smtp },
    },
  });
}

const ADDRESS = { host: "127.0.0.1", port: 0 };

const SETTLED = {
  compute: IN_CALL,
  engine: fakeEngine,
  metricsHere: true,
  version: "0.0.0-test",
  bodyBytesMax: 1_048_576,
  ...{ securityContact: "mailto:security@example.com", consoleContact: "help@example.com" },
  ...{ proxies: null, cors: null },
  secondaryCnaeFull: false,
  responses: new ResponseCache(0),
  agents: agentEndpoint("0.0.0-test"),
  replaced: () => null,
  scrubbed: () => null,
  retain: () => () => {},
};

function changesIn(dataDir: string, log: Log): Pick<Service, "months" | "changeLists"> {
  const keeping = { keepMs: 900_000, clock: systemClock, log };
  return {
    months: new Months({ folder: null, ...keeping }),
    changeLists: new ChangeLists({ dataDir, retain: () => () => {}, ...keeping }),
  };
}

/**
 * Number of threads that accept connections and forward every request. TEST_THREADS sets it; the
 * default is 1.
 */
const THREADS = Number(process.env.TEST_THREADS ?? 1);

/** Limits of a transport, and the number of its accepting threads. */
type TestLimits = TransportLimits & { readonly threads?: number };

async function openTestTransport(
  transport: TransportName,
  { threads = THREADS, ...limits }: TestLimits,
  telemetry: Telemetry,
): Promise<Transport> {
  if (transport === "node" || threads === 1) return openTransport(transport, limits);
  const { settings, plans } = loadConfig({ plans: PLANS });
  const ledger = limits.ledger ?? Ledger.open();
  const { bodiesBytesMax, senderShareMax, ledger: _, ...own } = { ledger, ...limits };
  const opened = await openHttpThreads({
    worker: "cli/serving/threads/http.worker.ts",
    loadingMax: threads,
    bodies: new Budget(bodiesBytesMax, senderShareMax, "bodies", ledger),
    start: {
      ...{ threads, settings, plans, ledger: ledger.id, leases: null },
      ...{ limits: { ...own, bodiesBytesMax, senderShareMax }, searches: searchCounter() },
    },
  });
  telemetry.include(opened);
  return opened;
}

/** Starts a server. `parts` replaces parts of its service. */
export async function startFake(
  transport: TransportName,
  { smtp = null, ...parts }: Partial<Service> & { readonly smtp?: SmtpSettings | null } = {},
  limits: TestLimits = TEST_LIMITS,
  tableOf: (service: Service) => RouteTable = () => PUBLIC_TABLE,
): Promise<FakeServer> {
  const dataDir = mkdtempSync(join(tmpdir(), "peneira-http-"));
  const database = openDatabase(dataDir);
  const keyring = new Keyring(new KeyStore(database), systemClock);
  const key = (plan: PlanName) => [plan, keyring.create({ tenant: plan, plan, name: "" }).key];
  const logged: string[] = [];
  const log = openLog("debug", { write: (line) => logged.push(line) });
  const telemetry = new Telemetry(log);
  let segment: Segment | null = fakeSegment();
  let stopping = false;
  const exporter = new FakeExporter(dataDir, parts.clock ?? systemClock);
  const service: Service = {
    ...SETTLED,
    exporter,
    keyring,
    ...consoleIn(database, dataDir, parts.clock),
    plans: unhurried(loadPlans()),
    secrets: openSecrets(dataDir),
    usage: usageIn(database, parts.clock),
    rateLimits: new RateLimits(systemClock, { perSecond: 1e6, burst: 1e6 }),
    overload: new OverloadGuard(systemClock, 60_000),
    streams: new Budget(64),
    waits: new ExportWaits(100),
    telemetry,
    clock: systemClock,
    log,
    transport,
    segment: () => segment,
    stopping: () => stopping,
    behind: () => false,
    degraded: () => false,
    ...changesIn(dataDir, log),
    ...parts,
    notices: parts.notices ?? noticesIn({ database, dataDir, log, smtp }, () => service),
  };
  const opened = await openTestTransport(transport, limits, telemetry);
  const server = await startServer(service, opened, ADDRESS, tableOf(service));
  return {
    base: `http://127.0.0.1:${server.port}`,
    port: server.port,
    ...{ transport, dataDir, service, keyring, exporter },
    keys: Object.fromEntries(PLAN_NAMES.map(key)) as Record<PlanName, string>,
    logged,
    ...{ bodies: opened.bodies, sockets: opened.sockets, streams: service.streams },
    load: (next) => {
      segment = next;
    },
    stop: () => {
      stopping = true;
    },
    close: async () => {
      stopping = true;
      exporter.close();
      await service.notices.close();
      await server.close(2_000);
      await service.changeLists.close();
      service.months.close();
      service.overload.close();
      service.telemetry.close();
      database.close();
      rmSync(dataDir, { recursive: true });
    },
  };
}

/** Starts a server whose connections are accepted by several threads. */
export function openThreadedFake(threads: number): Promise<FakeServer> {
  return startFake("uws", {}, { ...TEST_LIMITS, threads });
}

/** Bytes received on a raw socket, and whether the server closed it. */
export interface RawAnswer {
  readonly text: string;
  readonly closed: boolean;
  readonly tookMs: number;
}

/** Milliseconds to wait for the first byte (FIRST_MS) and for each further one (QUIET_MS). */
const FIRST_MS = 15_000;
const QUIET_MS = 400;

/**
 * Sends bytes unchanged. Resolves when the server closes the connection, or after `waitMs` if
 * given. By default, it waits up to FIRST_MS for the first bytes, and then until no more follow.
 */
export function sendRaw(port: number, bytes: string | Buffer, waitMs?: number): Promise<RawAnswer> {
  const began = performance.now();
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
    });
    const finish = (closed: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ text, closed, tookMs: performance.now() - began });
    };
    let timer = setTimeout(() => finish(false), waitMs ?? FIRST_MS);
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (waitMs !== undefined) return;
      clearTimeout(timer);
      timer = setTimeout(() => finish(false), QUIET_MS);
    });
    socket.on("error", () => {});
    socket.on("close", () => finish(true));
  });
}
