/**
 * Proves: `--corporate-partners` imports the companies that are partners of others, from rows of
 * kind 1 with a whole CNPJ. Persons, foreigners, and representatives leave no byte in the snapshot.
 * Owners and owned companies are found in both directions, page by page. Ownership over several
 * steps, with cycles, equals that of a slow reference implementation. A snapshot without partners
 * and an incomplete month are refused with a message. Damaged bytes of this part of the snapshot
 * are refused.
 * Does not prove: that the registry's rows look like these.
 */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import {
  encodeOwners,
  type OwnerPair,
  Owners,
  rootNumber,
  rootText,
} from "../../../native-index/format/snapshot/owners.ts";
import { openSnapshot } from "../../../native-index/format/snapshot/snapshot.ts";
import { verifySnapshot } from "../../../native-index/format/snapshot/verify.ts";
import type { DumpMember } from "../../../src/dump/directory.ts";
import { readPartners } from "../../../src/ingest/partners.ts";
import { ownershipOf } from "../../../src/search/owners.ts";
import { countMatches, search } from "../../../src/search/searcher.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { cnpjCheckDigits } from "../../../src/spec/cnpj/cnpj.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import { establishment, type MiniRow, MiniWorkspace } from "../../support/dump/mini.ts";
import { SEED } from "../../support/run/scale.ts";
import { exportContext } from "../../support/spec/catalog.ts";
import { seededRng } from "../../support/spec/random.ts";
import { ownedTwin } from "../../support/twin.ts";

const space = new MiniWorkspace();
after(() => space.dispose());

/** Returns the CNPJ of the head office for the first 8 characters of a CNPJ. */
const office = (root: string) => `${root}0001${cnpjCheckDigits(`${root}0001`)}`;

const A = "11222333";
const B = "12ABC345";
const C = "22333444";
const D = "33444555";
const OUTSIDE = "99888777";

const partner = (owned: string, kind: string, document: string, more: object = {}): MiniRow => ({
  cnpj_basico: owned,
  identificador_de_socio: kind,
  nome_socio: "EMPRESA SOCIA INVENTADA LTDA",
  cnpj_cpf_do_socio: document,
  qualificacao_do_socio: "22",
  data_entrada_sociedade: "20150703",
  ...more,
});

/** Partners who are persons. Their names and documents must not occur anywhere in the snapshot. */
const PERSONS = Array.from({ length: 200 }, (_, i) => ({
  nome_socio: `FULANO${i} DE TAL INVENTADO`,
  cnpj_cpf_do_socio: `***${String(100_200 + i)}**`,
  representante_legal: `***${String(700_300 + i)}**`,
  nome_do_representante: `BELTRANA${i} DA SILVA INVENTADA`,
}));

const SOCIOS: readonly MiniRow[] = [
  partner(B, "1", office(A)),
  partner(C, "1", office(B), { data_entrada_sociedade: "0", qualificacao_do_socio: "" }),
  partner(A, "1", office(C), { ...PERSONS[0], cnpj_cpf_do_socio: office(C) }),
  partner(D, "1", office(A)),
  partner(D, "1", office(A), { data_entrada_sociedade: "20100101" }),
  partner(D, "1", office(OUTSIDE)),
  partner(OUTSIDE, "1", office(D)),
  ...PERSONS.map((person, i) => partner([A, B, C, D][i % 4] as string, "2", "", person)),
  ...PERSONS.slice(0, 9).map((person) => partner(A, "3", "", person)),
  // This row states kind 1, a company, but its document is a person's CPF, so it is not imported.
  partner(A, "1", "12345678909", { nome_socio: "SICRANO INVENTADO" }),
  partner(A, "1", "11222333000199"),
];

const EMPRESAS = [A, B, C, D].map((root) => ({ cnpj_basico: root, razao_social: `NOME ${root}` }));

async function imported(socios: readonly MiniRow[], changes: object = {}) {
  const estabelecimentos = [A, B, C, D].map((root) => establishment(office(root)));
  const source = space.write({ empresas: EMPRESAS, estabelecimentos, socios });
  const how = { corporatePartners: true, ...changes };
  return space.import(source, "partners.peneira", how);
}

