// The index region of a snapshot, byte by byte: the constants and structs that the builder writes
// and the opener checks. DIRECTORY lists every section, but no part.
// Invariant: everything is little endian; every section starts on a multiple of 64; offsets are
// absolute in the file; readers check every number against the mapping before use.
//
// - Arrow file: "ARROW1\0\0" schema, dictionaries, record batches, EOS
// - sections    META, COLUMNS, TABLE*, POSTINGS, CHUNKS, ORDER*, NAME_RANK, TERMS,
//               TERM_INDEX, TERM_POSTINGS, CUBE
// - parts       ROLLUP, POSTAL, PLACES, VALUES, COVER, CITIES, OPENED, DATED, and others (parts.h)
// - BLOCKS      u32 CRC-32C of every 64 KiB block of bytes [0, offset of BLOCKS); last is partial
// - DIRECTORY   DirectoryHeader, DirectoryEntry x section_count (BLOCKS included, itself not)
// - DIGESTS     u8[32] SHA-256 of every 64 KiB block of bytes [0, offset of DIGESTS), last partial
// - Arrow footer, whose custom metadata "peneira.index" is the JSON
//               {"version":3,"offset":"…","length":"…","crc32c":…} of DIRECTORY, and then
//               "digests":{"offset":"…","length":"…","sha256":"…"} of DIGESTS
//
// The identity of a snapshot is sha256 of DIGESTS: the SHA-256 (64 hexadecimal digits) of the eight
// bytes "PNRIDENT", u64 offset of DIGESTS, and the bytes of DIGESTS. It covers every byte before
// them, so files with the same identity give the same answers. CRC-32C is checked at the first
// access to a block: it detects accidents, not forgeries.
// DIGESTS is optional and not in DIRECTORY: older files lack it, and older readers skip the bytes
// and the JSON member.
#pragma once
#include <cstdint>

namespace peneira {

constexpr char kIdentityMagic[8] = {'P', 'N', 'R', 'I', 'D', 'E', 'N', 'T'};
constexpr uint32_t kDigestBytes = 32;
constexpr char kDirectoryMagic[8] = {'P', 'N', 'R', 'I', 'N', 'D', 'E', 'X'};
// Version 2 adds five columns, a table, and four flags; version 3 adds nine columns and five flags.
// Older versions are read without them.
constexpr uint32_t kFormatVersion = 3;
constexpr uint32_t kBatchRows = 1u << 20;
constexpr uint32_t kChunkRows = 1u << 16;
constexpr uint32_t kBlockBytes = 1u << 16;
constexpr uint32_t kSectionAlign = 64;
constexpr uint32_t kNoRank = 0xffffffffu;

enum class Section : uint32_t {
  kMeta = 1,           // UTF-8 JSON, opaque here: label, dates, provenance, lookups
  kColumns = 2,        // ColumnsHeader, then per batch BatchEntry + ColumnEntry x column_count
  kTable = 3,          // arg = table number (TABLES): u32 count, u32 offsets[count+1], bytes
  kPostings = 4,       // consecutive chunk blocks, each aligned to 64
  kChunks = 5,         // u64 absolute offset of every chunk block, chunk_count + 1 of them
  kOrder = 6,          // arg = order number (ORDERS): u32 row[row_count]
  kNameRank = 7,       // u32 per row: dense ordinal of legal_name by bytes, kNoRank if null
  kTerms = 8,          // like kTable: the sorted words of names
  kTermIndex = 9,      // TermEntry per word
  kTermPostings = 10,  // flat u32 rows (df <= kFlatTermMax), else a portable Roaring bitmap
  kCube = 11,          // u32 n_cnae, n_uf, n_status, 0; then u32 count[n_cnae+1][n_uf+1][n_status]
  kBlocks = 12,        // u32 CRC-32C per block
};

// CUBE has counts by activity, state, and status. Accounts without an activity are at the ordinal
// after the last activity (n_cnae). Accounts without a state are at the ordinal after the last
// state (n_uf). n_status is 9, and a missing status counts as 0.

struct DirectoryHeader {
  char magic[8];
  uint32_t version;
  uint32_t section_count;
  uint64_t row_count;
  uint64_t fingerprint;  // in columns.h
  uint64_t chunk_count;
  // CRC-32C of the section BLOCKS. BLOCKS has the checksums of the content, so the checksum of
  // DIRECTORY indirectly covers the content too.
  uint64_t blocks_crc32c;
};
static_assert(sizeof(DirectoryHeader) == 48);

struct DirectoryEntry {
  uint32_t kind;
  uint32_t argument;
  uint64_t offset;
  uint64_t length;
};
static_assert(sizeof(DirectoryEntry) == 24);

struct ColumnsHeader {
  uint32_t batch_count;
  uint32_t column_count;
};

struct BatchEntry {
  uint64_t first_row;
  uint64_t row_count;
};

// Buffers of one column in one batch. validity_length 0: no nulls. offsets: i32 x (rows + 1) for
// utf8 and lists, else length 0. data: values, string bytes, or the u16 codes of the list items.
struct ColumnEntry {
  uint64_t validity_offset, validity_length;
  uint64_t data_offset, data_length;
  uint64_t offsets_offset, offsets_length;
};
static_assert(sizeof(ColumnEntry) == 48);

// A chunk block: ChunkHeader, DimensionEntry x dimension_count, then per dimension its
// ContainerEntry array sorted by code, then the container payloads (in the block, bitsets start on
// a multiple of 8, others on one of 2). Payloads are the containers of the portable Roaring format:
// array = sorted u16, bitset = 1024 u64, run = u16 count, then (u16 start, u16 length - 1) pairs.
struct ChunkHeader {
  uint32_t chunk;
  uint32_t dimension_count;
  uint32_t byte_length;
  uint32_t reserved;
};

struct DimensionEntry {
  uint32_t entries_offset;  // relative to the chunk block
  uint32_t entry_count;
};

enum class ContainerType : uint16_t { kArray = 1, kBitset = 2, kRun = 3 };

struct ContainerEntry {
  uint32_t code;
  uint32_t payload_offset;  // relative to the chunk block
  uint16_t cardinality_minus_one;
  uint16_t type;  // ContainerType
};
static_assert(sizeof(ContainerEntry) == 12);

constexpr uint32_t kFlatTermMax = 32;

struct TermEntry {
  uint64_t offset;  // absolute
  uint32_t length;  // bytes
  uint32_t df;      // rows that hold the word
};
static_assert(sizeof(TermEntry) == 16);

}  // namespace peneira
