/**
 * Proves: a municipality whose name the dump's table spells differently keeps its IBGE code. The
 * code comes from a file of official codes, from the previous snapshot, or from the similar
 * spelling. Codes from other data are rejected. Contradictions between name and code, and unknown
 * codes, are resolved as documented. Warnings, report, snapshot, and `inspect` name all of these
 * municipalities.
 * Does not prove real codes (twin.test.ts), the join (native-join.test.ts), or how official codes
 * are parsed (municipalitycodes.test.ts).
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { after, describe, it, type TestContext } from "node:test";
import { getMunicipalities } from "@brazilian-utils/brazilian-utils";
import { Command } from "commander";
import { metaFault } from "../../../native-index/format/snapshot/meta-schema.ts";
import { registerInspect } from "../../../src/cli/commands/inspect.ts";
import { buildCities } from "../../../src/dump/sample/cities.ts";
import { CommandError } from "../../../src/errors.ts";
import { foldPlace, Municipalities, TOM_CODES } from "../../../src/ingest/places/municipalities.ts";
import { municipalityWarnings } from "../../../src/ingest/places/oddmunicipalities.ts";
import { type ImportReport, summarize } from "../../../src/ingest/report.ts";
import { UFS } from "../../../src/spec/fields.ts";
import { establishment, MiniWorkspace } from "../../support/dump/mini.ts";
import { decodeSnapshot } from "../../support/formats/decode.ts";
import { seededRandom } from "../../support/native-index/fixture-rows.ts";
import { SEED } from "../../support/run/scale.ts";

const space = new MiniWorkspace();
after(() => space.dispose());

interface Town {
  readonly tom: string;
  readonly name: string;
  readonly uf: string;
  readonly ibge: string;
}

/** The municipalities of the registry's table, with the codes that the sample invents. */
const TOWNS: readonly Town[] = (() => {
  const reviewed = JSON.parse(
    readFileSync(new URL("../../../data/municipality-exceptions.json", import.meta.url), "utf8"),
  ).municipalities as Record<string, { ibge: string }>;
  const ibge = new Map(
    getMunicipalities().map((m) => [`${m.stateCode} ${foldPlace(m.name)}`, m.code]),
  );
  return buildCities()
    .list.filter(({ uf }) => uf !== "EX")
    .map(({ tom, name, uf }) => {
      const code = String(tom).padStart(4, "0");
      const known = reviewed[code]?.ibge ?? ibge.get(`${uf} ${foldPlace(name)}`);
      return { tom: code, name, uf, ibge: known as string };
    });
})();
const NAMES = new Map(TOWNS.map(({ tom, name }) => [tom, name]));
const CODES = new Map(TOWNS.map(({ tom, ibge }) => [tom, ibge]));
const ABROAD = { codigo: "9707", descricao: "EXTERIOR" };

const town = (name: string, uf: string): Town =>
  TOWNS.find((one) => one.name === name && one.uf === uf) as Town;

function renamed(changes: Readonly<Record<string, string>>): Map<string, string> {
  return new Map([...NAMES, ...Object.entries(changes)]);
}

/** Counts one row in each of the given towns. */
function counted(towns: readonly Town[]): Uint32Array {
  const counts = new Uint32Array(UFS.length * TOM_CODES);
  for (const { uf, tom } of towns) counts[UFS.indexOf(uf as "SP") * TOM_CODES + Number(tom)] = 1;
  return counts;
}

/** Drops one letter of the name. */
const misspelt = (name: string): string => name.slice(0, 2) + name.slice(3);

/** Thirty randomly picked towns with long, unique names. */
function thirty(): Town[] {
  const random = seededRandom(SEED);
  const alone = TOWNS.filter(({ name }) => {
    return name.length >= 12 && TOWNS.filter((one) => one.name === name).length === 1;
  });
  return Array.from({ length: 30 }, () => {
    return alone.splice(Math.floor(random() * alone.length), 1)[0] as Town;
  });
}

