#!/usr/bin/env node
/**
 * Generates C++ headers from TypeScript tables of columns, row records, output fields, and others.
 * Input: the tables. Output: with `--write`, the headers; otherwise the names of stale headers, and
 * status 1.
 * Invariant: equal tables give equal bytes, in the layout of .clang-format. The headers are
 * committed, so that compiling does not need this script, and readers of C++ see them.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const SCRIPT = fileURLToPath(import.meta.url);
const ROOT = path.dirname(path.dirname(SCRIPT));

/** The tables, relative to the root. */
const TABLE_FILES = [
  "native-index/format/columns.ts",
  "native-index/builder/record.ts",
  "native-index/napi/query.ts",
  "src/spec/fields/table.ts",
  "src/spec/fields/words.ts",
  "src/spec/fields/reasons.ts",
  "src/spec/fields/reasons-en.ts",
  "src/spec/fields.ts",
  "src/dump/layout.ts",
  "src/dump/rules.ts",
  "src/ingest/dictionaries.ts",
  "src/search/score.ts",
];

/** Generated headers, relative to the root. */
const HEADERS = [
  "native-index/format/column_list.h",
  "native-index/builder/record_layout.h",
  "native-index/query/clauses/query_list.h",
  "native-index/render/field_list.h",
  "native-index/render/word_list.h",
  "native-index/scan/dump_list.h",
  "native-index/join/score_list.h",
];

/** The build step. Generates the headers if `write` is true, else fails for a stale header. */
export function headerStep({ upToDate, run, write }) {
  const make = () => run(process.execPath, [SCRIPT, ...(write ? ["--write"] : [])]);
  if (write) return make();
  const made = HEADERS.filter((file) => existsSync(path.join(ROOT, file)));
  const inputs = ["native-index/headers.mjs", ...TABLE_FILES, ...made];
  upToDate({ name: "headers", inputs, salt: "", outputs: [] }, make);
}

/** Returns the text of every header by path; `tables` are the exports of the table files. */
export function headerTexts(tables) {
  const makers = [columnList, recordLayout, queryList, fieldList, wordList, dumpList, scoreList];
  return new Map(HEADERS.map((file, i) => [file, makers[i](tables)]));
}

function columnList({ COLUMNS, DIMENSIONS, ORDERS, TABLES, FLAG_CODES }) {
  const rows = COLUMNS.map(
    ({ name, type, nullable }) => `{"${name}", ColumnType::${constant(type)}, ${nullable}},`,
  );
  return header({
    about:
      "Parts of a snapshot: columns, posting dimensions, sort orders, string tables, and flags " +
      "by number.",
    sources: ["native-index/format/columns.ts"],
    includes: ["format/column_value.h"],
    parts: [
      numbers("Columns", "Column numbers, for example Columns::kLegalName.", names(COLUMNS)),
      numbers("Dimensions", "Numbers of the posting dimensions.", DIMENSIONS),
      numbers("Orders", "Numbers of the stored sort orders.", ORDERS),
      numbers("Tables", "Numbers of the string tables.", TABLES),
      numbers("FlagCodes", "Codes of the `flag` dimension.", orderedBy(FLAG_CODES)),
      ["// Every column, by its number.", "constexpr Column kColumns[] = {", ...indent(rows), "};"],
      nameList("kDimensionNames", DIMENSIONS),
      nameList("kOrderNames", ORDERS),
      nameList("kTableNames", TABLES),
    ],
  });
}

function recordLayout({ RECORD, RECORD_FLAGS, LIST_FLAGS, RECORD_STRINGS, SLOTS, SLOT_ROWS }) {
  const offsets = Object.entries({ ...RECORD, ...SLOTS }).sort(([, a], [, b]) => a - b);
  const slots = SLOT_ROWS.filter(({ type }) => type !== "utf8").map(
    ({ name }) => `{Columns::${constant(name)}, RecordLayout::${constant(name)}},`,
  );
  const strings = RECORD_STRINGS.map((name) => `Columns::${constant(name)}`);
  return header({
    about:
      "The byte offsets of a row record, its flags, its strings by number, and the columns that " +
      "its values go to.",
    sources: ["native-index/builder/record.ts"],
    includes: ["format/column_list.h"],
    parts: [
      enumOf("RecordLayout", "Offset : size_t", "Byte offsets of the fixed part.", offsets),
      enumOf(
        "RecordFlags",
        "Bit : uint8_t",
        "Bits of the flags byte.",
        Object.entries(RECORD_FLAGS),
      ),
      enumOf(
        "ListFlags",
        "Bit : uint8_t",
        "Bits of the byte of lists.",
        Object.entries(LIST_FLAGS),
      ),
      numbers("RecordStrings", "Numbers of the strings.", RECORD_STRINGS),
      [
        "// A value of the fixed part and the column that it goes to.",
        "struct RecordSlot {",
        "  Columns::Number column;",
        "  RecordLayout::Offset offset;",
        "};",
      ],
      [
        "// Every value of the fixed part but the cnpj.",
        "constexpr RecordSlot kRecordSlots[] = {",
        ...indent(slots),
        "};",
      ],
      [
        "// The columns that the strings go to, by their numbers.",
        ...numbered("Columns::Number kRecordStringColumns", strings),
      ],
    ],
  });
}

