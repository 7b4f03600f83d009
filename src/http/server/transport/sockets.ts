/**
 * Limits on connections, and on the requests of one connection. Input: opened and closed
 * connections with their addresses, and the begin and end of requests. Output: which connections to
 * evict, and which requests to refuse.
 * Invariant: a new connection is accepted while any other is idle, because the one idle longest is
 * evicted. Connections with a request are never evicted, so the limit of busy connections is lower
 * than the limit of open ones; probes are always answered. Requests of a connection are counted per
 * turn of the event loop, because one turn processes all bytes that have arrived on it. So
 * sequential requests never exceed the limit, however fast they are.
 */
import { isIP } from "node:net";
import { networkOf } from "../../../access/signins.ts";
import { AppError } from "../../../errors.ts";
import { Proxies } from "../../../settings/proxies.ts";
import { wordFor } from "../../../text/amounts.ts";
import { overloaded } from "../admission.ts";

/** Limits on connections. */
export interface SocketLimits {
  readonly socketsMax: number;
  /** Maximum connections of one address. Null means an eighth of all connections. */
  readonly socketsPerAddress: number | null;
  /** Addresses that many people share, as in `http.trusted_proxies`. Null if not configured. */
  readonly trustedProxies: string | null;
}

type EvictionReason = "idle" | "address" | "full";

/** Max share of an address: 1/SHARE of all connections. */
const SHARE = 8;
/** Max connections reserved for health probes; fewer if an eighth of all connections is less. */
const RESERVE_MAX = 64;

/** Paths that are answered even if all connections are busy. */
const VITAL = new Set(["/healthz", "/readyz", "/metrics"]);

/** Default of shared addresses: networks that may hide many clients behind one address. */
const OWN_NETWORKS =
  "127.0.0.0/8, 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 169.254.0.0/16, 100.64.0.0/10, " +
  "::1, fc00::/7, fe80::/10";

/** A node of the linked list of idle connections. A small Set would often reallocate memory. */
class LruNode {
  readonly slot: ConnectionSlot;
  before: LruNode | null = null;
  after: LruNode | null = null;
  row: LruList | null = null;

  constructor(slot: ConnectionSlot) {
    this.slot = slot;
  }

  leave(): void {
    this.row?.remove(this);
  }
}

/** Connections in order of arrival. */
class LruList {
  first: LruNode | null = null;
  #last: LruNode | null = null;

  append(node: LruNode): void {
    node.leave();
    node.row = this;
    node.before = this.#last;
    if (this.#last === null) this.first = node;
    else this.#last.after = node;
    this.#last = node;
  }

  remove(node: LruNode): void {
    const { before, after } = node;
    if (before === null) this.first = after;
    else before.after = after;
    if (after === null) this.#last = before;
    else after.before = before;
    node.before = null;
    node.after = null;
    node.row = null;
  }
}

/** Idle connections in the order of eviction: those without any request, then the longest idle. */
class Idle {
  readonly #silent = new LruList();
  readonly #resting = new LruList();