describe("a table with thirty respelled municipalities", () => {
  const towns = thirty();
  const foreign = Object.fromEntries(
    towns.map(({ tom }, at) => [tom, `NOME NOVO ${"QWXYZ"[at % 5]}`]),
  );
  const near = Object.fromEntries(towns.map(({ tom, name }) => [tom, misspelt(name)]));

  it("keeps their IBGE codes by official codes, for any names", () => {
    const found = new Municipalities(renamed(foreign), CODES);
    for (const { uf, tom, ibge } of towns) assert.equal(found.ibgeOf(uf, tom), ibge);
    const odd = found.odd([...NAMES.keys()].sort(), counted(TOWNS));
    assert.deepEqual(
      odd.map(({ tom, how }) => [tom, how]),
      [...towns].map(({ tom }) => [tom, "code"]).sort(),
    );
  });

  it("keeps them by their spelling without official codes, and none is wrong", () => {
    const found = new Municipalities(renamed(near));
    for (const { uf, tom, ibge } of towns) assert.equal(found.ibgeOf(uf, tom), ibge, tom);
    const odd = found.odd([...NAMES.keys()].sort(), counted(TOWNS));
    assert.deepEqual(new Set(odd.map(({ how }) => how)), new Set(["spelling"]));
    assert.equal(odd.length, 30);
  });

  it("loses them if names differ and no codes are given, and reports all names", () => {
    const found = new Municipalities(renamed(foreign));
    const odd = found.odd([...NAMES.keys()].sort(), counted(TOWNS));
    assert.equal(odd.filter(({ how, ibge }) => how === "none" && ibge === null).length, 30);
    const [words = ""] = municipalityWarnings(odd);
    assert.match(words, /^30 municipalities of the dump are known neither by their name nor/);
    for (const { tom } of towns) assert.ok(words.includes(`${tom} "NOME NOVO `), tom);
    assert.match(words, /--municipalities, and import again\.$/);
  });

  it("changes nothing for the others", () => {
    for (const changes of [foreign, near]) {
      const found = new Municipalities(renamed(changes), changes === foreign ? CODES : new Map());
      const others = TOWNS.filter(({ tom }) => changes[tom] === undefined);
      for (const { uf, tom, ibge } of others) assert.equal(found.ibgeOf(uf, tom), ibge, tom);
    }
    assert.deepEqual(new Municipalities(NAMES, CODES).odd([...NAMES.keys()], counted(TOWNS)), []);
    assert.deepEqual(new Municipalities(NAMES).odd([...NAMES.keys()], counted(TOWNS)), []);
  });
});

describe("name and code", () => {
  const toms = [...NAMES.keys()].sort();

  it("that contradict each other resolve to the name, and both are reported", () => {
    // A table of official codes with one mistake in it.
    const [santos, campinas] = [town("SANTOS", "SP"), town("CAMPINAS", "SP")];
    const codes = new Map([...CODES, [santos.tom, campinas.ibge]]);
    const found = new Municipalities(NAMES, codes);
    assert.equal(found.ibgeOf("SP", santos.tom), santos.ibge);
    const [words = ""] = municipalityWarnings(found.odd(toms, counted(TOWNS)));
    assert.match(words, /^1 municipality has a name and a TOM code that contradict/);
    assert.ok(words.includes(`${santos.tom} "SANTOS" as Santos/SP, not Campinas/SP (1 account)`));
  });

  it("resolve to the code if a row has the name of another code", () => {
    const [santos, campinas] = [town("SANTOS", "SP"), town("CAMPINAS", "SP")];
    const found = new Municipalities(renamed({ [santos.tom]: "CAMPINAS" }), CODES);
    assert.equal(found.ibgeOf("SP", santos.tom), santos.ibge);
    assert.equal(found.ibgeOf("SP", campinas.tom), campinas.ibge);
    const odd = found.odd(toms, counted(TOWNS));
    assert.deepEqual(
      odd.map(({ tom, how, taken }) => [tom, how, taken]),
      [[santos.tom, "code", "Santos/SP"]],
    );
  });

  it("resolve by the row's state if a town took a name from another state", () => {
    const [santos, recife] = [town("SANTOS", "SP"), town("RECIFE", "PE")];
    const found = new Municipalities(renamed({ [santos.tom]: "RECIFE" }), CODES);
    assert.equal(found.ibgeOf("SP", santos.tom), santos.ibge);
    assert.equal(found.ibgeOf("PE", santos.tom), recife.ibge);
    const described = found.describe(toms, counted(TOWNS), new Map());
    assert.equal(described.find(([tom]) => tom === santos.tom)?.[2], santos.ibge);
    assert.equal(described.find(([tom]) => tom === recife.tom)?.[2], recife.ibge);
  });

  it("resolve to the code for reviewed exceptions with an unknown name", () => {
    const found = new Municipalities(renamed({ "0315": "SAO LOUIZ" }));
    assert.equal(found.ibgeOf("RR", "0315"), "1400605");
    assert.equal(found.odd(toms, counted(TOWNS))[0]?.how, "code");
  });

  it("resolve to the official code if the table lacks it, and else are reported", () => {
    const names = new Map(NAMES);
    const { tom, uf, ibge } = town("SANTOS", "SP");
    names.delete(tom);
    assert.equal(new Municipalities(names, CODES).ibgeOf(uf, tom), ibge);
    const without = new Municipalities(names);
    assert.equal(without.ibgeOf(uf, tom), null);
    const words = municipalityWarnings(without.odd(toms, counted(TOWNS)));
    assert.match(
      words.join(),
      new RegExp(`1 municipality of the dump.*: ${tom} without a name \\(1`),
    );
  });

  it("abroad resolve to no municipality, and unused ones are not reported", () => {
    const names = new Map([...NAMES, ["9707", "EXTERIOR"], ["9999", "ATLANTIDA"]]);
    const found = new Municipalities(names, new Map([...CODES, ["9707", "3550308"]]));
    assert.equal(found.ibgeOf("SP", "9707"), null);
    const abroad = counted([{ tom: "9707", uf: "EX", name: "", ibge: "" }]);
    assert.deepEqual(found.odd([...names.keys()].sort(), abroad), []);
  });
});

