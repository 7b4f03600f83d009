/**
 * Request targets of HTTP/1.1 that are no path (RFC 9112, section 3.2). Only the transport node
 * sees them: uWebSockets.js answers them with 505 before anything here runs.
 * Invariant: of an absolute target the authority replaces the Host header, so that no two parts of
 * a request name different servers.
 */

/** Scheme, authority without a user, and the path with the query. */
const ABSOLUTE = /^https?:\/\/([A-Za-z0-9.:[\]_~%!$&'()*+,;=-]+)((?:[/?][^#]*)?)$/i;

/** A request target as the server reads it. */
interface OriginForm {
  /** Path and query, or `*` for the server as a whole. */
  readonly url: string;
  /** Authority of an absolute target; null for any other. */
  readonly authority: string | null;
}

/** Returns true for a target that is answered: a path, an absolute address, `*` of OPTIONS. */
export function isTarget(method: string, target: string): boolean {
  return (
    target.startsWith("/") || (target === "*" && method === "OPTIONS") || ABSOLUTE.test(target)
  );
}

/** Reduces a target to path and query. */
export function originForm(target: string): OriginForm {
  const match = target.startsWith("/") ? null : ABSOLUTE.exec(target);
  if (match === null) return { url: target, authority: null };
  const [, authority = "", rest = ""] = match;
  return { url: rest.startsWith("/") ? rest : `/${rest}`, authority };
}