function queryList({ REQUEST_KINDS, CLAUSE_KINDS, METHODS, RANGE_COLUMNS, queryLayout }) {
  const columns = RANGE_COLUMNS.map((name) => `Columns::${constant(name)}`);
  return header({
    about: "Meaning of the numbers in an encoded query, and the mark with which a query begins.",
    sources: ["native-index/napi/query.ts"],
    includes: ["format/column_list.h"],
    parts: [
      numbers("RequestKinds", "Kinds of request.", REQUEST_KINDS),
      numbers("ClauseKinds", "Kinds of clause.", CLAUSE_KINDS),
      numbers("Methods", "Ways to select a page; see query.ts.", METHODS),
      [
        "// Columns that a range clause can test.",
        ...numbered("Columns::Number kRangeColumns", columns),
      ],
      [
        ...commentLines(
          "Hash of all numbered names, including those of dimensions and orders. The writer and " +
            "the reader must have the same hash.",
        ),
        `constexpr uint32_t kQueryLayout = ${queryLayout()}u;`,
      ],
    ],
  });
}

/** Default display format by type. */
const WRITTEN_BY_TYPE = {
  text: "plain",
  flag: "yes_no",
  number: "number",
  date: "date",
  cents: "amount",
  postal_code: "postal_code",
  phone: "phone",
  phone_kind: "phone_kind",
  whatsapp: "plain",
};

function fieldList({ FIELDS, HIDDEN_FIELDS }) {
  const fields = [...FIELDS, ...HIDDEN_FIELDS];
  const sources = fields.map(({ stored: { type, column, table, counted } }) => {
    const elsewhere = counted === undefined ? "kNoTable" : constant(counted);
    const place = table === undefined ? elsewhere : `Tables::${constant(table)}`;
    return `{FieldKind::${constant(type)}, Columns::${constant(column)}, ${place}},`;
  });
  const written = fields.map(
    ({ written, stored: { type } }) =>
      `FieldWriting::${constant(written ?? WRITTEN_BY_TYPE[type])}`,
  );
  const free = names(fields.filter(({ freeText }) => freeText === true));
  const cases = free.map((name, i) =>
    i < free.length - 1
      ? `    case Field::${constant(name)}:`
      : `    case Field::${constant(name)}: return true;`,
  );
  return header({
    about:
      "The output fields by number: their names, where they are stored, and which of them are " +
      "free text. After the fields come the scores that only explanations read.",
    sources: ["src/spec/fields/table.ts"],
    includes: ["render/field_value.h"],
    parts: [
      [
        "enum class Field : uint8_t {",
        ...members(names(fields).map((name, i) => [name, i])),
        `  kCount = ${fields.length},`,
        "};",
      ],
      nameList("kFieldNames", names(fields)),
      [
        "// Where each field is stored, indexed by the field's number.",
        "constexpr FieldSource kFieldSources[] = {",
        ...indent(sources),
        "};",
      ],
      [
        "// How the values of each field are displayed, indexed by the field's number.",
        ...numbered("FieldWriting kFieldWritings", written),
      ],
      [
        "// True if people typed the texts of a field, so that a text may begin like a spreadsheet",
        "// formula.",
        "constexpr bool isFreeText(Field field) {",
        "  switch (field) {",
        ...cases,
        "    default: return false;",
        "  }",
        "}",
      ],
    ],
  });
}