describe("spelling", () => {
  it("matches none of two equally near names, and a place to one code only", () => {
    const { tom } = town("SANTOS", "SP");
    const odd = (changes: Readonly<Record<string, string>>) =>
      new Municipalities(renamed(changes)).odd([...NAMES.keys()].sort(), counted(TOWNS));
    assert.deepEqual(
      odd({ [tom]: "SANTS" }).map(({ how }) => how),
      ["spelling"],
    );
    // CAMPINES is only similar to the name that it replaced. All other names belong to towns that
    // have codes.
    assert.deepEqual(
      odd({ [tom]: "CAMPINES" }).map(({ how }) => how),
      ["none"],
    );
    const [adamantina, altinopolis] = [town("ADAMANTINA", "SP"), town("ALTINOPOLIS", "SP")];
    const both = odd({ [adamantina.tom]: "ADAMANTINO", [altinopolis.tom]: "ADAMANTINI" });
    assert.deepEqual(
      both.map(({ how }) => how),
      ["none", "none"],
    );
  });

  it("decides nothing for a table that lacks most municipalities", () => {
    const few = new Map([["7107", "SAO PAOLO"]]);
    assert.equal(new Municipalities(few).ibgeOf("SP", "7107"), null);
  });
});

/** A dump of one account in each town, with these names of the towns. */
function dump(towns: readonly Town[], names: ReadonlyMap<string, string>): string {
  const rows = towns.map(({ tom, uf }, at) => {
    return establishment(`${String(10_000_000 + at)}000100`, { uf, municipio: tom });
  });
  const table = [...names].map(([codigo, descricao]) => ({ codigo, descricao }));
  return space.write({ estabelecimentos: rows, municipios: [...table, ABROAD] });
}

async function inspected(test: TestContext, name: string, ...flags: string[]): Promise<string> {
  let printed = "";
  test.mock.method(process.stdout, "write", (text: string | Uint8Array) => {
    if (typeof text === "string") printed += text;
    return true;
  });
  const program = new Command();
  registerInspect(program);
  await program.parseAsync(["node", "peneira", "inspect", space.path(name), ...flags]);
  test.mock.restoreAll();
  return printed;
}

