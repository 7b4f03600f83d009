/**
 * Decides which addresses the server may connect to on behalf of tenants. Input: the host of a
 * receiver's address, and the networks that the operator allows. Output: the addresses to connect
 * to, or a refusal.
 * Invariant: the bytes of an IP address are checked, never its text, because the same address can
 * be written in several ways. IPv4 addresses inside IPv6 ones (mapped, translated, compatible,
 * NAT64, 6to4, Teredo, ISATAP) are unwrapped first. An IP address in a URL is checked in the same
 * way as one from DNS. A name is resolved once for each connection, which then uses exactly the
 * checked addresses, so a later DNS answer has no effect. Unknown ranges are refused.
 */
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { ConnectionGuard, KnownAddress } from "../download/proxy.ts";

/** Thrown for a receiver that the server must not connect to; the message is for its owner. */
export class EgressRefusal extends Error {}

/** Resolves a name to all of its addresses. */
export type Resolve = (host: string) => Promise<readonly KnownAddress[]>;

interface Network {
  readonly bytes: Uint8Array;
  readonly bits: number;
}

/** IPv4 ranges outside of the public internet, and those of cloud providers' internal services. */
const REFUSED_V4 = networksOf(
  "0.0.0.0/8,10.0.0.0/8,100.64.0.0/10,127.0.0.0/8,168.63.129.16/32,169.254.0.0/16,172.16.0.0/12," +
    "192.0.0.0/24,192.0.2.0/24,192.88.99.0/24,192.168.0.0/16,198.18.0.0/15,198.51.100.0/24," +
    "203.0.113.0/24,224.0.0.0/3",
);

/** The range of global unicast addresses. All IPv6 addresses outside it are refused. */
const GLOBAL_V6 = networksOf("2000::/3");
/** Refused ranges of `GLOBAL_V6`: documentation, benchmarks, identifiers without a location. */
const REFUSED_V6 = networksOf("2001:2::/48,2001:10::/28,2001:20::/28,2001:db8::/32,3fff::/20");

const MAPPED = networksOf("::ffff:0:0/96,::ffff:0:0:0/96,64:ff9b::/96,::/96");
const SIX_TO_FOUR = networksOf("2002::/16");
const TEREDO = networksOf("2001::/32");

/** Guards the connections to receivers. */
export class Egress implements ConnectionGuard {
  readonly #allowed: readonly Network[];
  readonly #resolve: Resolve;

  /**
   * `allowed` lists networks, separated by commas. Connections to these networks are allowed even
   * if they are internal, and even over plain HTTP.
   */
  constructor(allowed: string | null, resolve: Resolve = everyAddress) {
    this.#allowed = allowed === null ? [] : networksOf(allowed);
    this.#resolve = resolve;
  }

  /**
   * Checks an address when a receiver is set up. Returns the reason for a refusal, or null. Does
   * not resolve names.
   */
  whyNot(url: URL): string | null {
    const { protocol, hostname } = url;
    if (protocol !== "https:" && protocol !== "http:") return "It must begin with https://.";
    if (url.username !== "" || url.password !== "") {
      return "Leave user and password out: deliveries are signed instead.";
    }
    if (protocol === "http:" && this.#allowed.length === 0) return HTTPS_ONLY;
    const bytes = bytesOf(withoutBrackets(hostname));
    return bytes === null ? null : this.#refusalOf(bytes, protocol);
  }

  async addresses(host: string, protocol: string): Promise<readonly KnownAddress[]> {
    const name = withoutBrackets(host);
    const family = isIP(name);
    const found =
      family === 0 ? await this.#resolved(name) : [{ address: name, family: family as 4 | 6 }];
    let refusal = NO_ADDRESS;
    const fit = found.filter(({ address }) => {
      const bytes = bytesOf(address);
      const why = bytes === null ? "Its address cannot be read." : this.#refusalOf(bytes, protocol);
      refusal = why ?? refusal;
      return why === null;
    });
    // If any address of a name is internal, the name is refused, because it may be an attack.
    if (fit.length < found.length || fit.length === 0) {
      throw new EgressRefusal(family === 0 ? NO_ADDRESS : refusal);
    }
    return fit;
  }

  /**
   * Refuses an unknown name with the same error as an internal name. Otherwise tenants could find
   * out which internal names exist.
   */
  async #resolved(name: string): Promise<readonly KnownAddress[]> {
    try {
      return await this.#resolve(name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOTFOUND") throw error;
      throw new EgressRefusal(NO_ADDRESS, { cause: error });
    }
  }

