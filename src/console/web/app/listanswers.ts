/**
 * Types of the console's list and district routes, as the browser sees them. They continue
 * answers.ts, which describes how they are checked.
 */
import type Type from "typebox";
import type { LIST_SCHEMAS } from "../../../http/api/lists/lists-schemas.ts";
import type { Account } from "./answers.ts";

/** A list of the tenant, as returned by GET /v1/lists/{id}. */
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

/** `POST /accounts/lists` with `{cnpjs}`: the lists that contain any, each with those CNPJs. */
export interface ContainingListsAnswer {
  request_id: string;
  lists: { id: string; name: string; cnpjs: string[] }[];
}

/**
 * `GET /districts?municipality_ibge&q`: districts of all these municipalities, best match first.
 */
export interface DistrictsFound {
  request_id: string;
  districts: { municipality_ibge: string; name: string; accounts: number }[];
  total: number;
}

/** `POST /accounts/look-up` with `{cnpjs, fields}`: a result for each CNPJ, free of charge. */
export interface LookUpAnswer {
  request_id: string;
  results: { account: Account | null }[];
}
