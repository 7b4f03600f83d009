// Walks change lists. What comes in and goes out: see changelist.h.
// Invariant: an account none of whose filter columns differ matches in both snapshots or in
// neither, so it is tested once, and only where a watched column differs.
#include "query/changes/changelist.h"

#include "format/blocks/crc32c.h"
#include "format/failure.h"
#include "query/kernel/rowtest.h"

namespace peneira {
namespace {

uint32_t columnsOfFlag(uint32_t flag) {
  switch (flag) {
    case FlagCodes::kHeadquarters: return columnBit(Columns::kHeadquarters);
    case FlagCodes::kSimplesOptIn: return columnBit(Columns::kSimplesOptIn);
    case FlagCodes::kMeiOptIn: return columnBit(Columns::kMeiOptIn);
    case FlagCodes::kHasEmail: return columnBit(Columns::kEmail);
    case FlagCodes::kHasPhone: return columnBit(Columns::kPhone1) | columnBit(Columns::kPhone2);
    case FlagCodes::kSanctioned: return columnBit(Columns::kSanctioned);
    case FlagCodes::kHasMobile:
    case FlagCodes::kHasLandline: return columnBit(Columns::kPhone1) | columnBit(Columns::kPhone2);
    case FlagCodes::kOwnDomain: return columnBit(Columns::kEmailOwnDomain);
    case FlagCodes::kOwnEmail: return columnBit(Columns::kEmailShared);
    default: return 0;
  }
}

uint32_t columnsOfPart(const DimensionCodes& part) {
  switch (part.dimension) {
    case Dimensions::kCnaePrimary: return columnBit(Columns::kCnaePrimary);
    case Dimensions::kCnaeSecondary: return columnBit(Columns::kCnaeSecondary);
    case Dimensions::kUf: return columnBit(Columns::kUf);
    case Dimensions::kMunicipalityIbge: return columnBit(Columns::kMunicipalityIbge);
    case Dimensions::kMunicipalityTom: return columnBit(Columns::kMunicipalityTom);
    case Dimensions::kRegistrationStatus: return columnBit(Columns::kRegistrationStatus);
    case Dimensions::kCompanySizeCode: return columnBit(Columns::kCompanySizeCode);
    case Dimensions::kLegalNature: return columnBit(Columns::kLegalNature);
    case Dimensions::kAreaCode: return columnBit(Columns::kPhone1) | columnBit(Columns::kPhone2);
    case Dimensions::kStartedYear: return columnBit(Columns::kStartedOn);
    case Dimensions::kFlag: break;
    default: badArgument("there is no dimension " + std::to_string(part.dimension));
  }
  uint32_t columns = 0;
  for (const uint32_t flag : part.codes) columns |= columnsOfFlag(flag);
  return columns;
}

// The matches of one snapshot; says no for an account that it lacks.
class Matches {
 public:
  Matches(const Segment& segment, const Query& query)
      : rowCount_(segment.rowCount()), filter_(segment, query, work_) {}

  bool contains(uint32_t row) {
    if (row == kNoRow) return false;
    if (row >= rowCount_) damaged("the change list names an unknown row");
    return filter_.matches(row);
  }

 private:
  uint32_t rowCount_;
  Work work_;
  RowFilter filter_;
};

// What has happened to accounts, for a query.
class Judge {
 public:
  explicit Judge(const WalkRequest& request)
      : older_(*request.older, request.olderQuery),
        newer_(*request.newer, request.newerQuery),
        filters_(columnsOf(request.olderQuery) | columnsOf(request.newerQuery)),
        watch_(request.watch) {}

  ChangeKind of(const Difference& entry) {
    const bool inBoth = entry.older != kNoRow && entry.newer != kNoRow;
    const bool isWatched = (entry.columns & watch_) != 0;
    if (inBoth && (entry.columns & filters_) == 0) {
      return isWatched && newer_.contains(entry.newer) ? ChangeKind::kChanged : ChangeKind::kCount;
    }
    const bool before = older_.contains(entry.older), after = newer_.contains(entry.newer);
    if (before != after) return after ? ChangeKind::kEntered : ChangeKind::kLeft;
    return before && isWatched ? ChangeKind::kChanged : ChangeKind::kCount;
  }

 private:
  Matches older_, newer_;
  uint32_t filters_, watch_;
};

}  // namespace

uint32_t columnsOf(const Query& query) {
  uint32_t columns = 0;
  for (const Clause& clause : query.clauses) {
    if (clause.kind == ClauseKinds::kRange) {
      columns |= columnBit(clause.column);
      if (clause.orColumn != kNoColumn) columns |= columnBit(clause.orColumn);
    }
    if (clause.kind == ClauseKinds::kWords) {
      columns |= columnBit(Columns::kLegalName) | columnBit(Columns::kTradeName);
    }
    // Where rows come from is not known here: those of districts follow two columns, for one.
    if (!clause.lists.empty()) columns = ~uint32_t{0};
    for (const DimensionCodes& part : clause.any) columns |= columnsOfPart(part);
  }
  return columns;
}

ChangeList::ChangeList(const std::string& path, uint64_t offset, uint64_t count, uint32_t crc32c)
    : mapping_(Mapping::open(path)), count_(count) {
  const uint64_t size = mapping_->size();
  if (offset > size || count > (size - offset) / sizeof(Difference)) {
    damaged("the change list is cut off");
  }
  entries_ = mapping_->data() + offset;
  const uint32_t found = peneira::crc32c(entries_, count * sizeof(Difference));
  alive();
  if (found != crc32c) damaged("the entries of the change list have another checksum");
}

void ChangeList::alive() const {
  if (mapping_->poisoned()) damaged("a page of the change list could not be read");
}

Difference ChangeList::at(uint64_t index) const {
  return load<Difference>(entries_ + index * sizeof(Difference));
}

Walked ChangeList::walk(const WalkRequest& request) const {
  if (request.from > request.to || request.to > count_) {
    badArgument("there are no such positions in the change list");
  }
  Walked walked;
  Judge judge(request);
  uint64_t left = request.limit;
  uint64_t index = request.from;
  while (index < request.to) {
    const Difference entry = at(index);
    const ChangeKind kind = judge.of(entry);
    index++;
    if (kind == ChangeKind::kCount) continue;
    const auto number = static_cast<uint32_t>(kind);
    walked.counts[number]++;
    if (request.limit == 0 || (request.kinds >> number & 1) == 0) continue;
    walked.found.insert(walked.found.end(), {static_cast<uint32_t>(index - 1), entry.older,
                                             entry.newer, entry.columns & request.watch, number});
    if (--left == 0) break;
  }
  walked.next = index;
  alive();
  request.older->alive();
  request.newer->alive();
  return walked;
}

}  // namespace peneira
