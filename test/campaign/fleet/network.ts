/**
 * Networks of a fleet on one machine: each server is in a network namespace of its own, with one
 * link to the balancer, one to the database, and one to the store.
 * Invariant: a cut link passes no packet and reports nothing, as behind a packet filter. Both ends
 * keep their addresses and their connections. Nothing is left on the machine after `remove`.
 */
import { execFileSync } from "node:child_process";

/** Links of a server. */
export const LINKS = ["front", "state", "files"] as const;

/** A link, named by its other end. */
export type Link = (typeof LINKS)[number];

/** Network of each kind of link. The host has address 1, the servers those from 11 on. */
const NETS = { front: "10.97.1", state: "10.97.2", files: "10.97.3" } as const;

/** The network that contains the networks of all links, for access rules. */
export const ALL_NETS = "10.97.0.0/16";

/** Port of the first server. Each has another port, which names it in the fleet. */
const PORT = 8_081;

function ip(...parameters: readonly string[]): void {
  execFileSync("ip", parameters, { stdio: ["ignore", "ignore", "pipe"] });
}

/** The reason to skip suites that need network namespaces, or false if they can be created. */
export const withoutNetworks: string | false = (() => {
  try {
    ip("netns", "add", "pnprobe");
    ip("netns", "delete", "pnprobe");
    return false;
  } catch {
    return "skipped: no network namespaces (needs root and iproute2)";
  }
})();

/** The networks of some servers. */
export class FleetNetwork {
  readonly #servers: number;

  private constructor(servers: number) {
    this.#servers = servers;
  }

  /** Makes bridges, namespaces, and links. */
  static make(servers: number): FleetNetwork {
    const made = new FleetNetwork(servers);
    made.remove();
    for (const link of LINKS) {
      ip("link", "add", bridgeOf(link), "type", "bridge");
      ip("address", "add", `${NETS[link]}.1/24`, "dev", bridgeOf(link));
      ip("link", "set", "dev", bridgeOf(link), "up");
    }
    for (let at = 0; at < servers; at++) made.#connect(at);
    return made;
  }

  #connect(at: number): void {
    const space = this.space(at);
    ip("netns", "add", space);
    ip("-n", space, "link", "set", "dev", "lo", "up");
    for (const link of LINKS) {
      ip("link", "add", portOf(at, link), "type", "veth", "peer", "name", link, "netns", space);
      ip("-n", space, "address", "add", `${NETS[link]}.${11 + at}/24`, "dev", link);
      ip("-n", space, "link", "set", "dev", link, "up");
      ip("link", "set", "dev", portOf(at, link), "master", bridgeOf(link), "up");
    }
  }

  /** Name of a server's namespace. */
  space(at: number): string {
    return `pn${at}`;
  }

  /** Address and port on which a server listens. */
  listen(at: number): string {
    return `${NETS.front}.${11 + at}:${PORT + at}`;
  }

  /** Address of this machine on a network. */
  host(link: Link): string {
    return `${NETS[link]}.1`;
  }

  /** Drops every packet of a link, in both directions. */
  cut(at: number, link: Link): void {
    ip("link", "set", "dev", portOf(at, link), "nomaster");
  }

  heal(at: number, link: Link): void {
    ip("link", "set", "dev", portOf(at, link), "master", bridgeOf(link));
  }

  /** Removes everything, including the leftovers of a run that ended early. */
  remove(): void {
    for (let at = 0; at < this.#servers; at++) {
      // The links of a namespace disappear some time after the namespace. Deleting one end of a
      // link removes both ends immediately.
      for (const link of LINKS) attempt("link", "delete", portOf(at, link));
      attempt("netns", "delete", this.space(at));
    }
    for (const link of LINKS) attempt("link", "delete", bridgeOf(link));
  }
}

function bridgeOf(link: Link): string {
  return `pn-${link}`;
}

function portOf(at: number, link: Link): string {
  return `pn${at}-${link}`;
}

function attempt(...parameters: readonly string[]): void {
  try {
    ip(...parameters);
  } catch {
    // It does not exist, as expected.
  }
}
