/**
 * English words of the user's own account. What comes in: values of functions. What goes out:
 * text.
 * Invariant: the Portuguese table has the same keys.
 */
import { duration, number } from "../../app/format.ts";

/** Words of this area. */
export const account = {
  who: "Signed in",
  email: "E-mail",
  role: "Role",
  tenant: "Organisation",
  plan: "Plan",
  passwordTitle: "Password",
  passwordLead: "A new password ends all your other sessions.",
  current: "Present password",
  next: "New password",
  nextHint: (least: number) =>
    `At least ${number(least)} characters; a sentence of your own is best.`,
  nextShort: (have: number, least: number) =>
    `${number(have)} of at least ${number(least)} characters.`,
  nextSame: "It is the present password.",
  needed: "Fill this in.",
  wrongCurrent: "This is not your present password.",
  change: "Change password",
  changed: "Password changed. All other sessions have ended.",
  sessionsTitle: "Sessions",
  sessionsLead: (idleSeconds: number) =>
    `Where you are signed in. A session ends after ${duration(idleSeconds)} without use.`,
  here: "This session",
  elsewhere: "Another session",
  began: (when: string) => `Signed in ${when}`,
  used: (when: string) => `last used ${when}`,
  everywhere: "Sign out everywhere",
  everywhereTitle: "Sign out everywhere?",
  everywhereText: "All your sessions end, also this one.",
};
