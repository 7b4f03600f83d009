/**
 * Who a request came from when others hand it on. What comes in: the addresses of proxies that are
 * believed, the address of the other end, and the X-Forwarded-For that it sent. What goes out: the
 * address to count by.
 * Invariant: nobody who is not a believed proxy can choose the address that is counted: the list is
 * read from its end, and the first address that is none of the proxies is the client.
 */
import { BlockList, isIP, SocketAddress } from "node:net";

/** What a list of proxies is written like. */
export const PROXIES_FORM =
  "addresses and networks separated by commas, such as 127.0.0.1, 10.0.0.0/8";

/** Most addresses of one X-Forwarded-For that are looked at. */
const HOPS_MAX = 32;

/**
 * Whether a text is an address of a family. Asked of the system: the pattern that `isIP` has for
 * IPv6 takes V8 some 10 ms to compile, and every start would wait for it.
 */
function isAddress(text: string, family: "ipv4" | "ipv6"): boolean {
  try {
    new SocketAddress({ address: text, family });
    return true;
  } catch {
    return false;
  }
}

/** Proxies that are believed. */
export class Proxies {
  readonly #list: BlockList;

  private constructor(list: BlockList) {
    this.#list = list;
  }

  /** Reads addresses and networks separated by commas; null where one is neither. */
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

  /** The address of the client behind `peer`; `forwarded` counts only where that is believed. */
  clientOf(peer: string, forwarded: string | undefined): string {
    let client = peer;
    if (forwarded === undefined) return client;
    const hops = forwarded.split(",").slice(-HOPS_MAX);
    for (let at = hops.length - 1; at >= 0 && this.believes(client); at--) {
      const hop = withoutPort((hops[at] as string).trim());
      // Whoever wrote this is believed, but it is no address: the last one that is counts.
      if (isIP(hop) === 0) return client;
      client = hop;
    }
    return client;
  }

  /** Whether an address is one of them. */
  believes(address: string): boolean {
    const mapped = /^(?:::|0{1,4}(?::0{1,4}){4}:)ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
    if (mapped !== undefined) return this.#list.check(mapped, "ipv4");
    const version = isIP(address);
    return version !== 0 && this.#list.check(address, version === 4 ? "ipv4" : "ipv6");
  }
}

/** Some proxies write the port as well: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  const bracketed = /^\[([0-9A-Fa-f:.]+)\](?::\d+)?$/.exec(hop)?.[1];
  if (bracketed !== undefined) return bracketed;
  return /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(hop)?.[1] ?? hop;
}