  #refusalOf(bytes: Uint8Array, protocol: string): string | null {
    if (isAllowed(bytes, this.#allowed)) return null;
    if (protocol !== "https:") return HTTPS_ONLY;
    return isPublic(bytes) ? null : PRIVATE;
  }
}

const HTTPS_ONLY =
  "It must begin with https://; plain http is for the networks in notices.allow_networks.";
const PRIVATE =
  "It leads to an address that is not public. The operator can name its network in " +
  "notices.allow_networks.";

const NO_ADDRESS =
  "Its name has no address that may be connected to: over https:// a public one, or one in " +
  "notices.allow_networks.";

/** True if an address (4 or 16 bytes) belongs to the public internet. */
export function isPublic(bytes: Uint8Array): boolean {
  if (bytes.length === 4) return !isIn(bytes, REFUSED_V4);
  const inner = innerOf(bytes);
  if (inner.length > 0) return inner.every(isPublic);
  return isIn(bytes, GLOBAL_V6) && !isIn(bytes, REFUSED_V6);
}

function isAllowed(bytes: Uint8Array, allowed: readonly Network[]): boolean {
  if (isIn(bytes, allowed)) return true;
  const inner = bytes.length === 16 ? innerOf(bytes) : [];
  return inner.length > 0 && inner.every((one) => isIn(one, allowed));
}

/** Returns the IPv4 addresses inside an IPv6 address. */
function innerOf(bytes: Uint8Array): Uint8Array[] {
  if (isIn(bytes, MAPPED)) return [bytes.subarray(12)];
  if (isIn(bytes, SIX_TO_FOUR)) return [bytes.subarray(2, 6)];
  // A Teredo address contains the address of its server, and the address of its client with all
  // bits inverted.
  if (isIn(bytes, TEREDO)) return [bytes.subarray(4, 8), bytes.subarray(12).map((one) => ~one)];
  const isatap = (bytes[8] as number) & 0xfc;
  const marked = bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;
  return isatap === 0 && marked ? [bytes.subarray(12)] : [];
}

function isIn(bytes: Uint8Array, networks: readonly Network[]): boolean {
  return networks.some((network) => {
    if (network.bytes.length !== bytes.length) return false;
    return network.bytes.every((byte, at) => {
      const bits = Math.min(Math.max(network.bits - at * 8, 0), 8);
      const mask = (0xff << (8 - bits)) & 0xff;
      return (byte & mask) === ((bytes[at] as number) & mask);
    });
  });
}

function networksOf(text: string): Network[] {
  return text.split(",").flatMap((part) => {
    const [address = "", bits] = part.trim().split("/");
    const bytes = bytesOf(address);
    if (bytes === null) return [];
    return [{ bytes, bits: bits === undefined ? bytes.length * 8 : Number(bits) }];
  });
}

/** Returns the bytes (4 or 16) of an address in text; null for other text. */
export function bytesOf(text: string): Uint8Array | null {
  const [address = ""] = text.split("%");
  const family = isIP(address);
  if (family === 4) return Uint8Array.from(address.split("."), Number);
  if (family !== 6) return null;
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(address);
  const tail = dotted === null ? null : Uint8Array.from((dotted[2] as string).split("."), Number);
  const plain = tail === null ? address : `${dotted?.[1]}${hex(tail, 0)}:${hex(tail, 2)}`;
  const [head = "", rest] = plain.split("::");
  const front = head === "" ? [] : head.split(":");
  const back = rest === undefined || rest === "" ? [] : rest.split(":");
  const zeros = rest === undefined ? 0 : 8 - front.length - back.length;
  const groups = [...front, ...Array.from({ length: zeros }, () => "0"), ...back];
  return Uint8Array.from(
    groups.flatMap((group) => {
      const value = Number.parseInt(group, 16);
      return [value >> 8, value & 0xff];
    }),
  );
}

function hex(bytes: Uint8Array, at: number): string {
  return (((bytes[at] as number) << 8) | (bytes[at + 1] as number)).toString(16);
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, "");
}

async function everyAddress(host: string): Promise<readonly KnownAddress[]> {
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}
