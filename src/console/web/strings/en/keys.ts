/**
 * English words of the view of API keys.
 * Invariant: the Portuguese table has the same keys.
 */
import { date, duration } from "../../app/format.ts";

/** Words of this area. */
export const keys = {
  lead:
    "Programs use these to search and export through the API. Each key is shown only once, when " +
    "it is created.",
  create: "New key",
  readOnly: "Only an owner can make or change keys.",
  none: "No keys yet",
  noneText: "Make one to use the API from your own programs.",
  name: "Name",
  nameHint: "What will use it, such as “CRM import”.",
  nameNeeded: "Give the key a name.",
  state: "State",
  plan: "Plan",
  created: "Created",
  lastUsed: "Last used",
  never: "Never",
  expires: "Ends",
  endsNever: "Never expires",
  endsOn: (iso: string) => `Ends ${date(iso)}`,
  usedAgo: (when: string) => `Used ${when}`,
  unused: "Never used",
  unnamed: "(no name)",
  states: {
    active: "Active",
    disabled: "Disabled",
    expired: "Ended",
    tenant_disabled: "Organization disabled",
  },
  actions: (name: string) => `Actions for ${name}`,
  rename: "Rename",
  rotate: "Replace",
  disable: "Disable",
  enable: "Enable",
  lifetime: "Ends",
  lifetimes: { never: "Never", d30: "In 30 days", d90: "In 90 days", d365: "In a year" },
  createTitle: "New API key",
  createSubmit: "Create key",
  onceTitle: "Copy the key now",
  once:
    "It cannot be shown again: the server keeps only its fingerprint. If it is lost, make " +
    "another one.",
  key: "Key",
  tryIt: "Try it",
  done: "I have copied it",
  renameTitle: "Rename the key",
  renamed: "Renamed",
  rotateTitle: (name: string) => `Replace “${name}”`,
  rotateText:
    "A new key with the same name and plan is created. The old one keeps working for as long" +
    " as you choose, so that programs can be changed without a gap. " +
    "The new key has no end date.",
  overlap: "The old key works for another",
  overlaps: { s0: "Stop at once", h1: "1 hour", d1: "1 day", d7: "7 days", d30: "30 days" },
  rotateSubmit: "Make the new key",
  replaced: (iso: string, left: number) =>
    left <= 0
      ? "The old key has stopped."
      : `The old key stops in ${duration(left)} (${date(iso)}).`,
  disableTitle: (name: string) => `Disable “${name}”?`,
  disableText: "Programs that use it are refused at once. You can enable it again at any time.",
  disabled: "Key disabled",
  enabled: "Key enabled",
};
