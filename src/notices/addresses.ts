/**
 * E-mail addresses of receivers. Input: an address as a person typed it. Output: the address in
 * ASCII, or null.
 * Invariant: an accepted address needs no quoting in a header or an SMTP command, so it cannot add
 * a recipient or a line. International hosts are converted to ASCII (IDNA). A non-ASCII local part
 * (before the @) is refused, because few mail servers accept it (RFC 6531).
 */
import { domainToASCII } from "node:url";
import type { WebhookRow } from "../store/webhookstore.ts";

/** Max length of an address (RFC 5321), and of its local part. */
const ADDRESS_MAX = 254;
const LOCAL_MAX = 64;

/** A local part: the words of a dot-atom (RFC 5322), separated by dots. */
const LOCAL = /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Returns the e-mail address in a receiver's `mailto:` URL. */
export function addressOf({ url }: Pick<WebhookRow, "url">): string {
  return url.slice("mailto:".length);
}

/**
 * Returns one plain address; null for a name, a quoted part, several addresses, a host without a
 * dot, or an address that is too long.
 */
export function plainAddress(typed: string): string | null {
  const [, local = "", host = ""] = /^([^@\s]+)@([^@\s]+)$/.exec(typed.trim()) ?? [];
  if (!LOCAL.test(local) || local.length > LOCAL_MAX) return null;
  if (/[^\p{L}\p{M}\p{N}.-]/u.test(host)) return null;
  const ascii = domainToASCII(host);
  const labels = ascii.split(".");
  const fits = labels.length >= 2 && labels.every((label) => LABEL.test(label));
  if (!fits || !/[a-z]/.test(labels.at(-1) ?? "")) return null;
  const address = `${local}@${ascii}`;
  return address.length <= ADDRESS_MAX ? address : null;
}