  add(node: LruNode): void {
    (node.slot.requested ? this.#resting : this.#silent).append(node);
  }

  get oldest(): ConnectionSlot | undefined {
    return (this.#silent.first ?? this.#resting.first)?.slot;
  }
}

/** Connections of an address, or of all addresses that are not distinguished. */
class Holder {
  readonly idle = new Idle();
  readonly name: string;
  readonly most: number;
  open = 0;
  busy = 0;

  constructor(name: string, most: number) {
    this.name = name;
    this.most = most;
  }
}

/** A connection. */
export class ConnectionSlot {
  readonly holder: Holder;
  /** Nodes in the list of all idle connections and in the list of the address. */
  readonly node = new LruNode(this);
  readonly nodeOfHolder = new LruNode(this);
  readonly #all: Sockets;
  readonly #close: () => void;
  /** True once a request has arrived on the connection. */
  requested = false;
  #open = 0;
  #left = false;

  constructor(all: Sockets, holder: Holder, close: () => void) {
    this.#all = all;
    this.holder = holder;
    this.#close = close;
  }

  /** Begins a request. Returns a refusal, or null. After null, the caller must call `end`. */
  begin(path: string): AppError | null {
    if (this.#open++ === 0 && !this.#left) this.#all.wakes(this);
    return VITAL.has(path) ? null : this.#all.refusal(this.holder);
  }

  /** Records that an answer was sent or dropped. */
  end(): void {
    if (--this.#open === 0 && !this.#left) this.#all.rests(this);
  }

  /** Records that the connection has closed. Idempotent. */
  leave(): void {
    if (this.#left) return;
    this.#left = true;
    this.#all.left(this, this.#open > 0);
  }

  /** Closes the connection to make room for another. */
  evict(): void {
    this.leave();
    this.#close();
  }
}

/** Connections of one transport. */
export class Sockets {
  readonly #max: number;
  readonly #perAddress: number;
  readonly #busyMax: number;
  readonly #manyBehind: Proxies | null;
  readonly #all: Holder;
  readonly #holders = new Map<string, Holder>();
  readonly #counts: Record<EvictionReason, number> = { idle: 0, address: 0, full: 0 };
  #slow = 0;

  constructor({ socketsMax, socketsPerAddress, trustedProxies }: SocketLimits) {
    this.#max = socketsMax;
    this.#perAddress = socketsPerAddress ?? Math.max(1, Math.floor(socketsMax / SHARE));
    const reserve = Math.max(1, Math.min(RESERVE_MAX, Math.floor(socketsMax / SHARE)));
    this.#busyMax = Math.max(1, socketsMax - reserve);
    this.#manyBehind = Proxies.read(trustedProxies ?? OWN_NETWORKS);
    this.#all = new Holder("", socketsMax);
  }

  /** Number of open connections; `busy` counts those with a request. */
  get open(): number {
    return this.#all.open;
  }

  get busy(): number {
    return this.#all.busy;
  }

  /** Counts of evictions and refusals for lack of capacity, by reason. */
  get crowding(): Readonly<Record<EvictionReason, number>> {
    return this.#counts;
  }

  /** Number of clients cut off because they read too slowly. */
  get slow(): number {
    return this.#slow;
  }

  /** Counts a client that is cut off. */
  cutSlow(): void {
    this.#slow++;
  }

  /**
   * Registers a connection, which is evicted by calling `close`. Returns null if there is no room
   * and no other connection can be evicted.
   */
  enter(address: string, close: () => void): ConnectionSlot | null {
    const holder = this.#holderOf(address);
    if (holder.open >= holder.most) this.#makeRoom(holder, "address");
    if (this.#all.open >= this.#max && !this.#makeRoom(this.#all, "idle")) {
      this.#counts.full++;
      return null;
    }
    const slot = new ConnectionSlot(this, holder, close);
    this.#holders.set(holder.name, holder);
    this.#all.open++;
    holder.open++;
    this.#all.idle.add(slot.node);
    holder.idle.add(slot.nodeOfHolder);
    return slot;
  }

  /** Returns why the next request from an address is refused, or null if it is not. */
  refusal(holder: Holder): AppError | null {
    if (holder.busy > holder.most) {
      this.#counts.address++;
      return new AppError(
        "overloaded",
        `More than ${holder.most} ${wordFor(holder.most, "connection")} of your address ` +
          `${wordFor(holder.most, "asks", "ask")} at once. Wait for answers. If ` +
          " many people are behind it, its operator can name it in http.trusted_proxies.",
        { headers: { "Retry-After": "1" } },
      );
    }
    if (this.#all.busy <= this.#busyMax) return null;
    this.#counts.full++;
    return overloaded();
  }

  /** Marks a connection as busy. */
  wakes(slot: ConnectionSlot): void {
    slot.requested = true;
    this.#all.busy++;
    slot.holder.busy++;
    slot.node.leave();
    slot.nodeOfHolder.leave();
  }

  /** Marks a connection as idle. */
  rests(slot: ConnectionSlot): void {
    this.#all.busy--;
    slot.holder.busy--;
    this.#all.idle.add(slot.node);
    slot.holder.idle.add(slot.nodeOfHolder);
  }

  /** Removes a closed connection. */
  left(slot: ConnectionSlot, busy: boolean): void {
    for (const holder of [this.#all, slot.holder]) {
      holder.open--;
      if (busy) holder.busy--;
    }
    slot.node.leave();
    slot.nodeOfHolder.leave();
    if (slot.holder.open === 0) this.#holders.delete(slot.holder.name);
  }

  #holderOf(address: string): Holder {
    const network = networkOf(address);
    const plain = isIP(network) === 0 ? address : network;
    const many = this.#manyBehind?.believes(plain) === true;
    const name = many ? "" : network;
    return (
      this.#holders.get(name) ??
      new Holder(name, many ? Number.POSITIVE_INFINITY : this.#perAddress)
    );
  }

  /** Evicts the connection that has been idle longest. Returns false if none is idle. */
  #makeRoom({ idle }: Holder, crowding: EvictionReason): boolean {
    const { oldest } = idle;
    if (oldest === undefined) return false;
    this.#counts[crowding]++;
    oldest.evict();
    return true;
  }
}

/** Maximum requests of one connection per turn of the event loop, and unanswered at any time. */
export const PIPELINED_MAX = 16;
/**
 * Max bytes of answers that one connection gets in one turn of the event loop. The answer that
 * exceeds the limit is the last of the turn.
 */
export const PIPELINED_BYTES_MAX = 262_144;

/** Approximate size of an answer's head, so that answers without a body count too. */
const HEAD_BYTES = 1_024;

let turn = 0;
let planned = false;

function thisTurn(): number {
  if (!planned) {
    planned = true;
    setImmediate(() => {
      planned = false;
      turn++;
    });
  }
  return turn;
}

/** Counts the requests of one connection. */
export class Pipeline {
  /** Called when new requests may be taken again, after too many were unanswered. */
  onRoom: () => void = () => {};
  #turn = -1;
  #requests = 0;
  #bytes = 0;
  #open = 0;

  /** Begins a request. */
  begin(): void {
    this.#look();
    this.#requests++;
    this.#open++;
  }

  /** Records that an answer was sent or dropped. */
  end(): void {
    this.#open--;
    if (this.#open === PIPELINED_MAX - 1) this.onRoom();
  }

  /** Counts the bytes of a sent answer. `bytes` does not include the answer's head. */
  answered(bytes: number): void {
    this.#look();
    this.#bytes += bytes + HEAD_BYTES;
  }

  /** Unanswered requests. */
  get open(): number {
    return this.#open;
  }

  /** Requests that arrived in this turn. */
  get requests(): number {
    this.#look();
    return this.#requests;
  }

  /** True if no more requests may be taken in this turn. */
  get turnOver(): boolean {
    return this.requests >= PIPELINED_MAX || this.#bytes >= PIPELINED_BYTES_MAX;
  }

  /** True if no more requests may be taken until an answer is sent. */
  get crowded(): boolean {
    return this.#open >= PIPELINED_MAX;
  }

  #look(): void {
    const now = thisTurn();
    if (now === this.#turn) return;
    this.#turn = now;
    this.#requests = 0;
    this.#bytes = 0;
  }
}
