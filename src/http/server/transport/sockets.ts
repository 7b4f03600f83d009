/**
 * How many connections there may be, and how much one of them may ask at once. What comes in:
 * connections as they come and go, with their addresses, and requests as they begin and end. What
 * goes out: which connection is closed to make room, and which requests are told to come back.
 * Invariant: a newcomer is let in as long as any connection is idle, because the one that has been
 * idle longest goes first; connections with a request are never closed for others, so fewer of them
 * than there is room for may ask at once, and the probes are always answered. What one connection
 * asks is counted by turns of the event loop, because all that has arrived on it is worked off in
 * one of them: asking one after the other, however fast, is never too much.
 */
import { isIP } from "node:net";
import { networkOf } from "../../../access/signins.ts";
import { AppError } from "../../../errors.ts";
import { Proxies } from "../../../settings/proxies.ts";
import { wordFor } from "../../../text/amounts.ts";
import { overloaded } from "../admission.ts";

/** How many connections there may be. */
export interface SocketLimits {
  /** Connections open at once. */
  readonly socketsMax: number;
  /** Connections of one address; null is an eighth of all. */
  readonly socketsPerAddress: number | null;
  /** Addresses with many people behind them, as in `http.trusted_proxies`; null names none. */
  readonly trustedProxies: string | null;
}

/** Why connections were closed, or requests refused, for want of room. */
type Crowding = "idle" | "address" | "full";

/** The part of all connections that one address may hold. */
const SHARE = 8;
/** Connections that are kept for those who ask how the server is: an eighth, at most so many. */
const RESERVE_MAX = 64;

/** What is answered however crowded it is. */
const VITAL = new Set(["/healthz", "/readyz", "/metrics"]);

/** Where nobody names proxies: from here come those that the operator has not thought of. */
const OWN_NETWORKS =
  "127.0.0.0/8, 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 169.254.0.0/16, 100.64.0.0/10, " +
  "::1, fc00::/7, fe80::/10";

/** A place in a row of idle connections: a set of few makes its memory anew all the time. */
class Place {
  readonly seat: Seat;
  before: Place | null = null;
  behind: Place | null = null;
  row: Row | null = null;

  constructor(seat: Seat) {
    this.seat = seat;
  }

  leave(): void {
    this.row?.remove(this);
  }
}

/** Connections in the order in which they came. */
class Row {
  first: Place | null = null;
  #last: Place | null = null;

  append(place: Place): void {
    place.leave();
    place.row = this;
    place.before = this.#last;
    if (this.#last === null) this.first = place;
    else this.#last.behind = place;
    this.#last = place;
  }

  remove(place: Place): void {
    const { before, behind } = place;
    if (before === null) this.first = behind;
    else before.behind = behind;
    if (behind === null) this.#last = before;
    else behind.before = before;
    place.before = null;
    place.behind = null;
    place.row = null;
  }
}

/** Connections without a request, those first that never had one, then by the time of rest. */
class Idle {
  readonly #silent = new Row();
  readonly #resting = new Row();

