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

/** Digits of a number are of this base. */
const BASE = 36;
const DIGITS = 7;
/** All pairs of digits: the last two change with each id, the others seldom. */
const PAIRS = Array.from({ length: BASE * BASE }, (_, pair) =>
  pair.toString(BASE).padStart(2, "0"),
);
/**
 * The id that was made last. As bytes, because a text that two others are joined to is put together
 * again by whoever looks into it, and every answer does so four times.
 */
const ID = Buffer.from(`req_${RUN}${"0".repeat(DIGITS)}`);
const LAST_AT = ID.byteLength - 2;
/** For how many pairs of last digits its others stand. */
let standing = 0;

/** Keeps the client's id where it is acceptable, else makes one. */
export function requestIdOf(sent: string | undefined): string {
  if (sent !== undefined && CLIENT_ID.test(sent)) return sent;
  made++;
  const pairs = Math.floor(made / PAIRS.length);
  if (standing !== pairs) {
    const digits = pairs.toString(BASE).padStart(DIGITS - 2, "0");
    ID.write(digits, LAST_AT - digits.length);
    standing = pairs;
  }
  const pair = PAIRS[made % PAIRS.length] as string;
  ID[LAST_AT] = pair.charCodeAt(0);
  ID[LAST_AT + 1] = pair.charCodeAt(1);
  return ID.toString("latin1");
}
