/**
 * The receivers of notices outside the console: the tenant's webhooks and e-mail addresses. Input:
 * the pages of both. Output: one list with a name for each receiver, and changes of the searches
 * whose notices a receiver gets.
 * Invariant: the list is null until both pages are loaded. A receiver that gets the notices of all
 * searches continues to get all.
 */
import { post } from "../app/api.ts";
import { dateTime } from "../app/format.ts";
import type { EmailPage, EmailReceiver, Webhook, WebhookPage } from "../app/recordanswers.ts";
import { useAnswer } from "../parts/load.ts";

/** A webhook or an e-mail address. */
export type Receiver = Webhook | EmailReceiver;

/** Loads the receivers: webhooks, then e-mail addresses, each newest first. */
export function useReceivers() {
  const hooks = useAnswer<WebhookPage>("/webhooks?limit=100");
  const emails = useAnswer<EmailPage>("/emails?limit=100");
  const receivers: Receiver[] | null = hooks.answer &&
    emails.answer && [...hooks.answer.webhooks, ...emails.answer.emails];
  const reload = () => {
    hooks.reload();
    emails.reload();
  };
  return { receivers, error: hooks.error ?? emails.error, reload };
}

/** True for an e-mail address. */
export function isEmail(receiver: Receiver): receiver is EmailReceiver {
  return "address" in receiver;
}

/** Returns the address of a receiver. */
export function addressOf(receiver: Receiver): string {
  return isEmail(receiver) ? receiver.address : receiver.url;
}

/**
 * Returns a name that distinguishes a receiver. An e-mail receiver is named by its address, and a
 * webhook by its host. If webhooks in `all` share the host, the name adds the end of the address
 * (four characters, no secret) and the time of creation.
 */
export function nameOf(receiver: Receiver, all: readonly Receiver[]): string {
  if (isEmail(receiver)) return receiver.address;
  const { host } = new URL(receiver.url);
  const namesakes = all.filter((one) => !isEmail(one) && new URL(one.url).host === host);
  if (namesakes.length < 2) return host;
  return `${host} (…${receiver.url.slice(-4)}, ${dateTime(receiver.created_at)})`;
}

/** Returns the path of the receiver's routes. */
export function pathOf(receiver: Receiver): string {
  return `/${isEmail(receiver) ? "emails" : "webhooks"}/${receiver.id}`;
}

/** True if the recipient has unsubscribed. Only the recipient can subscribe again. */
export function hasUnsubscribed({ disabled_reason: reason }: Receiver): boolean {
  return reason === "unsubscribed";
}

/** Subscribes a receiver to the notices of a search, or unsubscribes it. */
export async function setSubscribed(
  receiver: Receiver,
  search: string,
  wanted: boolean,
): Promise<void> {
  const { searches } = receiver;
  if (searches === null || searches.includes(search) === wanted) return;
  const others = searches.filter((one) => one !== search);
  await post(pathOf(receiver), { searches: wanted ? [...others, search] : others });
}
