/**
 * Proves: a folder is accepted only if it is complete and of one release, and every rejection names
 * the file. Members of zips (stored, deflated, ZIP64) and plain files are read as they were
 * written. Damaged, truncated, encrypted, linked, and oversized zips are rejected.
 * Does not prove: reading a real member over 4 GiB (a small one is written in 64-bit form).
 */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { constants, deflateRawSync, crc32 as zlibCrc32 } from "node:zlib";
import { openDump, readMember } from "../../../src/dump/archive.ts";
import { crc32, crc32ByTable } from "../../../src/dump/crc32.ts";
import type { DumpMember } from "../../../src/dump/directory.ts";
import {
  FILE_TYPES,
  type FileType,
  LAYOUTS,
  memberNames,
  PARTS,
} from "../../../src/dump/layout.ts";
import { readLookups } from "../../../src/dump/lookups.ts";
import { ZipWriter } from "../../../src/dump/sample/zip/zip.ts";
import { CommandError } from "../../../src/errors.ts";

let root = "";
let folders = 0;

before(async () => {
  root = await mkdtemp(join(tmpdir(), "dump-archive-"));
});
after(() => rm(root, { recursive: true, force: true }));

const TOKEN = "D60808";

function contentOf(type: FileType): Buffer {
  const row = LAYOUTS[type].columns.map((_, i) => `"${type.slice(0, 3)}${i}"`).join(";");
  return Buffer.from(`${row}\n`);
}

async function writeZip(
  path: string,
  member: string,
  content: Uint8Array,
  isZip64 = false,
): Promise<void> {
  const zip = await ZipWriter.create(path, { member, date: "2026-08-08", isZip64 });
  const packed = deflateRawSync(content, { level: 1, finishFlush: constants.Z_SYNC_FLUSH });
  await zip.write({ packed, bytes: content.length, crc: crc32(content) });
  await zip.close();
}

/** Writes a release of ten small parts into a new folder, with the registry's file names. */
async function release(token = TOKEN, label = "2026-08"): Promise<string> {
  const folder = join(root, String(folders++), label);
  await mkdir(folder, { recursive: true });
  for (const type of FILE_TYPES) {
    for (let part = 0; part < (LAYOUTS[type].parts ? PARTS : 1); part++) {
      const [zip, member] = memberNames(type, part, token);
      await writeZip(join(folder, zip), member, contentOf(type));
    }
  }
  return folder;
}

async function readAll(member: DumpMember): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of readMember(member)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof CommandError, String(error));
    assert.equal(error.exitCode, 1);
    return error.message;
  }
  assert.fail("nothing was refused");
}

test("reads label, date, and members back from a complete folder", async () => {
  const folder = await release();
  await writeFile(join(folder, "LEIAME.txt"), "x");
  await writeFile(join(folder, "Empresas1.zip.part"), "x");
  const dump = await openDump(folder);
  assert.equal(dump.label, "2026-08");
  assert.equal(dump.token, TOKEN);
  assert.equal(dump.date, "2026-08-08");
  assert.deepEqual(
    dump.members.map(({ type }) => type),
    FILE_TYPES.flatMap((type) => Array(LAYOUTS[type].parts ? PARTS : 1).fill(type)),
  );
  assert.deepEqual(
    dump.members.map(({ part }) => part),
    [
      ...Array(3)
        .fill([...Array(PARTS).keys()])
        .flat(),
      ...Array(7).fill(null),
    ],
  );
  assert.equal(dump.warnings.length, 1);
  assert.match(dump.warnings[0] ?? "", /Empresas1\.zip\.part/);
  for (const member of dump.members) {
    assert.deepEqual(await readAll(member), contentOf(member.type));
  }
  const lookups = await readLookups(dump);
  assert.deepEqual([...lookups.municipios.rows], [["mun0", "mun1"]]);
});

test("decides the decade of the date by the label flag", async () => {
  const dump = await openDump(await release("D91214"), "2030-01");
  assert.equal(dump.date, "2029-12-14");
});

