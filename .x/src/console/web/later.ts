import "./first.ts";

import "./app/lazywords.ts";
export * from "./exports/exportviews.ts";
export * from "./app/teamviews.ts";
export { ListsView } from "./lists/view.tsx";
export { HelpView } from "./help/help.tsx";
export { JoinPage } from "./members/join.tsx";
export { AddToList } from "./lists/target.tsx";
export { CLOSED } from "./find/filters/closed.tsx";
export * from "./find/table/codedialog.tsx";
