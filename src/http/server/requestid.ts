/**
 * What comes in: the X-Request-Id of a client, if there is one. What goes out: the id of the
 * request, which stands in its answer and in the log.
 * Invariant: an id has 1 to 64 characters of `A-Za-z0-9._-`, so it is safe in a header and a log;
 * ids made here differ from each other and from those of other runs of the server.
 */
import { randomBytes } from "node:crypto";

const CLIENT_ID = /^[A-Za-z0-9._-]{1,64}$/;
const RUN = randomBytes(6).toString("hex");
let made = 0;

/** Keeps the client's id where it is acceptable, else makes one. */
export function requestIdOf(sent: string | undefined): string {
  if (sent !== undefined && CLIENT_ID.test(sent)) return sent;
  made++;
  return `req_${RUN}${made.toString(36).padStart(7, "0")}`;
}
