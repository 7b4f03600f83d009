/**
 * Determines the client of a forwarded request. Input: trusted proxies, the peer's address, and its
 * X-Forwarded-For. Output: the address against which the request is counted.
 * Invariant: only a trusted proxy can choose this address. The list is read from its end, and the
 * first address that is not a trusted proxy is the client.
 */
import { BlockList, isIP, SocketAddress } from "node:net";

/** Format of a list of proxies. */
export const PROXIES_FORM =
  "addresses and networks separated by commas, such as 127.0.0.1, 10.0.0.0/8";

/** Maximum addresses read from one X-Forwarded-For. */
const HOPS_MAX = 32;

/**
 * True if a text is an address of a family. Uses the system, because V8 takes some 10 ms to compile
 * the IPv6 pattern of `isIP`, which would delay every start.
 */
function isAddress(text: string, family: "ipv4" | "ipv6"): boolean {
  try {
    new SocketAddress({ address: text, family });
    return true;
  } catch {
    return false;
  }
}

/** Trusted proxies. */
export class Proxies {
  readonly #list: BlockList;

  private constructor(list: BlockList) {
    this.#list = list;
  }

  /** Parses comma-separated addresses and networks; returns null if one is invalid. */
  static read(text: string): Proxies | null {
    const list = new BlockList();
    for (const part of text.split(",")) {
      const [address = "", bits, ...more] = part.trim().split("/");
      const family = address.includes(":") ? "ipv6" : "ipv4";
      const most = family === "ipv4" ? 32 : 128;
      const prefix = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
      if (more.length > 0 || prefix < 0 || prefix > most) return null;
      if (!isAddress(address, family)) return null;
      list.addSubnet(address, prefix, family);
    }
    return new Proxies(list);
  }

  /** Returns the client's address. Uses `forwarded` only if `peer` is a trusted proxy. */
  clientOf(peer: string, forwarded: string | undefined): string {
    let client = peer;
    if (forwarded === undefined) return client;
    const hops = forwarded.split(",").slice(-HOPS_MAX);
    for (let at = hops.length - 1; at >= 0 && this.believes(client); at--) {
      const hop = withoutPort((hops[at] as string).trim());
      // A trusted proxy sent text that is not an address, so the last valid address is used.
      if (isIP(hop) === 0) return client;
      client = hop;
    }
    return client;
  }

  /** True if an address is a trusted proxy. */
  believes(address: string): boolean {
    const mapped = /^(?:::|0{1,4}(?::0{1,4}){4}:)ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
    if (mapped !== undefined) return this.#list.check(mapped, "ipv4");
    const version = isIP(address);
    return version !== 0 && this.#list.check(address, version === 4 ? "ipv4" : "ipv6");
  }
}

/** Removes the port that some proxies add: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  const bracketed = /^\[([0-9A-Fa-f:.]+)\](?::\d+)?$/.exec(hop)?.[1];
  if (bracketed !== undefined) return bracketed;
  return /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(hop)?.[1] ?? hop;
}