test("reads unzipped members and ZIP64 zips", async () => {
  const folder = await release();
  const [zip, member] = memberNames("simples", 0, TOKEN);
  await rm(join(folder, zip));
  await writeFile(join(folder, member), contentOf("simples"));
  const [large, largeMember] = memberNames("empresas", 0, TOKEN);
  await rm(join(folder, large));
  const content = Buffer.alloc(3_000_000, '"a";"b";"c";"d";"e";"f";"g"\n');
  await writeZip(join(folder, large), largeMember, content, true);
  const dump = await openDump(folder);
  const plain = dump.members.find(({ type }) => type === "simples");
  assert.equal(plain?.packing, "plain");
  assert.deepEqual(await readAll(plain as DumpMember), contentOf("simples"));
  const big = dump.members.find(({ type }) => type === "empresas") as DumpMember;
  assert.equal(big.bytes, content.length);
  assert.ok((await readAll(big)).equals(content));
});

test("rejects gaps and duplicates in the parts, and fewer than ten unless --partial", async () => {
  const folder = await release();
  await rm(join(folder, "Estabelecimentos9.zip"));
  const { warnings } = await openDump(folder, "2026-08", { partial: true });
  assert.match(warnings.join(), /9\.zip is missing\. Imported with --partial/);
  assert.match(warnings.join(), /10 Empresas and 9 Estabelecimentos/);
  await rm(join(folder, "Empresas9.zip"));
  await rm(join(folder, "Estabelecimentos2.zip"));
  const member = memberNames("estabelecimentos", 1, TOKEN)[1];
  await writeZip(join(folder, "copia.zip"), member, contentOf("estabelecimentos"));
  const message = await refusal(openDump(folder));
  for (const name of ["Estabelecimentos2", "Estabelecimentos9", "Empresas9"]) {
    assert.match(message, new RegExp(`${name}\\.zip is missing`));
  }
  assert.match(message, /10 parts of Empresas and of Estabelecimentos.*--partial/);
  const doubled = /estabelecimentos part 1 .*more than once: Estabelecimentos1\.zip, copia\.zip/;
  assert.match(message, doubled);
  // `partial` allows missing parts, but no duplicates.
  const partial = await refusal(openDump(folder, "2026-08", { partial: true }));
  assert.match(partial, doubled);
  assert.doesNotMatch(partial, /is missing/);
});

test("rejects first parts only as incomplete", async () => {
  const folder = await release();
  for (const zip of ["Empresas", "Estabelecimentos"]) {
    for (let part = 1; part < PARTS; part++) await rm(join(folder, `${zip}${part}.zip`));
  }
  const message = await refusal(openDump(folder));
  assert.equal(message.match(/[1-9]\.zip is missing\./g)?.length, 18);
});

test("rejects an empty member, except Socios, and warns with --partial", async () => {
  const folder = await release();
  for (const [type, part] of [
    ["empresas", 4],
    ["paises", 0],
    ["socios", 2],
  ] as const) {
    const [zip, member] = memberNames(type, part, TOKEN);
    await rm(join(folder, zip));
    await writeFile(join(folder, member), "");
  }
  const message = await refusal(openDump(folder));
  assert.match(message, /K3241\.K03200Y4\.D60808\.EMPRECSV holds no rows/);
  assert.match(message, /PAISCSV holds no rows/);
  assert.doesNotMatch(message, /SOCIO/);
  const { warnings } = await openDump(folder, "2026-08", { partial: true });
  assert.equal(warnings.filter((text) => text.includes("holds no rows")).length, 2);
});

test("reports label and date token a month apart, and rejects larger distances", async () => {
  const near = await openDump(await release("D60711"));
  assert.match(near.warnings.join(), /month is 2026-08, but .* D60711 \(2026-07-11\)/);
  assert.match((await openDump(await release("D61212", "2027-01"))).warnings.join(), /2026-12-12/);
  const folder = await release("D60613");
  assert.match(
    await refusal(openDump(folder)),
    /2026-08.*D60613 \(2026-06-13\): more than a month/,
  );
  assert.match(await refusal(openDump(await release("D61010", "2019-03"))), /2016-10-10/);
  assert.deepEqual((await openDump(folder, "2026-06")).warnings, []);
  const dated = await openDump(folder, "2026-08", { date: "2026-08-08" });
  assert.match(dated.warnings.join(), /D60613 \(2026-06-13\); 2026-08-08 was given/);
});