  add(place: Place): void {
    (place.seat.asked ? this.#resting : this.#silent).append(place);
  }

  get oldest(): Seat | undefined {
    return (this.#silent.first ?? this.#resting.first)?.seat;
  }
}

/** The connections of one address, or of all that are not told apart. */
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

/** One connection. */
export class Seat {
  readonly holder: Holder;
  /** Where it stands among all that are idle, and among those of its holder. */
  readonly place = new Place(this);
  readonly placeOfHolder = new Place(this);
  readonly #all: Sockets;
  readonly #close: () => void;
  /** Whether it ever asked something. */
  asked = false;
  #open = 0;
  #left = false;

  constructor(all: Sockets, holder: Holder, close: () => void) {
    this.#all = all;
    this.holder = holder;
    this.#close = close;
  }

  /** It asks something; gives why that cannot be answered, or null. `end` must follow. */
  begin(path: string): AppError | null {
    if (this.#open++ === 0 && !this.#left) this.#all.wakes(this);
    return VITAL.has(path) ? null : this.#all.refusal(this.holder);
  }

  /** The answer is out, or given up. */
  end(): void {
    if (--this.#open === 0 && !this.#left) this.#all.rests(this);
  }

  /** It is closed. May be called again. */
  leave(): void {
    if (this.#left) return;
    this.#left = true;
    this.#all.left(this, this.#open > 0);
  }

  /** Closes it, so that there is room for another. */
  evict(): void {
    this.leave();
    this.#close();
  }
}

/** The connections of one transport. */
export class Sockets {
  readonly #max: number;
  readonly #perAddress: number;
  readonly #busyMax: number;
  readonly #manyBehind: Proxies | null;
  readonly #all: Holder;
  readonly #holders = new Map<string, Holder>();
  readonly #counts: Record<Crowding, number> = { idle: 0, address: 0, full: 0 };
  #slow = 0;

  constructor({ socketsMax, socketsPerAddress, trustedProxies }: SocketLimits) {
    this.#max = socketsMax;
    this.#perAddress = socketsPerAddress ?? Math.max(1, Math.floor(socketsMax / SHARE));
    const reserve = Math.max(1, Math.min(RESERVE_MAX, Math.floor(socketsMax / SHARE)));
    this.#busyMax = Math.max(1, socketsMax - reserve);
    this.#manyBehind = Proxies.read(trustedProxies ?? OWN_NETWORKS);
    this.#all = new Holder("", socketsMax);
  }

  /** Open connections, and those of them with a request. */
  get open(): number {
    return this.#all.open;
  }

  get busy(): number {
    return this.#all.busy;
  }

  /** How often there was no room, by what was done about it. */
  get crowding(): Readonly<Record<Crowding, number>> {
    return this.#counts;
  }

  /** How many were cut off because they took their answers too slowly. */
  get slow(): number {
    return this.#slow;
  }

  /** One is cut off for that. */
  cutSlow(): void {
    this.#slow++;
  }

  /** A connection came; null where there is no room whatever is closed. `close` closes it. */
  enter(address: string, close: () => void): Seat | null {
    const holder = this.#holderOf(address);
    if (holder.open >= holder.most) this.#makeRoom(holder, "address");
    if (this.#all.open >= this.#max && !this.#makeRoom(this.#all, "idle")) {
      this.#counts.full++;
      return null;
    }
    const seat = new Seat(this, holder, close);
    this.#holders.set(holder.name, holder);
    this.#all.open++;
    holder.open++;
    this.#all.idle.add(seat.place);
    holder.idle.add(seat.placeOfHolder);
    return seat;
  }

  /** Why no further request of a holder can be answered, or null. */
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

  /** A connection that had no request has one. */
  wakes(seat: Seat): void {
    seat.asked = true;
    this.#all.busy++;
    seat.holder.busy++;
    seat.place.leave();
    seat.placeOfHolder.leave();
  }

  /** A connection has no request any more. */
  rests(seat: Seat): void {
    this.#all.busy--;
    seat.holder.busy--;
    this.#all.idle.add(seat.place);
    seat.holder.idle.add(seat.placeOfHolder);
  }

  /** A connection is closed. */
  left(seat: Seat, busy: boolean): void {
    for (const holder of [this.#all, seat.holder]) {
      holder.open--;
      if (busy) holder.busy--;
    }
    seat.place.leave();
    seat.placeOfHolder.leave();
    if (seat.holder.open === 0) this.#holders.delete(seat.holder.name);
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

  /** Closes what has been idle longest; false where nothing is idle. */
  #makeRoom({ idle }: Holder, crowding: Crowding): boolean {
    const { oldest } = idle;
    if (oldest === undefined) return false;
    this.#counts[crowding]++;
    oldest.evict();
    return true;
  }
}

/** Requests of one connection in one turn, and requests of it whose answers are not out. */
export const REQUESTS_AT_ONCE_MAX = 16;
/** Bytes of answers that one connection is given in one turn; what exceeds them is the last. */
export const BYTES_AT_ONCE_MAX = 262_144;

/** About what a head takes; answers without a body are to be counted as well. */
const HEAD_BYTES = 1_024;

let turn = 0;
let planned = false;

/** The number of this turn of the event loop. */
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

/** The requests of one connection. */
export class Pipeline {
  /** Called when there is room again for requests of which too many were under way. */
  onRoom: () => void = () => {};
  #turn = -1;
  #requests = 0;
  #bytes = 0;
  #open = 0;

  /** A request has come. */
  begin(): void {
    this.#look();
    this.#requests++;
    this.#open++;
  }

  /** Its answer is out, or given up. */
  end(): void {
    this.#open--;
    if (this.#open === REQUESTS_AT_ONCE_MAX - 1) this.onRoom();
  }

  /** An answer is handed over, without its head. */
  answered(bytes: number): void {
    this.#look();
    this.#bytes += bytes + HEAD_BYTES;
  }

  /** Requests whose answers are not out. */
  get open(): number {
    return this.#open;
  }

  /** Requests that have come in this turn. */
  get requests(): number {
    this.#look();
    return this.#requests;
  }

  /** Whether no further request is to be taken in this turn. */
  get turnOver(): boolean {
    return this.requests >= REQUESTS_AT_ONCE_MAX || this.#bytes >= BYTES_AT_ONCE_MAX;
  }

  /** Whether no further request is to be taken until an answer is out. */
  get crowded(): boolean {
    return this.#open >= REQUESTS_AT_ONCE_MAX;
  }

  #look(): void {
    const now = thisTurn();
    if (now === this.#turn) return;
    this.#turn = now;
    this.#requests = 0;
    this.#bytes = 0;
  }
}
