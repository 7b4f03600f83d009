// Opens snapshots, shares them between threads, and caches counts and sets.
// Invariant: the cache is at most kBytesMax after every call.
#include "query/segment/segment.h"

#include <charconv>
#include <map>
#include <mutex>

#include "format/failure.h"

namespace peneira {

// The result cache. Invariant: a result outlives the key that points into it; `bytes_` is the sum
// over `recent_`, at most kBytesMax after each call.

std::optional<uint64_t> ResultCache::count(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const CachedResult* answer = find(key);
  if (answer == nullptr) return std::nullopt;
  return answer->count;
}

std::shared_ptr<const RowSet> ResultCache::rows(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const CachedResult* answer = find(key);
  return answer == nullptr ? nullptr : answer->rows;
}

void ResultCache::cacheCount(const std::string& key, uint64_t count) {
  const std::lock_guard lock(mutex_);
  if (find(key) == nullptr) keep({key, count, nullptr});
}

void ResultCache::cacheRows(const std::string& key, std::shared_ptr<const RowSet> rows) {
  const std::lock_guard lock(mutex_);
  const uint64_t count = rows->size();
  keep({key, count, std::move(rows)});
}

void ResultCache::drop() {
  const std::lock_guard lock(mutex_);
  byKey_.clear();
  recent_.clear();
  bytes_ = 0;
}

ResultCache::CachedResult* ResultCache::find(const std::string& key) {
  const auto known = byKey_.find(key);
  if (known == byKey_.end()) return nullptr;
  recent_.splice(recent_.begin(), recent_, known->second);
  return &recent_.front();
}

void ResultCache::keep(CachedResult answer) {
  if (find(answer.key) != nullptr) {
    bytes_ -= recent_.front().bytes();
    byKey_.erase(recent_.front().key);
    recent_.pop_front();
  }
  bytes_ += answer.bytes();
  recent_.push_front(std::move(answer));
  byKey_[recent_.front().key] = recent_.begin();
  while (bytes_ > kBytesMax) {
    bytes_ -= recent_.back().bytes();
    byKey_.erase(recent_.back().key);
    recent_.pop_back();
  }
}

// Opens snapshots from a path or mapping, and shares them between threads.
// Invariant: tables derived from a dictionary have its length, and the section CUBE has exactly the
// size of its counts.

namespace {

std::mutex openMutex;
// Segments that are in use. Threads share one segment per file, so damage that one thread finds
// affects all.
std::map<FileIdentity, std::weak_ptr<Segment>> openSegments;

std::string tableName(uint32_t number) {
  return "TABLE " + std::to_string(number) + " (" + std::string(kTableNames[number]) + ")";
}

// Tells the kernel that the index is accessed at random. Columns are excluded, because exports read
// them sequentially, including pages that were evicted.
const Mapping& scattered(const Mapping& mapping, const Directory& directory) {
  // The metadata tables come before all other sections and are read completely, so they are
  // excluded too.
  mapping.scattered(directory.postings.offset);
  // The checksums take four bytes per 64 KiB and are read in random order, so they are loaded now.
  mapping.willNeed(directory.blocks.offset, directory.blocks.length);
  return mapping;
}

void expectSameCount(const StringTable* tables, uint32_t derived, uint32_t base) {
  expectEqual("strings in " + tableName(derived), tables[derived].count(), tables[base].count());
}

}  // namespace

Segment::Segment(std::shared_ptr<Mapping> mapping, const DirectoryLocation& location)
    : mapping_(std::move(mapping)),
      location_(location),
      directory_(readDirectory(*mapping_, location)),
      blocks_(scattered(*mapping_, directory_), directory_.blocks.offset,
              mapping_->data() + directory_.blocks.offset),
      columns_(blocks_, directory_),
      postings_(blocks_, directory_),
      terms_(blocks_, directory_) {
  if (location.digests) blocks_.addDigests(location.digests->offset, location.digests->sha256);
  openTables();
  openCube();
  rollup_ = Rollup(blocks_, directory_, tables_);
  places_ = Places(blocks_, directory_, tables_);
  cover_ = Cover(blocks_, directory_, tables_);
  dated_ = DatedIndex(blocks_, directory_, tables_);
  opened_ = OpenedIndex(blocks_, directory_, tables_);
  postal_ = PostalIndex(blocks_, columns_, directory_);
  districts_ = DistrictIndex(blocks_, directory_, postings_, columns_,
                             tables_[Tables::kMunicipalityIbge].count());
  contacts_ = ContactIndex(blocks_, columns_, directory_);
  beginnings_ = NameBeginnings(blocks_, directory_);
  values_ = ValueIndex(blocks_, directory_);
  partnerships_ = Partnerships(blocks_, directory_);
  population_ = numbersOf(Tables::kMunicipalityPopulation);
  numbers_ = numbersOf(Tables::kNumber);
  meta();
}

std::shared_ptr<Segment> Segment::open(std::shared_ptr<Mapping> mapping,
                                       const DirectoryLocation& location) {
  std::shared_ptr<Segment> segment(new Segment(std::move(mapping), location));
  segment->alive();
  return segment;
}

std::shared_ptr<Segment> Segment::openFile(const std::string& path,
                                           const DirectoryLocation& location) {
  std::shared_ptr<Mapping> mapping = Mapping::open(path);
  const std::lock_guard lock(openMutex);
  std::erase_if(openSegments, [](const auto& item) { return item.second.expired(); });
  const FileIdentity identity = mapping->identity();
  const auto known = openSegments.find(identity);
  if (known != openSegments.end()) {
    std::shared_ptr<Segment> segment = known->second.lock();
    if (segment && segment->location_ == location && !segment->poisoned()) return segment;
  }
  std::shared_ptr<Segment> segment = open(std::move(mapping), location);
  openSegments[identity] = segment;
  return segment;
}

void Segment::alive() const {
  if (mapping_->poisoned()) {
    damaged("a page of the snapshot could not be read: the file was truncated");
  }
  const int64_t block = blocks_.damagedBlock();
  if (block >= 0) damaged("block " + std::to_string(block) + " is not what was written");
}

void Segment::recheckAll() const {
  blocks_.recheckAll();
  // Results that were computed after the file changed may be wrong.
  resultCache_.drop();
}

void Segment::openTables() {
  for (uint32_t i = 0; i < directory_.parts.tables; i++) {
    blocks_.view(directory_.tables[i].offset, directory_.tables[i].length);
    tables_[i] = StringTable(blocks_, directory_.tables[i], tableName(i));
    for (uint32_t code = 0; code < tables_[i].count(); code++) tables_[i].at(code);
  }
  expectSameCount(tables_, Tables::kCnaeDescription, Tables::kCnaePrimary);
  expectSameCount(tables_, Tables::kLegalNatureDescription, Tables::kLegalNature);
  expectSameCount(tables_, Tables::kMunicipalityName, Tables::kMunicipalityTom);
  expectSameCount(tables_, Tables::kMunicipalityPopulation, Tables::kMunicipalityIbge);
}

void Segment::openCube() {
  const SectionRange& section = directory_.cube;
  constexpr uint64_t headBytes = 16;
  if (section.length < headBytes) damaged("CUBE is too short");
  const uint8_t* head = blocks_.view(section.offset, headBytes);
  cube_ = {section.offset + headBytes, load<uint32_t>(head), load<uint32_t>(head + 4)};
  expectEqual("activities in CUBE", cube_.cnaeCount, tables_[Tables::kCnaePrimary].count());
  expectEqual("states in CUBE", cube_.ufCount, tables_[Tables::kUf].count());
  expectEqual("statuses in CUBE", load<uint32_t>(head + 8), kStatusCount);
  // The tables are inside the file, so this product is below 2^64.
  const uint64_t cells = (uint64_t{cube_.cnaeCount} + 1) * (uint64_t{cube_.ufCount} + 1);
  if (cells > section.length) damaged("CUBE is too short for its counts");
  expectEqual("length of CUBE", section.length, headBytes + cells * kStatusCount * 4);
}

std::vector<int64_t> Segment::numbersOf(uint32_t number) const {
  std::vector<int64_t> numbers;
  if (number >= directory_.parts.tables) return numbers;
  const StringTable& table = tables_[number];
  numbers.assign(table.count(), -1);
  for (uint32_t code = 0; code < table.count(); code++) {
    const std::string_view text = table.at(code);
    if (text.empty()) continue;
    uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
      damaged("value " + std::to_string(code) + " of " + tableName(number) + " is not a number");
    }
    numbers[code] = value;
  }
  return numbers;
}

