/**
 * Routes of a thread that owns no state: the resources with rows that any thread can answer. On its
 * own because loading all resources costs 9 MB more memory per thread.
 * Invariant: a request for any other row is handed on (contract/http/threads/routes.test.ts checks
 * this table against the server's).
 */
import { RouteTable } from "../server/routetable.ts";
import { ACCOUNT_ROUTES } from "./accounts/accounts.ts";
import { HEALTH_ROUTES } from "./service/health.ts";

/** Route table of a thread. */
export const THREAD_TABLE = new RouteTable([...ACCOUNT_ROUTES, ...HEALTH_ROUTES]);