function ownedBy(segment: Segment, roots: readonly string[], depth = 1): string[] {
  const company = { owned_by_any_of: roots, owned_by_depth: depth };
  const { spec } = normalizeSpec({ filters: { company } }, exportContext(segment.catalog));
  const { accounts } = search(segment, { spec, fields: ["cnpj"], afterRow: -1, explain: false });
  const found = JSON.parse(Buffer.from(accounts).toString()) as { cnpj: string }[];
  assert.equal(countMatches(segment, spec), found.length);
  return found.map(({ cnpj }) => cnpj.slice(0, 8)).sort();
}

/**
 * For each account, returns the first 8 characters of its CNPJ, the number of companies that it
 * owns, and the number of companies that own it.
 */
function countsOf(segment: Segment): string[] {
  const fields = ["cnpj_root", "owned_companies", "owner_companies"];
  const rows = Uint32Array.from({ length: segment.accounts }, (_, row) => row);
  const text = Buffer.from(segment.native.renderJson(rows, fields)).toString();
  const accounts = JSON.parse(text) as Record<string, unknown>[];
  return accounts.map((row) => Object.values(row).join(" ")).sort();
}

describe("an import with corporate partners", () => {
  it("finds owners and owned companies, and leaves no byte of a person", async () => {
    // Some digits of the documents also occur in a snapshot without partners, by coincidence. These
    // are not counted.
    await imported(SOCIOS, { corporatePartners: false });
    const others = space.bytes("partners.peneira").toString("latin1");
    const report = await imported(SOCIOS);
    assert.equal(report.provenance.partners_snapshot, "2026-08");
    assert.match(report.warnings.join("\n"), /2 corporate partners without a valid CNPJ left out/);
    const bytes = space.bytes("partners.peneira").toString("latin1");
    for (const person of PERSONS) {
      for (const text of Object.values(person)) {
        assert.ok(!bytes.includes(text), text);
        const digits = text.replaceAll("*", "");
        assert.ok(!bytes.includes(digits) || others.includes(digits), digits);
      }
    }
    for (const text of ["SICRANO", "12345678909", "EMPRESA SOCIA", "FULANO", "BELTRANA"]) {
      assert.ok(!bytes.includes(text), text);
    }
    const segment = await openSegment(space.path("partners.peneira"));
    try {
      const both = (root: string) => ownershipOf(segment, { root, limit: 10 });
      assert.deepEqual(both(D)?.owners, {
        companies: [
          {
            ...{ cnpj_root: A, legal_name: `NOME ${A}` },
            ...{ qualification: "22", qualification_name: "Sócio", since: "2010-01-01" },
          },
          {
            ...{ cnpj_root: OUTSIDE, legal_name: null },
            ...{ qualification: "22", qualification_name: "Sócio", since: "2015-07-03" },
          },
        ],
        ...{ total: 2, next: null },
      });
      assert.deepEqual(
        both(A)?.owns.companies.map(({ cnpj_root: root }) => root),
        [B, D],
      );
      const [unknown] = both(C)?.owners.companies ?? [];
      assert.deepEqual([unknown?.since, unknown?.qualification], [null, null]);
      assert.equal(unknown?.qualification_name, null);
      assert.deepEqual(countsOf(segment), [...[`${A} 2 1`, `${B} 1 1`, `${C} 1 1`, `${D} 1 2`]]);
      assert.deepEqual(both("00000000"), {
        owners: { companies: [], total: 0, next: null },
        owns: { companies: [], total: 0, next: null },
      });
      const page = ownershipOf(segment, { root: A, limit: 1 });
      assert.deepEqual([page?.owns.next, page?.owns.total], [B, 2]);
      const next = ownershipOf(segment, { root: A, limit: 1, ownsAfter: B });
      assert.deepEqual(next?.owns.companies[0]?.cnpj_root, D);
      assert.equal(next?.owns.next, null);
    } finally {
      segment.close();
    }
    const { damaged } = await verifySnapshot(
      await openSnapshot(space.path("partners.peneira")),
      () => {},
    );
    assert.deepEqual(damaged, []);
  });

  it("filters by owner through steps, and ends at cycles", async () => {
    await imported(SOCIOS);
    const segment = await openSegment(space.path("partners.peneira"));
    try {
      assert.deepEqual(ownedBy(segment, [A]), [B, D]);
      assert.deepEqual(ownedBy(segment, [A], 2), [B, C, D]);
      assert.deepEqual(ownedBy(segment, [A], 3), [A, B, C, D], "a cycle ends in itself");
      assert.deepEqual(ownedBy(segment, [A], 5), [A, B, C, D]);
      assert.deepEqual(ownedBy(segment, [office(B), "00.000.000"]), [C]);
      assert.deepEqual(ownedBy(segment, [OUTSIDE], 2), [D], "an owner needs no account");
      assert.deepEqual(ownedBy(segment, ["00000000"], 5), []);
    } finally {
      segment.close();
    }
  });

  it("is the same file on every run, and has no part without the flag", async () => {
    await imported(SOCIOS);
    const first = space.bytes("partners.peneira");
    await imported([...SOCIOS].reverse());
    assert.ok(space.bytes("partners.peneira").equals(first), "the order of rows does not count");
    await imported(SOCIOS, { corporatePartners: false });
    const segment = await openSegment(space.path("partners.peneira"));
    try {
      assert.equal(ownershipOf(segment, { root: A, limit: 1 }), null);
      const reported = segment.native.renderJson(Uint32Array.of(0), ["owned_companies"]);
      assert.equal(Buffer.from(reported).toString(), '[{"owned_companies":null}]');
      assert.throws(() => ownedBy(segment, [A]), /1 problem|imported without --corporate-partners/);
    } finally {
      segment.close();
    }
  });

  it("refuses a month whose partners are missing", async () => {
    await assert.rejects(imported(SOCIOS, { partial: false }), /is missing|Socios1\.zip/);
    const source = space.write({ estabelecimentos: [establishment(office(A))] });
    await assert.rejects(
      space.import(source, "none.peneira", { corporatePartners: true }),
      /lacks Socios0\.zip, .*which --corporate-partners reads\. Download them/,
    );
    const member = { type: "socios", part: 3 } as DumpMember;
    const twice = ["Socios2.zip", "Socios3.zip"].map((name) => ({ ...member, file: `/s/${name}` }));
    await assert.rejects(
      readPartners({
        ...{ folder: "/s", members: twice, label: "2026-10", latestDay: 0, partial: true },
        ...{ skipBadRows: 0, startStage: () => assert.fail("no file is read") },
      }),
      /part 3 of the partners is there more than once: Socios2\.zip, Socios3\.zip\./,
    );
  });
});