function wordList({ VALUE_WORDS, REASONS_PT, REASONS_EN }) {
  const list = Object.keys(VALUE_WORDS);
  const texts = (language) => Object.values(VALUE_WORDS).map((word) => `"${word[language]}"`);
  const reasons = (words) =>
    Array.from({ length: 100 }, (_, code) => `"${words[String(code).padStart(2, "0")] ?? ""}"`);
  return header({
    about: "The words that stand for values in files for people.",
    sources: [
      "src/spec/fields/words.ts",
      "src/spec/fields/reasons.ts",
      "src/spec/fields/reasons-en.ts",
    ],
    includes: [],
    parts: [
      numbers("Words", null, list),
      ["// In Portuguese.", ...numbered("std::string_view kWordsPt", texts(0))],
      ["// In English.", ...numbered("std::string_view kWordsEn", texts(1))],
      [
        ...commentLines(
          "Reasons of a registration status in Portuguese, indexed by code. Empty where a code " +
            "has no words.",
        ),
        ...numbered("std::string_view kReasonsPt", reasons(REASONS_PT)),
      ],
      [
        "// The same reasons in English.",
        ...numbered("std::string_view kReasonsEn", reasons(REASONS_EN)),
      ],
    ],
  });
}

/** Words for the large files of the dump. */
const FILE_WORDS = {
  estabelecimentos: "establishments (estabelecimentos)",
  empresas: "companies (empresas)",
  simples: "simples",
};

function dumpList({ LAYOUTS, ESTAB, EMPRESA, SIMPLES, RULE_NAMES, CODE_WIDTHS, UFS }) {
  const columnsOf = (name, type, columns) => {
    const list = orderedBy(columns);
    if (list.length !== LAYOUTS[type].columns.length) throw new Error(`${type} has other columns`);
    return numbers(name, `Columns of a file of ${FILE_WORDS[type]}.`, list);
  };
  return header({
    about:
      "Numbers for the parts of the dump: the columns of its large files, the rules that an " +
      "irregular value or row breaks, the kinds of code, and the states.",
    sources: [
      "src/dump/layout.ts",
      "src/dump/rules.ts",
      "src/ingest/dictionaries.ts",
      "src/spec/fields.ts",
    ],
    includes: [],
    parts: [
      columnsOf("EstabColumns", "estabelecimentos", ESTAB),
      columnsOf("CompanyColumns", "empresas", EMPRESA),
      columnsOf("SimplesColumns", "simples", SIMPLES),
      numbers("Rules", "Rules that an irregular value or row breaks.", RULE_NAMES),
      numbers("CodeKinds", "Kinds of code.", Object.keys(CODE_WIDTHS)),
      nameList("kCodeKindNames", Object.keys(CODE_WIDTHS)),
      [
        "// Maximum number of digits of a code, indexed by the kind of code.",
        ...numbered("uint32_t kCodeWidths", Object.values(CODE_WIDTHS).map(String)),
      ],
      nameList("kStates", UFS),
    ],
  });
}

function scoreList({ SCORE_PARTS, SCORED_STRATEGIES, SCORE_WEIGHTS, ...numbersOf }) {
  const { SANCTION_PENALTY, AGE_HALF_DAYS, RECENCY_DAYS, CAPITAL_STEPS } = numbersOf;
  const rows = SCORE_PARTS.map((part) => {
    const weights = SCORED_STRATEGIES.map((strategy) => SCORE_WEIGHTS[strategy][part]);
    return `{${weights.join(", ")}}`;
  });
  return header({
    about: "The weights and thresholds that make up a score.",
    sources: ["src/search/score.ts"],
    includes: [],
    parts: [
      numbers("ScoreParts", "Parts of a score.", SCORE_PARTS),
      numbers(
        "Strategies",
        "Numbers of the strategies whose scores are stored.",
        SCORED_STRATEGIES,
      ),
      [
        "// Weight of each part of a score (row) in each strategy (column).",
        ...numbered("uint32_t kScoreWeights[ScoreParts::kCount]", rows).map((line) =>
          line.replace("[ScoreParts::kCount][]", "[ScoreParts::kCount][Strategies::kCount]"),
        ),
      ],
      [
        "// Points that a sanction in force subtracts from each score.",
        `constexpr uint32_t kSanctionPenalty = ${SANCTION_PENALTY};`,
        "// The age, in days, at which the grade for age reaches half of its maximum.",
        `constexpr int64_t kAgeHalfDays = ${AGE_HALF_DAYS};`,
        "// The age, in days, at which the grade for recency reaches 0.",
        `constexpr int64_t kRecencyDays = ${RECENCY_DAYS};`,
        "// Share capital, in reais, at which the grade for capital rises by another step.",
        ...numbered("int64_t kCapitalSteps", CAPITAL_STEPS.map(String)),
      ],
    ],
  });
}

