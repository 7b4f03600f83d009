/**
 * The groups of filters that are closed at first, in one piece. What comes in: nothing. What goes
 * out: their controls by name.
 * Apart because the first page does not load it (group.tsx).
 */
import "../../app/kit.ts";
import "../../app/laterkit.ts";
import type { ComponentType } from "preact";
import { FilterCapital } from "./capital.tsx";
import { ChainEnds } from "./chainends.tsx";
import { FilterDistricts } from "./districts.tsx";
import { FilterLists } from "./lists.tsx";
import { FilterName } from "./name.tsx";
import { FilterOrder } from "./order.tsx";

type ClosedName = "chain" | "capital" | "districts" | "name" | "lists" | "order";

/** The controls of each such group, and those of districts and spans, which few searches name. */
export const CLOSED: Readonly<Record<ClosedName, ComponentType>> = {
  chain: ChainEnds,
  capital: FilterCapital,
  districts: FilterDistricts,
  name: FilterName,
  lists: FilterLists,
  order: FilterOrder,
};
