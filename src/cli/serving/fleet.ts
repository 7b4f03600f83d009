/**
 * This server's membership in its fleet, the servers that share its state. Input: the configuration
 * and the open state. Output: the membership, and the lease for work that only one server does.
 * Invariant: the server joins only when the exports start, because only then is the data directory
 * locked.
 */
import { hostname } from "node:os";
import { readStoreAddress, shownObject } from "../../files/objectaddress.ts";
import { systemClock } from "../../process/clock.ts";
import type { Log } from "../../process/log.ts";
import type { Segment } from "../../search/segment.ts";
import type { Config } from "../../settings/config.ts";
import { FleetMonth } from "../../store/fleet/fleetmonth.ts";
import { WorkLease } from "../../store/fleet/lease.ts";
import { Membership } from "../../store/fleet/membership.ts";
import type { ServerLockKind } from "../../store/postgres/sharedstate.ts";
import type { StateDatabase } from "../../store/statedatabase.ts";
import { VERSION } from "../commands/version.ts";

/** Name of the lease of the only server that works on notices, months, and expiry. */
const WORK = "work";

/** Returns how a server locks its state: shared only if export files are in an object store. */
export function lockKindOf(config: Config): ServerLockKind {
  return config.get("files.url") === null ? "alone" : "shared";
}

/** This server's part in a fleet. */
export interface Fleet {
  readonly membership: Membership;
  readonly work: WorkLease;
  /** The snapshot that all servers serve, or null if no other server can use the state. */
  readonly fleetMonth: FleetMonth | null;
  /** Current id of this server in the fleet. */
  memberId(): string;
  /** Stores which snapshot this server serves. */
  serve(segment: Segment): void;
}

/** Creates a server's membership in the fleet. It joins only when the exports start. */
export function fleetOf(parts: {
  readonly config: Config;
  readonly database: StateDatabase;
  readonly dataDir: string;
  /** Address at which this server answers. */
  readonly url: string;
  readonly log: Log;
}): Fleet {
  const { config, database, dataDir, url, log } = parts;
  const { port } = new URL(url);
  const files = placeOfFiles(config.get("files.url"));
  const facts = { name: `${hostname()}:${port}`, version: VERSION, files, dataDir };
  const membership = new Membership({ ...facts, database, clock: systemClock, log });
  const work = new WorkLease(database, membership, WORK);
  return {
    membership,
    work,
    fleetMonth: membership.isShared ? new FleetMonth(database) : null,
    memberId: () => membership.id,
    serve: ({ label, snapshotId }) => membership.serve({ snapshot: label, snapshotId }),
  };
}

function placeOfFiles(address: string | null): string {
  const place = address === null ? null : readStoreAddress(address);
  if (place === null) return "disk";
  return `${shownObject(place, place.prefix)} at ${place.endpoint.host}`;
}
