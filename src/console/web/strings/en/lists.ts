/**
 * English texts of lists. Functions take counts, names, and formatted values.
 * Invariant: there is a text for each outcome that a line can have when lines are added to a list.
 */
import { number } from "../../app/format.ts";

/** Words of this area. */
export const lists = {
  exported: "Already exported",
  button: "List",
  addToList: "Add to a list",
  nothing: "Nothing to add: search for something first.",
  title: "Lists",
  inNone: "In none of your lists.",
  inLists: (names: string) => `In your lists: ${names}`,
  takenOut: (name: string) => `Taken out of “${name}”.`,
  throughCompany: "Its whole company is in that list. Open the list to take it out.",
  gone: "(deleted)",
  selected: (count: number) => `${number(count)} selected`,
  clear: "Clear selection",
  copyAll: "Copy CNPJs",
  selection: "Selection",
};
