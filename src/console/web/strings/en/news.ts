/**
 * English words of a saved search's news; functions take formatted values and counts.
 * Invariant: the Portuguese table has the same keys.
 */
import { number } from "../../app/format.ts";

const counted = (label: string) => (count: number) => `${label} (${number(count)})`;

/** Words of this area. */
export const news = {
  title: "What's new",
  back: "Saved searches",
  since: "Since",
  notSince: (month: string) =>
    `This server no longer has ${month}, when the search was last looked at.`,
  kind: "What to show",
  kinds: { entered: "New", left: "Gone", changed: "Changed" },
  kindsOf: { entered: counted("New"), left: counted("Gone"), changed: counted("Changed") },
  none: {
    entered: (month: string) => `No establishment has come in since ${month}.`,
    left: (month: string) => `No establishment has left since ${month}.`,
    changed: (month: string) => `No establishment has changed since ${month}.`,
  },
  what: "What has changed",
  groups: {
    status: "Status",
    address: "Address",
    contact: "Contact",
    simples: "Simples",
    mei: "MEI",
  },
  noneOfGroups: (month: string) => `Nothing of this has changed since ${month}.`,
  isNew: "New in the register",
  isGone: "No longer in the register",
  more: (left: string) => `Show more (${left} left)`,
  preparing: "The two months are being compared; this is done once.",
  failed: "What's new could not be loaded.",
  exportKind: {
    entered: "Export the new ones",
    left: "Export those that have gone",
    changed: "Export those that have changed",
  },
  fileOf: {
    entered: (name: string) => `New in ${name}`,
    left: (name: string) => `Gone from ${name}`,
    changed: (name: string) => `Changed in ${name}`,
  },
  fileOfAll: (name: string) => `News of ${name}`,
  exporting: "The export is on its way.",
  seen: "Mark as seen for the whole team",
  seenUntil: (month: string) => `Seen by the team up to ${month}.`,
  seenToast: "Marked as seen for the team: news count from now on.",
  oneMonth: "There is only one month here so far",
  oneMonthHint: "What is new shows here when the next month is published and served.",
};
