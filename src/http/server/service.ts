/**
 * What the handlers work with. What comes in: the opened parts, put together by `peneira serve` or
 * by a test. What goes out: one value that every handler gets.
 * Invariant: a handler reads `segment()` once and keeps it until it has answered, so that an
 * answer never mixes two snapshots.
 */
import type { AuditTrail } from "../../access/audittrail.ts";
import type { Identity, Keyring } from "../../access/keyring.ts";
import type { RateLimits, Usage } from "../../access/limits.ts";
import type { Plan, Plans } from "../../access/plans.ts";
import type { OpenSession, Sessions } from "../../access/sessions.ts";
import type { Users } from "../../access/users.ts";
import type { ChangeLists } from "../../changes/lists.ts";
import type { Months } from "../../changes/months.ts";
import type { Exporter } from "../../export/exporter.ts";
import type { ListedSpecs } from "../../lists/listed.ts";
import type { Lists } from "../../lists/lists.ts";
import type { Clock } from "../../process/clock.ts";
import type { Log } from "../../process/log.ts";
import type {
  CompanyPage,
  CompanyRequest,
  Suggestions,
  SuggestRequest,
} from "../../search/finding.ts";
import type { ScrubState } from "../../search/scrubber.ts";
import type { FoundPage, MatchCounts, PageAsked, RenderedAccount } from "../../search/searcher.ts";
import type { Segment } from "../../search/segment.ts";
import type { Proxies } from "../../settings/proxies.ts";
import type { FacetName } from "../../spec/facets.ts";
import type { AccountQuerySpec } from "../../spec/schema.ts";
import type { SearchStore } from "../../store/searchstore.ts";
import type { Secrets } from "../../store/secrets.ts";
import type { Budget, Pressure, Waits } from "./admission.ts";
import type { BodyTaker, Compute } from "./body.ts";
import type { Cors } from "./cors.ts";
import type { HttpAnswer } from "./respond.ts";
import type { ResponseCache } from "./responsecache.ts";
import type { Telemetry } from "./telemetry.ts";
import type { ReadHeader, TransportName } from "./transport/transport.ts";

/** The engine as the handlers see it; src/search/searcher.ts is the one there is. */
export interface Engine {
  /** One page, and counts: at once if that is quick, else later, in turns of the tenants. */
  page(segment: Segment, asked: PageAsked, asker: string): FoundPage | Promise<FoundPage>;
  counts(
    segment: Segment,
    spec: AccountQuerySpec,
    names: readonly FacetName[] | null,
    asker: string,
  ): MatchCounts | Promise<MatchCounts>;
  /** The exact number of matches, at once. */
  countMatches(segment: Segment, spec: AccountQuerySpec): number;
  /** Accounts that fit a typed text, and establishments of a company, off the main thread. */
  suggest(segment: Segment, request: SuggestRequest, asker: string): Promise<Suggestions>;
  establishments(segment: Segment, request: CompanyRequest, asker: string): Promise<CompanyPage>;
  /** The account of a CNPJ (14 characters), or null. */
  account(segment: Segment, cnpj: string, fields: readonly string[]): RenderedAccount | null;
}

/** Everything a handler may need. */
export interface Service {
  readonly engine: Engine;
  /** Runs long JavaScript of requests. */
  readonly compute: Compute;
  readonly exporter: Exporter;
  /** Lists of accounts and companies that tenants have. */
  readonly lists: Lists;
  /** What binds specs to them. */
  readonly listed: ListedSpecs;
  readonly keyring: Keyring;
  /** People who may sign in to the console, and those who have. */
  readonly users: Users;
  readonly sessions: Sessions;
  /** Searches that people saved. */
  readonly searches: SearchStore;
  /** Who changed what. */
  readonly audit: AuditTrail;
  readonly plans: Plans;
  readonly secrets: Secrets;
  readonly rateLimits: RateLimits;
  readonly usage: Usage;
  readonly pressure: Pressure;
  /** Pages that were answered before. */
  readonly responses: ResponseCache;
  /** Answers that are being sent piece by piece, and files. */
  readonly streams: Budget;
  /** Requests that wait for exports. */
  readonly waits: Waits;
  readonly telemetry: Telemetry;
  /** Whether /metrics is answered here, and not at an address of its own. */
  readonly metricsHere: boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  readonly transport: TransportName;
  /** Largest request body, in bytes. */
  readonly bodyBytesMax: number;
  /** Whether `secondary_cnae_mode: full` is switched on for the plans that may use it. */
  readonly secondaryCnaeFull: boolean;
  /** Whom to tell of a weakness, or null. */
  readonly securityContact: string | null;
  /** Whom to ask who cannot sign in to the console, or null. */
  readonly consoleContact: string | null;
  /** Proxies that are believed about whom a request came from, or null. */
  readonly proxies: Proxies | null;
  /** Origins whose pages may read answers, or null. */
  readonly cors: Cors | null;
  /** The loaded snapshot, or null when there is none. */
  segment(): Segment | null;
  /** A snapshot that was replaced and is still open, by its id; null when there is none. */
  replaced(belongs: (snapshotId: string) => boolean): Segment | null;
  /** Keeps a snapshot open until what this gives is called. */
  hold(segment: Segment): () => void;
  /** The snapshots beside the served one, and what changed between two of them. */
  readonly months: Months;
  readonly changeLists: ChangeLists;
  /** How far a snapshot is checked again; null for one that is not open. */
  scrubbed(segment: Segment): ScrubState | null;
  /** True once the server has been told to stop. */
  stopping(): boolean;
  /** Answers what agents send to /mcp; src/mcp/httpdoor.ts is the one there is. */
  agents(call: KeyCall<ServicePart>): Promise<HttpAnswer>;
}

