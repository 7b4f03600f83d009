/**
 * The groups of filters that are closed at first, in one piece. What comes in: nothing. What goes
 * out: their controls by name.
 * Apart because the first page does not load it (lazygroup.tsx).
 */
import "../../app/kit.ts";
import type { ComponentType } from "preact";
import { FilterCapital } from "./capital.tsx";
import { FilterLists } from "./lists.tsx";
import { FilterName } from "./name.tsx";
import { FilterOrder } from "./order.tsx";

/** The controls of each such group. */
export const CLOSED: Readonly<Record<"capital" | "name" | "lists" | "order", ComponentType>> = {
  capital: FilterCapital,
  name: FilterName,
  lists: FilterLists,
  order: FilterOrder,
};
