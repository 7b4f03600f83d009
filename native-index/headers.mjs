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
    opening: [
      "Parts of a snapshot: columns, posting dimensions, sort orders, string tables, and flags",
      "by number. Made from columns.ts by headers.mjs.",
    ],
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
    opening: [
      "The byte offsets of a row record, its flags, its strings by number, and the columns that",
      "its values go to. Made from record.ts by headers.mjs.",
    ],
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
    opening: [
      "Meaning of the numbers of a written query, and the mark that they begin with. Made from",
      "native-index/napi/query.ts by headers.mjs.",
    ],
    includes: ["format/column_list.h"],
    parts: [
      numbers("RequestKinds", "Kinds of request.", REQUEST_KINDS),
      numbers("ClauseKinds", "Kinds of clause.", CLAUSE_KINDS),
      numbers("Methods", "Ways to take a page; see handles.ts.", METHODS),
      [
        "// Columns that a range can be over.",
        ...numbered("Columns::Number kRangeColumns", columns),
      ],
      [
        "// Hash of all numbered names, also of dimensions and orders; both sides must agree.",
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
    opening: [
      "The output fields by number: their names, where they are stored, which of them people",
      "typed; behind them the scores that only explanations read. Made from",
      "src/spec/fields/table.ts by headers.mjs.",
    ],
    includes: ["render/field_value.h"],
    parts: [
      [
        "// The fields by number.",
        "enum class Field : uint8_t {",
        ...members(names(fields).map((name, i) => [name, i])),
        `  kCount = ${fields.length},`,
        "};",
      ],
      nameList("kFieldNames", names(fields)),
      [
        "// Where fields are stored, by their numbers.",
        "constexpr FieldSource kFieldSources[] = {",
        ...indent(sources),
        "};",
      ],
      [
        "// How values are written for people, by the numbers of their fields.",
        ...numbered("FieldWriting kFieldWritings", written),
      ],
      [
        "// True if texts of a field are written by people, so that they may begin like a formula.",
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
    opening: [
      "Words of values in files for people. Made from src/spec/fields/words.ts and reasons.ts by",
      "headers.mjs.",
    ],
    includes: [],
    parts: [
      numbers("Words", "Numbers of the words.", list),
      ["// In Portuguese.", ...numbered("std::string_view kWordsPt", texts(0))],
      ["// In English.", ...numbered("std::string_view kWordsEn", texts(1))],
      [
        "// Reasons of a status in Portuguese, by their codes; empty where there are no words.",
        ...numbered("std::string_view kReasonsPt", reasons(REASONS_PT)),
      ],
      [
        "// The reasons in English.",
        ...numbered("std::string_view kReasonsEn", reasons(REASONS_EN)),
      ],
    ],
  });
}

function dumpList({ LAYOUTS, ESTAB, EMPRESA, SIMPLES, RULE_NAMES, CODE_WIDTHS, UFS }) {
  const columnsOf = (name, type, columns) => {
    const list = orderedBy(columns);
    if (list.length !== LAYOUTS[type].columns.length) throw new Error(`${type} has other columns`);
    return numbers(name, `Columns of a file of ${type}.`, list);
  };
  return header({
    opening: [
      "The dump by number: the columns of its large files, the rules by which a value is odd, the",
      "kinds of code, the states. Made from src/dump/layout.ts, src/dump/rules.ts,",
      "src/ingest/dictionaries.ts and src/spec/fields.ts by headers.mjs.",
    ],
    includes: [],
    parts: [
      columnsOf("EstabColumns", "estabelecimentos", ESTAB),
      columnsOf("CompanyColumns", "empresas", EMPRESA),
      columnsOf("SimplesColumns", "simples", SIMPLES),
      numbers("Rules", "Rules by which a value or a row is odd.", RULE_NAMES),
      numbers("CodeKinds", "Kinds of code.", Object.keys(CODE_WIDTHS)),
      nameList("kCodeKindNames", Object.keys(CODE_WIDTHS)),
      [
        "// Most digits of a code, by its kind.",
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
    opening: ["The numbers that make a score. Made from src/search/score.ts by headers.mjs."],
    includes: [],
    parts: [
      numbers("ScoreParts", "Parts of a score.", SCORE_PARTS),
      numbers("Strategies", "Strategies with a stored score.", SCORED_STRATEGIES),
      [
        "// Weights of the parts by strategy.",
        ...numbered("uint32_t kScoreWeights[ScoreParts::kCount]", rows).map((line) =>
          line.replace("[ScoreParts::kCount][]", "[ScoreParts::kCount][Strategies::kCount]"),
        ),
      ],
      [
        "// Points that a sanction in force subtracts from every score.",
        `constexpr uint32_t kSanctionPenalty = ${SANCTION_PENALTY};`,
        "// Half of the grade of the age is reached after so many days.",
        `constexpr int64_t kAgeHalfDays = ${AGE_HALF_DAYS};`,
        "// The grade of recency falls to 0 over so many days.",
        `constexpr int64_t kRecencyDays = ${RECENCY_DAYS};`,
        "// Share capital in reais from which each further part of the grade is given.",
        ...numbered("int64_t kCapitalSteps", CAPITAL_STEPS.map(String)),
      ],
    ],
  });
}

/** Returns the text of a header; its comment begins with the lines `opening`. */
function header({ opening, includes, parts }) {
  const head = [
    ...opening.map((line) => `// ${line}`),
    "// Invariant: edit the source, not this file; `node build.mjs headers` makes it, and no build",
    "// continues while it is stale.",
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
  return [`// ${comment}`, `struct ${name} {`, ...lines, "};"];
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
