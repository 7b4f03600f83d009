/**
 * Makes the fuzzer's requests about lists: specs that name lists, and valid or nearly valid
 * requests that create and change lists.
 * Invariant: the same random choices and the same lists produce the same requests.
 */
import type { Catalog } from "../../../src/spec/catalog.ts";
import { type Draw, randomSpecInput } from "../spec/random.ts";
import type { TwinRow } from "../twin.ts";
import { changed, JUNK } from "./shapes.ts";

/** Values from which requests about lists are made, and the ids of existing lists. */
interface ListWorld {
  readonly catalog: Catalog;
  readonly rows: readonly TwinRow[];
  readonly lists: readonly string[];
}

/** A request without the parts that all requests share. */
interface ListRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: (readonly [name: string, value: string])[];
  readonly bytes: Buffer;
  /** Media type of the file in the body, or null if the body is JSON. */
  readonly file: string | null;
}

const NO_LIST = `lst_${"0".repeat(32)}`;
const FILES = ["text/csv", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"];

/** Returns the spec with a filter by lists, some of which may not exist. */
export function withinLists(
  draw: Draw,
  { lists }: Pick<ListWorld, "lists">,
  spec: Record<string, unknown>,
): Record<string, unknown> {
  if (!draw.chance(0.25)) return spec;
  const one = () => draw.of([...lists, ...lists, "exported", NO_LIST]);
  const named = draw.some([
    ["any_of", 0.5, () => draw.list(null, 2, one)],
    ["exclude", 0.7, () => draw.list(null, 2, one)],
  ]);
  return { ...spec, filters: { ...(spec.filters as object), lists: named } };
}

/** A request that creates a list, or changes its content. */
export function toLists(draw: Draw, world: ListWorld): ListRequest {
  const { catalog, rows, lists } = world;
  const make = lists.length === 0 || draw.chance(0.2);
  const id = make ? "" : draw.of([...lists, ...lists, "exported", NO_LIST]);
  const action = draw.of(["/entries", "/entries", "/entries/remove", "/entries/from-search"]);
  const path = make ? "/v1/lists" : `/v1/lists/${id}${action}`;
  const cnpjs = () => {
    const cnpj = String(draw.of(rows).cnpj);
    return draw.of([cnpj, cnpj, cnpj.slice(0, 8), cnpj.replace(/^0+/, ""), ...JUNK]);
  };
  const value = make
    ? { name: draw.of(["a", "ç", ...JUNK]), kind: draw.of(["accounts", "companies"]) }
    : action.endsWith("search")
      ? { spec: withinLists(draw, world, randomSpecInput(draw, catalog, rows)) }
      : { cnpjs: Array.from({ length: draw.below(30) }, cnpjs) };
  const isFile = !make && !action.endsWith("search") && draw.chance(0.3);
  const file = isFile ? draw.of(FILES) : null;
  const type = (file ?? "application/json") + draw.of(["", "", "; charset=utf-8"]);
  const near = draw.chance(0.2) ? changed(draw, value) : value;
  const text = isFile ? `cnpj\n${Array.from({ length: 9 }, cnpjs).join("\n")}` : near;
  const bytes = Buffer.from(typeof text === "string" ? text : (JSON.stringify(text) ?? ""));
  return { method: "POST", path, headers: [["Content-Type", type]], bytes, file };
}
