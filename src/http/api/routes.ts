/**
 * The public routes: the rows of all resources, and the table of a server with no other routes.
 * Invariant: everything under /v1/, and /mcp, needs an API key. The console has its own routes
 * (src/console/routes.ts). The order is the same as in the documents.
 */
import { RouteTable } from "../server/routetable.ts";
import { ACCOUNT_ROUTES } from "./accounts/accounts.ts";
import { COMPANY_ROUTES } from "./accounts/companies.ts";
import { DISTRICT_ROUTES } from "./accounts/districts.ts";
import { CHANGE_ROUTES } from "./changes/changes.ts";
import { ENRICH_ROUTE } from "./enrichment/enrich.ts";
import { ENRICH_FILE_ROUTE } from "./enrichment/enrichfiles.ts";
import { EXPORT_ROUTES } from "./exports/exports.ts";
import { FILE_ROUTES } from "./exports/files.ts";
import { LEAD_ROUTES } from "./leads/leads.ts";
import { LIST_ROUTES } from "./lists/lists.ts";
import { EMAIL_ROUTES } from "./notices/emailroutes.ts";
import { NOTICE_ROUTES } from "./notices/notices.ts";
import type { ApiRoute } from "./route.ts";
import { SEARCH_ROUTES } from "./searches/searches.ts";
import { documentRoutes } from "./service/documents.ts";
import { HEALTH_ROUTES } from "./service/health.ts";
import { AGENT_ROUTES } from "./service/mcp.ts";
import { STATUS_ROUTES } from "./service/status.ts";
import { SPEC_ROUTES } from "./spec/spec.ts";

/** Every public route of the server. */
export const ROUTES: readonly ApiRoute[] = [
  ...ACCOUNT_ROUTES,
  ...COMPANY_ROUTES,
  ...DISTRICT_ROUTES,
  ...LEAD_ROUTES,
  ...SPEC_ROUTES,
  ...CHANGE_ROUTES,
  ...EXPORT_ROUTES,
  ENRICH_ROUTE,
  ENRICH_FILE_ROUTE,
  ...LIST_ROUTES,
  ...SEARCH_ROUTES,
  ...NOTICE_ROUTES,
  ...EMAIL_ROUTES,
  ...STATUS_ROUTES,
  ...AGENT_ROUTES,
  ...FILE_ROUTES,
  ...HEALTH_ROUTES,
  ...documentRoutes(() => ROUTES),
];

/** Route table of a server without a console. */
export const PUBLIC_TABLE = new RouteTable(ROUTES);