test("identifies renamed members by the name of their zip", async () => {
  const folder = await release();
  // Some members have unusual names, which may contain the mark of another type by accident. So the
  // name of the zip decides.
  const rename = async (type: FileType, part: number, member: string): Promise<void> => {
    const [zip] = memberNames(type, part, TOKEN);
    await rm(join(folder, zip));
    await writeZip(join(folder, zip), member, contentOf(type));
  };
  for (let part = 0; part < PARTS; part++) {
    await rename("empresas", part, `Empresas${part}`);
    await rename("estabelecimentos", part, `Estabelecimentos${part}`);
  }
  await rename("simples", 0, "Simples");
  await rename("cnaes", 0, "tabela.D60808.csv");
  const { members, warnings, token } = await openDump(folder);
  const parts = (type: FileType) => members.filter((m) => m.type === type).map((m) => m.part);
  assert.deepEqual(parts("empresas"), [...Array(PARTS).keys()]);
  assert.deepEqual(parts("estabelecimentos"), [...Array(PARTS).keys()]);
  assert.deepEqual(parts("cnaes"), [null]);
  assert.equal(token, TOKEN);
  assert.match(
    warnings.join(),
    /Cnaes\.zip \(tabela\.D60808\.csv\) and 10 more are taken for what their/,
  );
  await rename("cnaes", 0, "tabela.D60912.csv");
  assert.match(await refusal(openDump(folder)), /mixed: .*D60912 \(Cnaes\.zip\)/);
});

test("reports an unreadable zip as damaged, not also as missing", async () => {
  const folder = await release();
  await writeFile(join(folder, "Estabelecimentos3.zip"), "x");
  await writeFile(join(folder, "Simples.zip"), "");
  const message = await refusal(openDump(folder));
  assert.match(message, /Estabelecimentos3\.zip: .*Download it again/);
  assert.match(message, /Simples\.zip: /);
  assert.doesNotMatch(message, /is missing/);
});

test("names every missing type in one error, and allows missing Socios", async () => {
  const folder = await release();
  for (const zip of ["Socios0", "Cnaes", "Empresas0"]) await rm(join(folder, `${zip}.zip`));
  const message = await refusal(openDump(folder));
  assert.match(message, /Empresas0\.zip is missing/);
  assert.match(message, /Cnaes\.zip is missing/);
  assert.doesNotMatch(message, /Socios/);
});

test("rejects mixed releases with tokens and files", async () => {
  const folder = await release();
  const [zip] = memberNames("paises", 0, TOKEN);
  await rm(join(folder, zip));
  await writeZip(join(folder, zip), memberNames("paises", 0, "D60912")[1], contentOf("paises"));
  assert.match(await refusal(openDump(folder)), /mixed: .*D60808.*D60912 \(Paises\.zip\)/);
});

test("rejects a path that is no folder, and an empty folder", async () => {
  assert.match(await refusal(openDump(join(root, "nowhere"))), /cannot be read as a folder/);
  const empty = join(root, "empty");
  await mkdir(empty);
  assert.match(await refusal(openDump(empty)), /Estabelecimentos0\.zip is missing/);
});

/** Changes the bytes of Cnaes.zip, opens the folder, and returns the error. */
async function damaged(change: (bytes: Buffer) => Buffer): Promise<{ message: string }> {
  const folder = await release();
  const path = join(folder, "Cnaes.zip");
  await writeFile(path, change(await readFile(path)));
  const opened = openDump(folder);
  const message = await refusal(
    opened.then((dump) => readAll(dump.members.find(({ type }) => type === "cnaes") as DumpMember)),
  );
  assert.match(message, /Cnaes\.zip/);
  return { message };
}

function directoryAt(bytes: Buffer): number {
  return bytes.indexOf(Buffer.from("PK\x01\x02"));
}

test("rejects a zip truncated in the packed data, in the directory, and at the end", async () => {
  await damaged((bytes) => bytes.subarray(0, 70));
  await damaged((bytes) => bytes.subarray(0, directoryAt(bytes) + 20));
  await damaged((bytes) => bytes.subarray(0, bytes.length - 1));
  await damaged(() => Buffer.alloc(0));
});