/** Name of a part of the service. */
export type ServicePart = keyof Service;

/**
 * The parts that every thread has which answers requests; the others belong to the owner of the
 * state.
 */
export type ThreadPart =
  | AskedPart
  | "responses"
  | "rateLimits"
  | "pressure"
  | "usage"
  | "keyring"
  | "plans"
  | "cors"
  | "proxies"
  | "bodyBytesMax"
  | "stopping"
  | "transport"
  | "version";

/** Service of a thread that owns no state. */
export type ThreadService = Pick<Service, Exclude<ThreadPart, "keyring" | "usage" | "secrets">> & {
  readonly keyring: Pick<Keyring, "authenticate">;
  readonly usage: Pick<Usage, "count">;
  readonly secrets: Pick<Secrets, "cursor">;
};

/**
 * One request as a handler sees it, with the parts of the service that the handler names: what it
 * does not name, it cannot reach.
 */
export interface Call<Part extends ServicePart = never> {
  readonly service: Pick<Service, Part>;
  readonly requestId: string;
  readonly method: string;
  /** Raw path as sent, without the query. */
  readonly path: string;
  /** The whole body; empty for methods without one, and for one that was taken piece by piece. */
  readonly body: Uint8Array;
  /** What took the body piece by piece, where the route has that for its type. */
  readonly gathered?: BodyTaker | undefined;
  /** Values of the variable segments of the route's path, such as `id`. */
  readonly params: Readonly<Record<string, string>>;
  /** Query parameters, percent-decoded; only those that the route names, each once. */
  readonly query: ReadonlyMap<string, string>;
  /** The query as sent, without the question mark. */
  readonly rawQuery: string;
  /** Address of the other end, without a port; only below /v1/console, else empty. */
  readonly address: string;
  /** Value of a request header. */
  header(name: ReadHeader): string | undefined;
  /** True once the client has left; what it is answered is thrown away. */
  gone(): boolean;
  /** True once the client sends nothing more: nothing is waited for on its behalf any longer. */
  finished(): boolean;
}

/** What answering a question needs of a service; `peneira mcp` has no more than this. */
export interface AskedService
  extends Pick<
    Service,
    | "engine"
    | "compute"
    | "clock"
    | "streams"
    | "secondaryCnaeFull"
    | "segment"
    | "replaced"
    | "hold"
  > {
  /** Null where nobody has lists. */
  readonly listed: ListedSpecs | null;
  readonly secrets: Pick<Secrets, "cursor">;
  readonly pressure: Pick<Pressure, "refuse">;
  readonly telemetry: Pick<Telemetry, "engine">;
  readonly log: Pick<Log, "error">;
}

/** Name of a part that answering a question can need. */
export type AskedPart = keyof AskedService;

/** A question to the engine, whoever asks it: every `KeyCall` that has its parts is one. */
export interface Question<Part extends AskedPart = never>
  extends Pick<Call, "requestId" | "body" | "params" | "header" | "gone"> {
  readonly service: Pick<AskedService, Part>;
  readonly identity: Pick<Identity, "tenantId">;
  readonly plan: Plan;
  /** Charges the key what the request costs, its body aside; throws `rate_limited`. */
  spend(cost: number): void;
}

/** A request whose sender is known. */
export interface KeyCall<Part extends ServicePart = never> extends Call<Part> {
  readonly identity: Identity;
  readonly plan: Plan;
  /** Charges the key what the request costs, its body aside; throws `rate_limited`. */
  spend(cost: number): void;
}

/**
 * A request of somebody who is signed in to the console: a call like that of a key, whose id is
 * `user:<id of the user>`.
 */
export interface SessionCall<Part extends ServicePart = never> extends KeyCall<Part> {
  readonly session: OpenSession;
}
