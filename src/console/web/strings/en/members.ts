/**
 * English words of the view of members. What comes in: values of functions. What goes out: text.
 * Invariant: the Portuguese table has the same keys.
 */

/** Words of this area. */
export const members = {
  lead: "Who may sign in to this organisation. Owners also manage keys and members.",
  ownerOnly: "Only an owner can see the members.",
  add: "Add a member",
  email: "E-mail",
  emailNeeded: "Type the e-mail address.",
  emailWrong: "Write it as name@company.com.",
  role: "Role",
  roleHints: {
    owner: "Everything, also keys and members",
    member: "Search, export, saved searches",
  },
  state: "State",
  states: { active: "Active", disabled: "Disabled" },
  added: "Added",
  seen: "Last seen",
  seenAgo: (when: string) => `Seen ${when}`,
  never: "Never",
  neverSeen: "Never signed in",
  you: "You",
  actions: (email: string) => `Actions for ${email}`,
  makeOwner: "Make an owner",
  makeMember: "Make a member",
  newPassword: "New password",
  disable: "Disable",
  enable: "Enable",
  addTitle: "Add a member",
  addSubmit: "Add",
  onceTitle: "Pass on the password now",
  once: "It is shown only this once. Ask the member to change it after signing in.",
  password: "Password",
  done: "I have passed it on",
  makeOwnerTitle: (email: string) => `Make ${email} an owner?`,
  makeOwnerText: "Owners manage keys and members. The member has to sign in again.",
  makeMemberTitle: (email: string) => `Make ${email} a member?`,
  makeMemberText: "No more managing of keys and members. The owner has to sign in again.",
  disableTitle: (email: string) => `Disable ${email}?`,
  disableText: "All sessions end at once, and signing in is refused until you enable it again.",
  passwordTitle: (email: string) => `New password for ${email}?`,
  passwordText: "The present password stops working and all sessions end at once.",
  passwordSubmit: "Make a new password",
  changed: "Changed",
};
