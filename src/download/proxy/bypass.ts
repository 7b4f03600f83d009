/**
 * Which hosts are asked without a proxy.
 * What comes in: the text of NO_PROXY, and an address. What goes out: whether the text names it.
 * Invariant: as curl reads it, commas or blanks between the entries: a name stands for itself and
 * all that end in it, an address for itself, a network (10.0.0.0/8) for its addresses, `*` for
 * everything; a port behind an entry narrows it. What is none of these names nothing.
 * Apart because it is the syntax of one variable, as curl has it.
 */
import { BlockList, isIP } from "node:net";

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