test("detects each flipped byte of the packed data", async () => {
  const [, member] = memberNames("cnaes", 0, TOKEN);
  const dataStart = 30 + member.length;
  for (const offset of [0, 1, 5, 9]) {
    await damaged((bytes) => {
      const copy = Buffer.from(bytes);
      copy[dataStart + offset]! ^= 0x41;
      return copy;
    });
  }
});

test("rejects wrong CRC, size, header; encrypted; linked; unknown method", async () => {
  const poke = (at: number, value: number) => (bytes: Buffer) => {
    const copy = Buffer.from(bytes);
    copy[directoryAt(bytes) + at] = value;
    return copy;
  };
  assert.match((await damaged(poke(16, 0x99))).message, /CRC-32/);
  assert.match((await damaged(poke(24, 3))).message, /longer than the 3 bytes/);
  assert.match((await damaged(poke(24, 200))).message, /ends after .* of 200 bytes/);
  assert.match((await damaged(poke(20, 250))).message, /beyond the end|overflow|bounds/);
  assert.match((await damaged(poke(42, 9))).message, /header/);
  assert.match((await damaged(poke(8, 1))).message, /encrypted/);
  assert.match((await damaged(poke(10, 12))).message, /method 12/);
  const link = (bytes: Buffer): Buffer => poke(41, 0xa0)(poke(5, 3)(bytes));
  assert.match((await damaged(link)).message, /symbolic link/);
});

test("rejects two members, a foreign member, and a zip bomb", async () => {
  const folder = await release();
  const bytes = await readFile(join(folder, "Cnaes.zip"));
  const at = directoryAt(bytes);
  const end = bytes.length - 22;
  const entry = bytes.subarray(at, end);
  const tail = Buffer.from(bytes.subarray(end));
  tail.writeUInt16LE(2, 8);
  tail.writeUInt16LE(2, 10);
  await writeFile(join(folder, "Cnaes.zip"), Buffer.concat([bytes.subarray(0, end), entry, tail]));
  await rm(join(folder, "Motivos.zip"));
  // Neither the name of the zip nor that of its member is known.
  await writeZip(join(folder, "Motivos (1).zip"), "LEIAME.TXT", Buffer.from("x"));
  await rm(join(folder, "Paises.zip"));
  const bomb = memberNames("paises", 0, TOKEN)[1];
  await writeZip(join(folder, "Paises.zip"), bomb, Buffer.alloc(4 << 20, 32));
  const message = await refusal(openDump(folder));
  assert.match(message, /Cnaes\.zip: .*exactly one member.*\. Download it again/);
  assert.match(
    message,
    /Motivos \(1\)\.zip: its member is none of the registry's .*Download it again/,
  );
  assert.match(message, /Motivos\.zip is missing/);
  assert.match(message, /Paises\.zip: .*200-fold.*Download it again/);
});

test("reads stored members", async () => {
  const folder = await release();
  const path = join(folder, "Naturezas.zip");
  const content = contentOf("naturezas");
  const bytes = await readFile(path);
  const nameEnd = 30 + memberNames("naturezas", 0, TOKEN)[1].length;
  const at = directoryAt(bytes);
  const head = Buffer.from(bytes.subarray(0, nameEnd));
  const directory = Buffer.from(bytes.subarray(at));
  for (const [header, shift] of [
    [head, 0],
    [directory, 2],
  ] as const) {
    header.writeUInt16LE(0, 8 + shift);
    header.writeUInt32LE(content.length, 18 + shift);
  }
  directory.writeUInt32LE(nameEnd + content.length, directory.length - 6);
  await writeFile(path, Buffer.concat([head, content, directory]));
  const dump = await openDump(folder);
  const member = dump.members.find(({ type }) => type === "naturezas") as DumpMember;
  assert.equal(member.packing, "stored");
  assert.deepEqual(await readAll(member), content);
});

test("computes zlib's checksum by table, in one piece or several", () => {
  const bytes = deflateRawSync(Buffer.alloc(5000, "abc"));
  assert.equal(crc32ByTable(bytes), zlibCrc32(bytes));
  assert.equal(crc32(bytes.subarray(7), crc32(bytes.subarray(0, 7))), zlibCrc32(bytes));
  assert.equal(crc32ByTable(Buffer.from("123456789")), 0xcbf43926);
});