describe("an import", () => {
  const towns = thirty();
  const foreign = renamed(Object.fromEntries(towns.map(({ tom }) => [tom, `NOVO NOME ${tom}`])));
  const ibges = (name: string): unknown[] =>
    decodeSnapshot(space.path(name)).rows.map(
      (row) => (row as Record<string, unknown>).municipality_ibge,
    );
  const expected = towns.map(({ ibge }) => ibge).sort();
  const reported = (report: ImportReport): string => {
    const text = summarize(report);
    assert.deepEqual(
      report.odd_municipalities.map(({ tom }) => tom),
      towns.map(({ tom }) => tom).sort(),
    );
    for (const { tom } of towns) assert.ok(text.includes(`${tom} "NOVO NOME ${tom}"`), tom);
    return text;
  };

  it("uses official codes from a file, and reports which", async (test) => {
    const municipalities = space.path("official.csv");
    writeFileSync(municipalities, TOWNS.map(({ tom, ibge }) => `${tom};${ibge}`).join("\n"));
    const report = await space.import(dump(towns, foreign), "file.peneira", { municipalities });
    assert.deepEqual(ibges("file.peneira").sort(), expected);
    assert.match(
      reported(report),
      /warning: 30 municipalities have other names .* by their TOM codes/,
    );
    assert.equal(report.rules.municipality_unknown, undefined);
    const text = await inspected(test, "file.peneira");
    assert.match(text, /\n {2}30 municipalities not joined by name alone:\n/);
    for (const { tom, ibge, uf } of towns) {
      assert.match(text, new RegExp(`\\n    ${tom} "NOVO NOME ${tom}": ${ibge} .*/${uf}\\n`));
    }
    const json = JSON.parse(await inspected(test, "file.peneira", "--json"));
    assert.equal(json.odd_municipalities.length, 30);
  });

  it("uses those of the previous snapshot, and reports unknown names without it", async (test) => {
    await space.import(dump(towns, NAMES), "before.peneira");
    const changed = dump(towns, foreign);
    const lost = await space.import(changed, "alone.peneira");
    assert.deepEqual(
      ibges("alone.peneira"),
      towns.map(() => null),
    );
    assert.match(reported(lost), /warning: 30 municipalities of the dump are known neither/);
    assert.match(await inspected(test, "alone.peneira"), /: no municipality_ibge\n/);
    const options = { replaces: space.path("before.peneira") };
    const update = await space.import(changed, "update.peneira", options);
    assert.deepEqual(ibges("update.peneira").sort(), expected);
    assert.match(reported(update), /by their TOM codes/);
    await space.import(changed, "before.peneira");
    assert.deepEqual(ibges("before.peneira").sort(), expected);
    // A town that was resolved by its code keeps that code in the next month's import.
    await space.import(changed, "before.peneira");
    assert.deepEqual(ibges("before.peneira").sort(), expected);
  });

  it("rejects codes of other data in a file, and ignores those of a snapshot", async () => {
    const turned = TOWNS.map((one, at) => ({ ...one, tom: TOWNS.at(at - 1)?.tom as string }));
    const other = new Map(turned.map(({ tom, name }) => [tom, name]));
    await space.import(dump(turned.slice(0, 400), other), "other.peneira");
    const source = dump(towns, foreign);
    await space.import(source, "not.peneira", { replaces: space.path("other.peneira") });
    assert.deepEqual(
      ibges("not.peneira"),
      towns.map(() => null),
    );
    const municipalities = space.path("other.csv");
    writeFileSync(municipalities, turned.map(({ tom, ibge }) => `${tom};${ibge}`).join("\n"));
    await assert.rejects(space.import(source, "no.peneira", { municipalities }), (error: Error) => {
      assert.ok(error instanceof CommandError);
      return /other\.csv does not belong to this dump: \d+ % of its codes/.test(error.message);
    });
  });

  it("reports municipalities that a population file lacks, and its unknown codes", async () => {
    const population = space.path("population.csv");
    const [first, ...rest] = TOWNS;
    const lines = rest.map(({ ibge }) => `${ibge};1000`);
    writeFileSync(population, ["code_muni;2024", ...lines, "9900001;5"].join("\n"));
    const source = dump(towns, NAMES);
    const { warnings } = await space.import(source, "people.peneira", { population });
    const lacked = new RegExp(`lacks 1 municipality: ${first?.ibge} .+/${first?.uf}$`);
    assert.ok(
      warnings.some((words) => lacked.test(words)),
      warnings.join("\n"),
    );
    assert.ok(warnings.some((words) => /has 1 municipality that nothing .*: 9900001$/.test(words)));
  });

  it("reports nothing, and writes nothing more, if all names are known", async () => {
    const report = await space.import(dump(towns, NAMES), "plain.peneira");
    assert.deepEqual(report.odd_municipalities, []);
    const { meta } = decodeSnapshot(space.path("plain.peneira"));
    assert.equal("odd_municipalities" in meta, false);
    const forged = (odd_municipalities: unknown) =>
      metaFault({ ...meta, odd_municipalities })?.place;
    assert.equal(forged([["0001", "A", null]]), undefined);
    assert.equal(forged([["1", "A", null]]), "/odd_municipalities/0/0");
    assert.equal(
      forged([
        ["0002", "A", null],
        ["0001", "B", null],
      ]),
      "/odd_municipalities/1/0",
    );
    assert.equal(forged([["0001", "A\u001b", null]]), "/odd_municipalities/0/1");
  });
});
