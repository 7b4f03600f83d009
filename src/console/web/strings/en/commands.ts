/**
 * English words of the commands above what is found: save and export. What comes in: values that
 * are formatted already. What goes out: plain strings and functions of values.
 * Invariant: nothing here is markup. They are apart from the words of exports because the first
 * page shows them, and those come later.
 */

/** Words of this area. */
export const commands = {
  button: "Export",
  buttonNothing: "There is nothing to export yet.",
  buttonBroad:
    "Name an activity, a place, a phone or an e-mail first: so broad a query is not exported.",
  buttonEmpty: "Nothing matches, so there is nothing to export.",
  everything: "All accounts",
  secondary: "secondary activities too",
  saveNothing: "Search for something first: there is nothing to save yet.",
  saveButton: "Save",
  saveTitle: "Save this search",
  saveName: "Name",
  saveHint: "Your whole team sees it, with how its count changes.",
  saveNameMissing: "Give it a name.",
  save: "Save",
  savedToast: (name: string) => `Saved: ${name}`,
  savedOpenList: "See saved searches",
  cancel: "Cancel",
};
