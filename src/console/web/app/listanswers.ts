/**
 * What the console's routes of lists and of districts take and answer, as the browser sees it; a
 * part of answers.ts. What comes in: nothing. What goes out: types. Invariant: that of the whole.
 */
import type Type from "typebox";
import type { LIST_SCHEMAS } from "../../../http/api/lists/lists-schemas.ts";

/** A list of the tenant's own, as GET /v1/lists/{id} answers it. */
export type AccountList = Type.Static<typeof LIST_SCHEMAS.List>;

/** `GET /lists?limit&cursor`: newest first. */
export interface ListPage {
  lists: AccountList[];
  next_cursor: string | null;
  has_more: boolean;
}

/** `GET /lists/{id}/entries?limit&cursor`: CNPJs and roots, ascending. */
export type ListEntries = Type.Static<typeof LIST_SCHEMAS.ListEntries>;

/** `POST /lists/{id}/entries` and `…/remove` with `{cnpjs}` or a CSV file, `…/from-search`. */
export type ListChange = Omit<Type.Static<typeof LIST_SCHEMAS.ListChange>, "list"> & {
  list: AccountList;
};

/** `POST /accounts/lists` with `{cnpjs}`: the lists that hold any of them, with those it holds. */
export interface HoldingAnswer {
  request_id: string;
  lists: { id: string; name: string; cnpjs: string[] }[];
}

/** `GET /districts?municipality_ibge&q`: of all of them together, the best first. */
export interface DistrictsFound {
  request_id: string;
  districts: { municipality_ibge: string; name: string; accounts: number }[];
  total: number;
}
