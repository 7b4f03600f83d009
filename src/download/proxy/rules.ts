/**
 * The proxy between this machine and an address.
 * Input: the setting `download.proxy` and the environment. Output: for an address, the proxy that
 * it is reached through, or none.
 * Invariant: the setting goes before the variables, small letters before capitals, the variable of
 * the scheme before ALL_PROXY; NO_PROXY holds for all of them. `name` is all of a proxy that is
 * ever shown: user and password never leave this object but on the way to the proxy.
 * NO_PROXY is read as curl reads it, commas or blanks between the entries: a name stands for itself
 * and all that end in it, an address for itself, a network (10.0.0.0/8) for its addresses, `*` for
 * everything; a port after an entry narrows it. Any other entry names nothing.
 */

import { BlockList, isIP } from "node:net";
import { CommandError } from "../../errors.ts";
import { checkProxy } from "../../settings/settingvalue.ts";

/** A proxy; its credentials are not enumerable, so that nothing prints them by accident. */
export interface ProxyServer {
  /** `HOST:PORT`, for people. */
  readonly name: string;
  readonly kind: "http" | "socks5";
  /** Without credentials. */
  readonly url: URL;
  readonly host: string;
  readonly port: number;
  /** Whether names are looked up by this machine and not by the proxy. */
  readonly looksUpHere: boolean;
  readonly credentials: () => ProxyCredentials | null;
}

/** Who we are to a proxy. */
interface ProxyCredentials {
  readonly user: string;
  readonly password: string;
}

/** Says which proxy an address is asked through; null is none. */
export type ProxyRules = (url: URL) => ProxyServer | null;

/** Asks everything without a proxy. */
export const NO_PROXIES: ProxyRules = () => null;

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the rules. @throws CommandError (exit 2) naming the variable, never its value */
export function proxyRules(setting: string | null, environment: Environment): ProxyRules {
  const exempt = variableOf(environment, "NO_PROXY")?.[1] ?? "";
  if (setting === "direct") return NO_PROXIES;
  if (setting !== null) {
    const proxy = readProxy(setting);
    return (url) => (isFolder(url) || bypasses(exempt, url) ? null : proxy);
  }
  const all = fromVariable(environment, "ALL_PROXY");
  const byScheme: Readonly<Record<string, ProxyServer | null>> = {
    "https:": fromVariable(environment, "HTTPS_PROXY") ?? all,
    "http:": fromVariable(environment, "HTTP_PROXY") ?? all,
  };
  // The proxy of a network is no way to this machine itself.
  return (url) => (isHere(url) || bypasses(exempt, url) ? null : (byScheme[url.protocol] ?? null));
}

function isFolder({ protocol }: URL): boolean {
  return protocol === "file:";
}

function isHere({ hostname }: URL): boolean {
  return /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/** The value of a variable in small or capital letters, and how it was written. */
function variableOf(environment: Environment, name: string): [name: string, value: string] | null {
  for (const written of [name.toLowerCase(), name]) {
    const value = environment[written]?.trim() ?? "";
    if (value !== "") return [written, value];
  }
  return null;
}

function fromVariable(environment: Environment, name: string): ProxyServer | null {
  const [written, value] = variableOf(environment, name) ?? [];
  if (written === undefined || value === undefined) return null;
  const text = value.includes("://") ? value : `http://${value}`;
  const expected = text === "direct" ? null : checkProxy(text);
  if (expected === null) return readProxy(text);
  throw new CommandError(
    `${written} must be ${expected.replace("direct, or ", "")}. ` +
      "Set it right, or download.proxy to direct where no proxy is wanted.",
    2,
  );
}

const PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };
const SOCKS_PORT = 1080;

function readProxy(text: string): ProxyServer {
  const url = new URL(text);
  const [user, password] = [url.username, url.password].map(decodeURIComponent) as [string, string];
  url.username = "";
  url.password = "";
  const { protocol, hostname } = url;
  const port = url.port === "" ? (PORTS[protocol] ?? SOCKS_PORT) : Number(url.port);
  return {
    name: `${hostname}:${port}`,
    kind: protocol.startsWith("socks") ? "socks5" : "http",
    url,
    host: hostname.replace(/^\[|\]$/g, ""),
    port,
    looksUpHere: protocol === "socks5:",
    credentials: () => (user === "" && password === "" ? null : { user, password }),
  };
}

/** Whether NO_PROXY names the host of an address. */
export function bypasses(text: string, url: URL): boolean {
  const host = bare(url.hostname);
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return text
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .some((entry) => entry === "*" || names(entry.toLowerCase(), host, port));
}

/** A host as entries are compared with: no brackets, no dot at its end. */
function bare(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "");
}

function names(entry: string, host: string, port: string): boolean {
  if (entry.includes("/")) return isIn(entry, host);
  const bracketed = /^\[([0-9a-f:.]+)\](?::(\d+))?$/.exec(entry);
  const plain = isIP(entry) === 6 ? null : /^(.*?)(?::(\d+))?$/.exec(entry);
  const [name = entry, only] = (bracketed ?? plain)?.slice(1) ?? [];
  if (only !== undefined && only !== port) return false;
  if (isIP(host) !== 0 || isIP(name) !== 0) return sameAddress(name, host);
  const tail = name.replace(/^\*?\./, "").replace(/\.$/, "");
  return tail !== "" && (host === tail || host.endsWith(`.${tail}`));
}

function sameAddress(one: string, other: string): boolean {
  return isIP(one) !== 0 && isIn(`${one}/${isIP(one) === 4 ? 32 : 128}`, other);
}

/** Whether an address lies in a network such as 10.0.0.0/8 or [fd00::]/8. */
function isIn(network: string, host: string): boolean {
  const [address = "", bits = ""] = network.replace(/[[\]]/g, "").split("/");
  const [version, other] = [isIP(address), isIP(host)];
  if (version === 0 || other === 0 || !/^\d{1,3}$/.test(bits)) return false;
  if (Number(bits) > (version === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(address, Number(bits), version === 4 ? "ipv4" : "ipv6");
  return list.check(host, other === 4 ? "ipv4" : "ipv6");
}
