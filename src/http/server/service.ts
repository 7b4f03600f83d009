/**
 * The service that all handlers get: opened resources, assembled by `peneira serve` or by a test.
 * Invariant: a handler reads `segment()` once and uses it until it has answered, so answers never
 * mix snapshots.
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
import type { ListBinder } from "../../lists/listbinding.ts";
import type { Lists } from "../../lists/lists.ts";
import type { Notices } from "../../notices/notices.ts";
import type { Clock } from "../../process/clock.ts";
import type { Log } from "../../process/log.ts";
import type {
  CompanyPage,
  CompanyRequest,
  Suggestions,
  SuggestRequest,
} from "../../search/finding.ts";
import type { Ownership, OwnershipRequest } from "../../search/owners.ts";
import type { ScrubState } from "../../search/scrubber.ts";
import type {
  FacetedPageRequest,
  FoundPage,
  MatchCounts,
  RenderedAccount,
} from "../../search/searcher.ts";
import type { Segment } from "../../search/segment.ts";
import type { Proxies } from "../../settings/proxies.ts";
import type { FacetName } from "../../spec/facets.ts";
import type { AccountQuerySpec } from "../../spec/schema.ts";
import type { SearchStore } from "../../store/searchstore.ts";
import type { Secrets } from "../../store/secrets.ts";
import type { Budget, ExportWaits, OverloadGuard } from "./admission.ts";
import type { BodyTaker, Compute } from "./body.ts";
import type { Cors } from "./cors.ts";
import type { HttpAnswer } from "./respond.ts";
import type { ResponseCache } from "./responsecache.ts";
import type { Telemetry } from "./telemetry.ts";
import type { ReadHeader, TransportName } from "./transport/transport.ts";

/** The engine's interface for handlers; src/search/searcher.ts implements it. */
export interface Engine {
  /** Returns a page or counts: inline if quick, else from a queue that is fair among tenants. */
  page(
    segment: Segment,
    request: FacetedPageRequest,
    tenantId: string,
  ): FoundPage | Promise<FoundPage>;
  counts(
    segment: Segment,
    spec: AccountQuerySpec,
    names: readonly FacetName[] | null,
    tenantId: string,
  ): MatchCounts | Promise<MatchCounts>;
  /** The exact number of matches, inline. */
  countMatches(segment: Segment, spec: AccountQuerySpec): number;
  /** Finds accounts by a typed text, or lists those of a company. Both run off the main thread. */
  suggest(segment: Segment, request: SuggestRequest, tenantId: string): Promise<Suggestions>;
  establishments(segment: Segment, request: CompanyRequest, tenantId: string): Promise<CompanyPage>;
  /** A company's owners and the companies that it owns, or null if ownership was not imported. */
  ownershipOf(segment: Segment, request: OwnershipRequest): Ownership | null;
  /** The account of a CNPJ (14 characters), or null. */
  account(segment: Segment, cnpj: string, fields: readonly string[]): RenderedAccount | null;
}

/** All parts that handlers use. */
export interface Service {
  readonly engine: Engine;
  /** Runs long JavaScript of requests. */
  readonly compute: Compute;
  readonly exporter: Exporter;
  readonly lists: Lists;
  /** Binds specs to lists. */
  readonly listed: ListBinder;
  readonly keyring: Keyring;
  readonly users: Users;
  readonly sessions: Sessions;
  readonly searches: SearchStore;
  readonly notices: Notices;
  readonly audit: AuditTrail;
  readonly plans: Plans;
  readonly secrets: Secrets;
  readonly rateLimits: RateLimits;
  readonly usage: Usage;
  readonly overload: OverloadGuard;
  readonly responses: ResponseCache;
  /** Limit of concurrent answers that are streamed or are files. */
  readonly streams: Budget;
  /** Requests that wait for exports. */
  readonly waits: ExportWaits;
  readonly telemetry: Telemetry;
  /** True if this server answers /metrics; false if the metrics have another address. */
  readonly metricsHere: boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  readonly transport: TransportName;
  readonly bodyBytesMax: number;
  /** True if `secondary_cnae_mode: full` is enabled for the plans that may use it. */
  readonly secondaryCnaeFull: boolean;
  /** Contact for vulnerability reports, or null. */
  readonly securityContact: string | null;
  /** Contact for people who cannot sign in to the console, or null. */
  readonly consoleContact: string | null;
  /** Proxies trusted to report the client's address, or null. */
  readonly proxies: Proxies | null;
  /** Origins whose pages may read answers, or null. */
  readonly cors: Cors | null;
  /** The loaded snapshot, or null. */
  segment(): Segment | null;
  /** Returns a replaced snapshot that is still open, by id, or null. */
  replaced(belongs: (snapshotId: string) => boolean): Segment | null;
  /** Retains a snapshot until the returned function is called. */
  retain(segment: Segment): () => void;
  /** Older snapshots, and changes between two snapshots. */
  readonly months: Months;
  readonly changeLists: ChangeLists;
  /** Returns the recheck progress of a snapshot, or null if it is not open. */
  scrubbed(segment: Segment): ScrubState | null;
  stopping(): boolean;
  /** True while other servers with the same state serve a snapshot that this one lacks. */
  behind(): boolean;
  /** True while the object store does not answer: searches continue, downloads fail. */
  degraded(): boolean;
  /** Answers agents at /mcp; implemented in src/mcp/httpendpoint.ts. */
  agents(call: KeyCall<ServicePart>): Promise<HttpAnswer>;
}

