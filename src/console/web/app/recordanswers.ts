/**
 * Types of the console's answers about notices, receivers, and ownership, as the browser sees them.
 * They continue answers.ts, which describes how they are checked.
 */
import type Type from "typebox";
import type { NOTICE_SCHEMAS } from "../../../http/api/notices/notices-schemas.ts";
import type { SAVED_SEARCH_SCHEMAS } from "../../../http/api/searches/searches-schemas.ts";

/** A notice with its deliveries, as GET /v1/notices returns it. */
export type Notice = Type.Static<typeof NOTICE_SCHEMAS.Notice>;

/** `GET /notices?search&limit&cursor`: newest first. */
export interface NoticePage {
  notices: Notice[];
  next_cursor: string | null;
  has_more: boolean;
}

/** A webhook, as GET /v1/webhooks returns it. */
export type Webhook = Type.Static<typeof NOTICE_SCHEMAS.Webhook>;

/** `GET /webhooks?limit&cursor`: newest first. */
export interface WebhookPage {
  webhooks: Webhook[];
  next_cursor: string | null;
  has_more: boolean;
}

/** `POST /webhooks` with `{url, searches?, signature?}` and `POST /webhooks/{id}/rotate`. */
export interface WebhookSecret {
  webhook: Webhook;
  secret: string;
  public_key: string | null;
}

/** `POST /webhooks/{id}/test`: the outcome. */
export type WebhookTest = Type.Static<typeof NOTICE_SCHEMAS.WebhookTest>;

/** An e-mail receiver, as GET /v1/emails returns it. */
export type EmailReceiver = Type.Static<typeof NOTICE_SCHEMAS.Email>;

/** `GET /emails?limit&cursor`: newest first. */
export interface EmailPage {
  emails: EmailReceiver[];
  next_cursor: string | null;
  has_more: boolean;
}

/** `GET /searches/{id}/notices`, and `POST` as PATCH /v1/searches/{id}: its notice options. */
export interface NoticeOptionsAnswer {
  search: Omit<Type.Static<typeof SAVED_SEARCH_SCHEMAS.SavedSearch>, "last_notice">;
}

/** Companies, ordered by root. */
export interface OwnedCompanies {
  total: number;
  companies: OwnedCompany[];
}

/** A company at the other end of a partnership. */
export interface OwnedCompany {
  cnpj_root: string;
  /** Name of the company; null if the snapshot has no account of it. */
  legal_name: string | null;
  /** Qualification of the partner: a code of the registry with 2 digits. */
  qualification: string | null;
  since: string | null;
  /** Next companies in the same direction; null after the second step. */
  next: OwnedCompanies | null;
}

/** `GET /companies/{root}/ownership`; both are null if the snapshot has no partners. */
export interface OwnershipAnswer {
  request_id: string;
  snapshot: string;
  snapshot_date: string;
  /** Month of the data about partners. */
  partners_snapshot: string | null;
  owners: OwnedCompanies | null;
  owns: OwnedCompanies | null;
}
