// Finds the lists of a clause in VALUES (for each code, its rows in the whole snapshot).
// Invariant: a clause gets lists only if they contain exactly its rows; the part is untrusted.
#include "query/parts/values.h"

#include <algorithm>
#include <string>

#include "format/failure.h"

namespace peneira {
namespace {

// If a clause needs more lists than this, POSTINGS (posting lists by chunk) or the column is read
// instead. They need one read per chunk, and the lists would need many.
constexpr size_t kListsMax = 64;
// Number of containers of a list that are prefetched at a time, at most 2 MB.
constexpr uint32_t kContainersAhead = 256;

}  // namespace

void ValueList::willNeed() {
  const uint32_t wanted = std::min(rows_.count(), at_ + kContainersAhead / 2);
  if (requested_ >= wanted) return;
  const uint32_t end = std::min(rows_.count(), at_ + kContainersAhead);
  rows_.willNeed(std::max(requested_, at_), end);
  requested_ = end;
}

// Reads the header. Counterpart of writeValues in builder/stages/values_writer.cc.
ValueIndex::ValueIndex(const Blocks& blocks, const Directory& directory) {
  const auto part = findPart(blocks, directory, kValuesMagic, kValuesVersion);
  if (!part) return;
  if (part->length < sizeof(ValuesHeader)) damaged("VALUES is too short");
  const auto header = load<ValuesHeader>(blocks.view(part->offset, sizeof(ValuesHeader)));
  expectEqual("axes of VALUES", header.axes, ValueAxes::kCount);
  const auto holds = [&part](uint64_t at, uint64_t length) {
    return length <= part->length && at <= part->length - length;
  };
  constexpr uint64_t startBytes = (ValueAxes::kCount + 1) * sizeof(uint32_t);
  if (!holds(header.starts_offset, startBytes) ||
      !holds(header.entries_offset, uint64_t{header.lists} * sizeof(ValuesEntry))) {
    damaged("starts or entries of VALUES lie outside of it");
  }
  const uint8_t* starts = blocks.view(part->offset + header.starts_offset, startBytes);
  for (uint32_t axis = 0; axis <= ValueAxes::kCount; axis++) {
    starts_.push_back(load<uint32_t>(starts + axis * sizeof(uint32_t)));
    if (axis > 0 && starts_[axis] < starts_[axis - 1]) damaged("starts of VALUES descend");
  }
  expectEqual("first list of VALUES", starts_.front(), 0);
  expectEqual("lists of VALUES", starts_.back(), header.lists);
  expectEqual("classes of capital in VALUES", countOf(ValueAxes::kShareCapital), kCapitalClasses);
  blocks_ = &blocks;
  offset_ = part->offset;
  length_ = part->length;
  entries_ = part->offset + header.entries_offset;
  rowCount_ = directory.rowCount;
}

ValuesEntry ValueIndex::entryOf(uint32_t axis, uint32_t code) const {
  const uint64_t at = entries_ + (uint64_t{starts_[axis]} + code) * sizeof(ValuesEntry);
  const auto entry = load<ValuesEntry>(blocks_->view(at, sizeof(ValuesEntry)));
  if (entry.offset > length_ || entry.length > length_ - entry.offset) {
    damaged("list " + std::to_string(code) + " of axis " + std::to_string(axis) +
            " lies outside VALUES");
  }
  if (entry.rows > rowCount_ || (entry.rows == 0) != (entry.length == 0)) {
    damaged("list " + std::to_string(code) + " of axis " + std::to_string(axis) +
            " of VALUES has a wrong number of rows");
  }
  return entry;
}

// Adds the lists of these codes. Codes that the snapshot lacks have no rows.
bool ValueIndex::addCodes(const Codes& codes, ValueLists& found) const {
  for (const uint32_t code : codes.codes) {
    if (code >= countOf(codes.axis)) continue;
    const ValuesEntry entry = entryOf(codes.axis, code);
    if (entry.rows == 0) continue;
    if (found.lists.size() == kListsMax) return false;
    found.lists.emplace_back(RoaringView(*blocks_, offset_ + entry.offset, entry.length));
  }
  return true;
}

// Returns the codes of a range of numbers, such as "2 or more establishments". If nearly all
// numbers are wanted, returns the codes of the unwanted numbers with `negated`. This is correct
// because every account has a number of establishments.
std::optional<ValueIndex::Codes> ValueIndex::numberCodes(const Clause& clause) const {
  const uint32_t axis = clause.column == Columns::kEmailShared      ? ValueAxes::kEmailShared
                        : clause.column == Columns::kPhone1Shared   ? ValueAxes::kPhoneShared
                        : clause.column == Columns::kEstablishments ? ValueAxes::kEstablishments
                                                                    : ValueAxes::kCount;
  const uint32_t other = axis == ValueAxes::kPhoneShared ? Columns::kPhone2Shared : kNoColumn;
  if (axis == ValueAxes::kCount || clause.orColumn != other) return std::nullopt;
  const uint32_t count = countOf(axis);
  std::vector<uint32_t> wanted, unwanted;
  uint32_t next = 0;
  for (const auto& [low, high] : clause.ranges) {
    const auto first = static_cast<uint32_t>(std::clamp<int64_t>(low, next, count));
    const auto end = static_cast<uint32_t>(std::clamp<int64_t>(high, -1, int64_t{count} - 1) + 1);
    for (; next < first; next++) unwanted.push_back(next);
    for (; next < end; next++) wanted.push_back(next);
  }
  for (; next < count; next++) unwanted.push_back(next);
  const bool negate =
      axis == ValueAxes::kEstablishments && unwanted.size() < wanted.size() && !wanted.empty();
  return Codes{axis, std::move(negate ? unwanted : wanted), negate};
}

// Returns the classes of share capital in a range of amounts. Returns nullopt if the range contains
// only a part of a class, and the class has accounts.
std::optional<ValueIndex::Codes> ValueIndex::capitalCodes(const Clause& clause) const {
  Codes found{ValueAxes::kShareCapital, {}};
  for (const auto& [low, high] : clause.ranges) {
    if (low > high) continue;
    const uint32_t first = capitalClass(low), last = capitalClass(high);
    for (uint32_t code = first; code <= last; code++) {
      if (low <= capitalClassStart(code) && high >= capitalClassEnd(code)) {
        found.codes.push_back(code);
      } else if (entryOf(found.axis, code).rows > 0) {
        return std::nullopt;
      }
    }
  }
  return found;
}

std::vector<uint32_t> ValueIndex::capitalStarts() const {
  std::vector<uint32_t> starts;
  if (blocks_ == nullptr) return starts;
  uint64_t start = 0;
  for (uint32_t code = 0; code < kCapitalClasses; code++) {
    starts.push_back(static_cast<uint32_t>(start));
    start += entryOf(ValueAxes::kShareCapital, code).rows;
    if (start > rowCount_) damaged("VALUES has more amounts of capital than rows");
  }
  starts.push_back(static_cast<uint32_t>(start));
  return starts;
}

std::optional<ValueLists> ValueIndex::find(const Clause& clause) const {
  if (blocks_ == nullptr) return std::nullopt;
  ValueLists found;
  if (clause.kind == ClauseKinds::kRange) {
    const bool isCapital =
        clause.column == Columns::kShareCapitalCents && clause.orColumn == kNoColumn;
    const auto codes = isCapital ? capitalCodes(clause) : numberCodes(clause);
    if (!codes || !addCodes(*codes, found)) return std::nullopt;
    found.negated = codes->negated;
    return found;
  }
  if (clause.kind != ClauseKinds::kPosting) return std::nullopt;
  found.negated = clause.negated;
  for (const DimensionCodes& part : clause.any) {
    const auto axis = axisOfDimension(part.dimension);
    if (!axis || !addCodes({*axis, part.codes}, found)) return std::nullopt;
  }
  return found;
}

}  // namespace peneira