/** Name of a part of the service. */
export type ServicePart = keyof Service;

/** Parts of the service on every answering thread. Only the main thread has the others. */
export type ThreadPart =
  | QueryPart
  | "responses"
  | "rateLimits"
  | "overload"
  | "usage"
  | "keyring"
  | "plans"
  | "cors"
  | "proxies"
  | "bodyBytesMax"
  | "stopping"
  | "behind"
  | "degraded"
  | "transport"
  | "version";

/** Service of a thread that owns no state. */
export type ThreadService = Pick<Service, Exclude<ThreadPart, "keyring" | "usage" | "secrets">> & {
  readonly keyring: Pick<Keyring, "authenticate">;
  readonly usage: Pick<Usage, "count">;
  readonly secrets: Pick<Secrets, "cursor">;
};

/** A request as a handler sees it, with only the parts of the service that the handler names. */
export interface Call<Part extends ServicePart = never> {
  readonly service: Pick<Service, Part>;
  readonly requestId: string;
  readonly method: string;
  /** Raw path as sent, without the query. */
  readonly path: string;
  /** The whole body. Empty if the method has none or the body was received in chunks. */
  readonly body: Uint8Array;
  /** Receives the body in chunks, if the route has a receiver for its content type. */
  readonly gathered?: BodyTaker | undefined;
  /** Path parameters, such as `id`. */
  readonly params: Readonly<Record<string, string>>;
  /** Percent-decoded query parameters of the route, each at most once. */
  readonly query: ReadonlyMap<string, string>;
  /** The query as sent, without the question mark. */
  readonly rawQuery: string;
  /** Client address without a port; empty outside /v1/console. */
  readonly address: string;
  header(name: ReadHeader): string | undefined;
  /** True once the client has left. Its answer is discarded. */
  gone(): boolean;
  /** True once the client has closed its side. Long-polling requests then stop waiting. */
  finished(): boolean;
}

/** The parts of the service that are needed to answer a query, and all that `peneira mcp` has. */
export interface QueryServices
  extends Pick<
    Service,
    | "engine"
    | "compute"
    | "clock"
    | "streams"
    | "secondaryCnaeFull"
    | "segment"
    | "replaced"
    | "retain"
  > {
  /** Finds the tenant's lists that a spec names. Null if lists are not available. */
  readonly listed: ListBinder | null;
  readonly secrets: Pick<Secrets, "cursor">;
  readonly overload: Pick<OverloadGuard, "refuse">;
  readonly telemetry: Pick<Telemetry, "engine">;
  readonly log: Pick<Log, "error">;
}

/** Name of a part of the service that a query may need. */
export type QueryPart = keyof QueryServices;

/** A request that queries the engine. Accepts any `KeyCall` whose service has the needed parts. */
export interface QueryContext<Part extends QueryPart = never>
  extends Pick<Call, "requestId" | "body" | "params" | "header" | "gone"> {
  readonly service: Pick<QueryServices, Part>;
  readonly identity: Pick<Identity, "tenantId">;
  readonly plan: Plan;
  /** Charges the API key a cost, which excludes that of the body. Throws `rate_limited`. */
  spend(cost: number): void;
}

/** A request whose sender has been identified. */
export interface KeyCall<Part extends ServicePart = never> extends Call<Part> {
  readonly identity: Identity;
  readonly plan: Plan;
  /** Charges the API key a cost, which excludes that of the body. Throws `rate_limited`. */
  spend(cost: number): void;
}

/** A console user's request, handled like one with an API key of the id `user:<user id>`. */
export interface SessionCall<Part extends ServicePart = never> extends KeyCall<Part> {
  readonly session: OpenSession;
}