std::span<const uint8_t> Segment::owners() const {
  const auto part = findPart(blocks_, directory_, kOwnersMagic, kOwnersVersion);
  if (!part) return {};
  return {blocks_.view(part->offset, part->length), part->length};
}

std::string_view Segment::meta() const {
  const SectionRange& section = directory_.meta;
  const uint8_t* bytes = blocks_.view(section.offset, section.length);
  return {reinterpret_cast<const char*>(bytes), section.length};
}

uint32_t Segment::orderRow(uint32_t order, uint32_t position) const {
  const uint64_t at = directory_.orders[order].offset + uint64_t{position} * 4;
  const uint32_t row = load<uint32_t>(blocks_.view(at, 4));
  if (row >= rowCount()) damaged("ORDER " + std::to_string(order) + " names an unknown row");
  return row;
}

uint32_t Segment::nameRank(uint32_t row) const {
  return load<uint32_t>(blocks_.view(directory_.nameRank.offset + uint64_t{row} * 4, 4));
}

int64_t Segment::number(uint32_t code) const {
  if (code >= numbers_.size()) damaged("a number's code is not in its table");
  return numbers_[code];
}

int64_t Segment::population(uint32_t code) const {
  if (code >= population_.size()) damaged("a municipality code is not in its table");
  return population_[code];
}

}  // namespace peneira