describe("the part OWNERS", () => {
  it("reaches what the twin reaches, from random pairs", () => {
    const random = seededRng(SEED);
    const below = (most: number) => Math.floor(random() * most);
    for (let round = 0; round < 60; round++) {
      const companies = 2 + below(30);
      const pairs = Array.from(
        { length: below(3 * companies) },
        (): OwnerPair => ({
          owner: 36 ** 4 * below(companies),
          owned: 36 ** 4 * below(companies),
          since: below(3) === 0 ? null : below(20_000),
          qualification: below(3) === 0 ? null : below(100),
        }),
      );
      const owners = new Owners(encodeOwners(pairs));
      const roots = [rootText(36 ** 4 * below(companies)), rootText(36 ** 4 * below(companies))];
      for (let depth = 1; depth <= 5; depth++) {
        const reached = owners.reachedFrom(roots.map(rootNumber), depth).map(rootText);
        assert.deepEqual(reached, [...ownedTwin(pairs, roots, depth)].sort());
      }
      for (const root of roots.map(rootNumber)) {
        const wanted = [...new Set(pairs.filter((p) => p.owned === root).map((p) => p.owner))];
        const { start, end, pair } = owners.ownersOf(root);
        const found = Array.from({ length: end - start }, (_, i) => pair(start + i).owner);
        assert.deepEqual(
          found,
          wanted.sort((a, b) => a - b),
        );
      }
    }
  });

  it("refuses bytes that are cut, unsorted, or name unknown pairs", () => {
    const facts = { since: 1, qualification: 2 };
    const part = encodeOwners([
      { owner: 1, owned: 2, ...facts },
      { owner: 2, owned: 3, ...facts },
    ]);
    assert.throws(() => new Owners(part.subarray(0, 20)), /too short/);
    assert.throws(() => new Owners(part.subarray(0, 60)), /cut off/);
    const unsorted = Buffer.from(part);
    unsorted.writeDoubleLE(9, 32);
    assert.throws(() => new Owners(unsorted), /do not ascend/);
    const unknown = Buffer.from(part);
    unknown.writeUInt32LE(7, 32 + 2 * 20);
    assert.throws(() => new Owners(unknown), /unknown pair/);
  });
});
