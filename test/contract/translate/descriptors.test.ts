/**
 * Proves that IBGE's descriptors (short descriptions of activities) can be added as a source of
 * names. A file in that format adds activities that the official names alone do not find, and each
 * text is matched separately. A file in another format is refused with every mistake. Does not
 * prove anything about IBGE's own texts, which are not in the repository.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import { readActivityTexts as readDescriptors } from "../../../src/dump/activities.ts";
import { CommandError } from "../../../src/errors.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import {
  rankDescriptions,
  useDescriptors,
} from "../../../src/translate/activities/officialtexts.ts";
import { translate } from "../../../src/translate/translate.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";

/**
 * Invented texts in the format of IBGE's API. As in IBGE's texts, the words are inverted: "FLUNFAS;
 * PREPARO DE" is "preparo de flunfas".
 */
const SUBCLASSES = [
  {
    id: "8630504",
    descricao: "ATIVIDADE ODONTOLÓGICA",
    classe: { id: "86305", descricao: "…", grupo: { id: "863", descricao: "…" } },
    atividades: ["ZORBLAXISTAS; ATIVIDADES DE", "QUIMBUNDOS DENTÁRIOS; CLÍNICA DE"],
    observacoes: ["Esta subclasse NÃO compreende: - a venda de glimpos"],
  },
  {
    id: "5611201",
    descricao: "RESTAURANTES E SIMILARES",
    atividades: ["FLUNFAS; PREPARO DE", "ZORBLAXISTAS E QUIMBUNDOS, FLUNFAS E OUTROS; CASA DE"],
  },
  { id: "9999999", descricao: "NINGUÉM TEM ESTE CÓDIGO", atividades: ["FLUNFAS; USINA DE"] },
];

describe("the descriptors of activities", () => {
  let sample: SampleSnapshot;
  let segment: Segment;
  before(async () => {
    sample = await makeSampleSnapshot(500, 3);
    segment = await openSegment(sample.snapshot);
  });
  after(() => {
    segment.close();
    sample.dispose();
  });
  afterEach(() => useDescriptors([]));

  function write(content: unknown): string {
    const path = join(sample.folder, "descriptors.json");
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
    return path;
  }

  const codesOf = (text: string) =>
    translate(text, segment).activities.flatMap(({ codes }) => codes);

  it("add meanings that the official names lack", () => {
    assert.deepEqual(codesOf("empresas de flunfas"), []);
    useDescriptors(readDescriptors(write(SUBCLASSES)));
    assert.deepEqual(codesOf("empresas de flunfas"), ["5611-2/01"]);
    assert.deepEqual(codesOf("empresas de quimbundos dentários"), ["8630-5/04"]);
    assert.deepEqual(codesOf("empresas de glimpos"), [], "what is not comprised counts not");
    useDescriptors([]);
    assert.deepEqual(codesOf("empresas de flunfas"), [], "only as long as they are in use");
  });

  it("are matched word for word, before trades that their words make", () => {
    assert.notDeepEqual(codesOf("clínica de quimbundos dentários"), ["8630-5/04"]);
    useDescriptors(readDescriptors(write(SUBCLASSES)));
    const [found, ...others] = translate("clínica de quimbundos dentários", segment).activities;
    assert.deepEqual([found?.codes, found?.certainty, others], [["8630-5/04"], 0.95, []]);
  });

  it("and official names are matched word for word before their parts", () => {
    const rows = [
      ["fabricação de aditivos de uso industrial", ["2093-2/00"]],
      ["fabricação de móveis com predominância de madeira", ["3101-2/00"]],
      ["serviços de arquitetura", ["7111-1/00"]],
      ["instalação e manutenção elétrica em Recife", ["4321-5/00"]],
    ] as const;
    for (const [text, codes] of rows) {
      const [first, ...others] = translate(text, segment).activities;
      assert.deepEqual([first?.codes, first?.certainty, others], [codes, 0.95, []], text);
    }
  });

  it("extend the narrow one of two in a phrase, and the trade after services", () => {
    assert.deepEqual(codesOf("escolas de educação infantil"), ["8511-2/00", "8512-1/00"]);
    assert.deepEqual(codesOf("serviços de tatuagem"), codesOf("tatuagem"));
    assert.ok(codesOf("escolas e educação infantil").length > 2, "a list is no phrase");
  });

  it("rank text by text: a short one that fits beats a long one that has more", () => {
    useDescriptors(readDescriptors(write(SUBCLASSES)));
    const ranked = rankDescriptions(segment, ["zorblaxista"]);
    assert.deepEqual(
      ranked.map(({ code }) => code),
      ["8630504", "5611201"],
    );
  });

  it("never yield a code that the snapshot lacks", () => {
    useDescriptors(readDescriptors(write(SUBCLASSES)));
    assert.ok(!rankDescriptions(segment, ["flunfa"]).some(({ code }) => code === "9999999"));
  });

  it("are rejected with every mistake and its place", () => {
    const wrong = [
      { id: 12, descricao: "X" },
      { id: "5611201", descricao: "" },
      { id: "5611201", descricao: "Y", atividades: [1] },
      { id: "5611202", descricao: "Z", atividades: "W" },
      null,
    ];
    assert.throws(
      () => readDescriptors(write(wrong)),
      (error: unknown) => {
        assert.ok(error instanceof CommandError);
        for (const place of ["entry 1: id", "entry 2: descricao", "entry 3: 5611201 stands"]) {
          assert.ok(error.message.includes(place), place);
        }
        assert.match(error.message, /entry 3: atividades[\s\S]*entry 4: atividades[\s\S]*entry 5/);
        return true;
      },
    );
    for (const content of ["{", "{}", "[]", ""]) {
      assert.throws(() => readDescriptors(write(content)), CommandError, content);
    }
    assert.throws(() => readDescriptors(join(sample.folder, "nowhere.json")), CommandError);
  });

  it("name at most twenty mistakes, and the number of the others", () => {
    const many = Array.from({ length: 30 }, () => ({ id: "x", descricao: "y" }));
    assert.throws(() => readDescriptors(write(many)), /and 10 more/);
  });
});