const INVARIANT =
  "Invariant: edit the source, not this file. No build continues while this file is out of date.";

/** A header; `about` is the beginning of its comment, and `sources` are the tables. */
function header({ about, sources, includes, parts }) {
  const last = sources.at(-1);
  const comma = sources.length > 2 ? "," : "";
  const from = sources.length > 1 ? `${sources.slice(0, -1).join(", ")}${comma} and ${last}` : last;
  const made = `\`node build.mjs headers\` generates this file from ${from}.`;
  const head = [
    ...commentLines(`${about} ${made}`),
    ...commentLines(INVARIANT),
    "#pragma once",
    "#include <cstddef>",
    "#include <cstdint>",
    "#include <string_view>",
    "",
    ...includes.map((name) => `#include "${name}"`),
    ...(includes.length > 0 ? [""] : []),
    "namespace peneira {",
  ];
  const body = parts.map((lines) => ["", ...lines].join("\n"));
  return [...head, ...body, "", "}  // namespace peneira", ""].join("\n");
}

/** Returns a struct with an enum of numbers from 0 on, and their count. */
function numbers(name, comment, list) {
  const rows = list.map((one, i) => [one, i]);
  const type = name === "FlagCodes" ? "Code : uint32_t" : "Number : uint32_t";
  return enumOf(name, type, comment, [...rows, ["count", list.length]]);
}

function enumOf(name, type, comment, rows) {
  const lines = indent([`enum ${type} {`, ...members(rows), "};"], 2);
  return [...(comment === null ? [] : [`// ${comment}`]), `struct ${name} {`, ...lines, "};"];
}

/** Wraps a text as lines of a comment, at most 100 characters wide. */
function commentLines(text) {
  const lines = ["//"];
  for (const word of text.split(" ")) {
    const wider = `${lines.at(-1)} ${word}`;
    if (wider.length <= 100) lines[lines.length - 1] = wider;
    else lines.push(`// ${word}`);
  }
  return lines;
}

function members(rows) {
  return rows.map(([name, value]) => `  ${constant(name)} = ${value},`);
}

function nameList(name, list) {
  const literals = list.map((one) => `"${one}"`);
  return ["// Names by number.", ...numbered(`std::string_view ${name}`, literals)];
}

/** Returns an array; its trailing comments keep one value per line, even after formatting. */
function numbered(declared, values) {
  const width = Math.max(...values.map((value) => value.length)) + 1;
  const rows = values.map((value, i) => `${`${value},`.padEnd(width)}  // ${i}`);
  return [`constexpr ${declared}[] = {`, ...indent(rows), "};"];
}

function indent(lines, by = 4) {
  return lines.map((line) => " ".repeat(by) + line);
}

function names(rows) {
  return rows.map(({ name }) => name);
}

/** Returns the keys of codes in order; the codes must be 0, 1, 2, and so on. */
function orderedBy(codes) {
  const rows = Object.entries(codes).sort(([, a], [, b]) => a - b);
  if (rows.some(([, code], i) => code !== i)) throw new Error("the codes have gaps");
  return rows.map(([name]) => name);
}

/** `legal_name` and `legalName` become kLegalName. */
function constant(name) {
  const words = name.split("_").map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  return `k${words.join("")}`;
}

/**
 * Returns the exports of the table files. The files are bundled first, because this version of Node
 * may be unable to read TypeScript.
 */
async function loadTables() {
  // esbuild is loaded only here. Code that only makes the texts of headers then works even if no
  // packages are installed.
  const { outputFiles } = createRequire(import.meta.url)("esbuild").buildSync({
    stdin: {
      contents: TABLE_FILES.map((file) => `export * from "./${file}";`).join("\n"),
      resolveDir: ROOT,
    },
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
  });
  const [{ text }] = outputFiles;
  return import(`data:text/javascript;base64,${Buffer.from(text).toString("base64")}`);
}

function isStale(file, text) {
  const full = path.join(ROOT, file);
  return !existsSync(full) || readFileSync(full, "utf8") !== text;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const stale = [...headerTexts(await loadTables())].filter(([file, text]) => isStale(file, text));
  const write = process.argv.includes("--write");
  for (const [file, text] of stale) {
    if (write) writeFileSync(path.join(ROOT, file), text);
    process.stderr.write(write ? `${file}\n` : `${file} is stale: node build.mjs headers\n`);
  }
  process.exitCode = stale.length > 0 && !write ? 1 : 0;
}
