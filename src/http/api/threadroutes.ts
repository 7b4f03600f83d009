/**
 * The routes of a thread that owns no state: those of the resources in which a row is answered
 * anywhere. Apart because a thread that loads all resources takes 9 MB more memory for their code.
 * Invariant: a request that leads to another row of these resources, or to none, is handed on
 * (contract/http/threads/routes.test.ts holds this table to that of the server).
 */
import { RouteTable } from "../server/routetable.ts";
import { ACCOUNT_ROUTES } from "./accounts/accounts.ts";
import { HEALTH_ROUTES } from "./service/health.ts";

/** The table of a thread. */
export const THREAD_TABLE = new RouteTable([...ACCOUNT_ROUTES, ...HEALTH_ROUTES]);
