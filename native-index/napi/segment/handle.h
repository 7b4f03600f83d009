// The JavaScript object of an opened snapshot (NativeSegment in engine.ts), and calls of its
// methods. Output: copies of row ids and bytes, or a JavaScript error.
// Invariant: every method goes through `begin`, so no check can be forgotten. Each call retains the
// segment, so close() never unmaps it during a call. Each call checks the file before it returns,
// so zeros of a lost page are never served.
#pragma once
#include <node_api.h>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "format/blocks/mapping.h"
#include "format/region/region.h"
#include "napi/values/values.h"
#include "query/clauses/rowlist.h"
#include "query/facets/facets.h"
#include "query/kernel/kernel.h"
#include "query/orders/select.h"
#include "query/segment/segment.h"
#include "render/fields.h"
#include "render/rows.h"

namespace peneira {

// State of a NativeSegment; the segment is empty after close().
struct Handle {
  std::shared_ptr<Segment> segment;
  Work work;
};

// Returns the handle inside an object of this addon. Throws INVALID_ARGUMENT for any other object.
Handle& handleOf(const Given& object);

// Returns the segment of a handle. Throws SNAPSHOT_CLOSED after close().
std::shared_ptr<Segment> openOf(const Handle& handle);

// Returns the segment of a NativeSegment. Throws INVALID_ARGUMENT for another object, and
// SNAPSHOT_CLOSED for a closed one.
std::shared_ptr<Segment> segmentOf(const Given& object);

// Runs `body(handle, segment, arguments)` on an open segment.
template <class Body>
napi_value begin(napi_env env, napi_callback_info info, Body body) {
  return guarded(env, [&]() -> napi_value {
    const Arguments arguments(env, info);
    Handle& handle = handleOf(arguments.self());
    const std::shared_ptr<Segment> segment = openOf(handle);
    return body(handle, segment, arguments);
  });
}

// Like `begin`, but also checks the file afterwards, because the body may have read zeros from a
// lost page. Methods that return a promise do not use this: their thread checks the file, and the
// promise rejects.
template <class Body>
napi_value call(napi_env env, napi_callback_info info, Body body) {
  return begin(env, info, [&](Handle& handle, const auto& segment, const Arguments& arguments) {
    const napi_value result = body(handle, segment, arguments);
    segment->alive();
    return result;
  });
}

// Returns a promise for the result of `compute`. The segment stays open until the promise settles.
template <class Compute>
napi_value overSegment(napi_env env, const std::shared_ptr<Segment>& segment, Compute compute) {
  return computeAsync(env, "peneira.aside", [segment, compute = std::move(compute)]() -> Give {
    Give give = compute(*segment);
    segment->alive();
    return give;
  });
}

// Names and functions of the NativeSegment methods that are defined outside of handle.cc.
// Invariant: native-index/napi/handles.ts declares and documents each method.

using NamedMethod = std::pair<const char*, napi_callback>;

// Methods that render rows for files: rows.cc.
std::span<const NamedMethod> rowMethods();
// Methods that enrich records of a CSV file: enrichment.cc.
std::span<const NamedMethod> enrichmentMethods();
// Methods that find accounts by a partial name, company, district, e-mail, or phone: find.cc.
std::span<const NamedMethod> findMethods();
// Methods that convert list entries to rows and back: find.cc.
std::span<const NamedMethod> listMethods();
// Methods that check the file and report its state: verify.cc.
std::span<const NamedMethod> verifyMethods();

// Conversions between JavaScript and C++: work, pages, counts of facets, locations in a snapshot
// file, and the state of the file.
// Invariant: nothing here touches a mapping; JavaScript values are validated, and named in errors;
// no number is truncated.

// Convert Work, Selection, and the counts of facets to the types in handles.ts.
napi_value fromWork(napi_env env, const Work& work);
napi_value fromPage(napi_env env, const Page& page, const Work& work);
napi_value fromCounts(napi_env env, const std::vector<FacetCounts>& counts);

// Returns a reader of an encoded request: the numbers and the lists of rows that are the first two
// arguments of a method.
QueryReader readerOf(const Arguments& arguments, RequestKinds::Number kind);
// Reads a request that consists of a query alone.
Query readQuery(const Arguments& arguments);

// Returns the facets with these names. Throws INVALID_ARGUMENT if a name is unknown.
std::vector<Facet> readFacets(const Given& names);
// Returns the output fields with these names. Throws INVALID_ARGUMENT if a name is unknown.
std::vector<Field> readFields(const Given& names);
// Reads a RowsRequest of handles.ts. Defined in rows.cc.
RowRequest readRowRequest(const Given& object);

// Render buffers above this size are freed after the call. A block of spreadsheet rows takes 2 MB,
// so the buffer for it is kept.
constexpr size_t kRetainedBytes = 1u << 22;

// Returns the bytes that `render` appends to a reused buffer. If they fit into `buffer`, copies
// them there and returns their length.
template <class Render>
napi_value fromRendered(napi_env env, std::span<uint8_t> buffer, Render render) {
  thread_local TextBuffer text;
  text.clear();
  render(text);
  const std::string_view made = text.text();
  if (!buffer.empty() && made.size() <= buffer.size()) {
    std::memcpy(buffer.data(), made.data(), made.size());
    return fromNumber(env, static_cast<double>(made.size()));
  }
  const napi_value bytes = fromBytes(env, made);
  if (text.capacity() > kRetainedBytes) text.release();
  return bytes;
}

template <class Render>
napi_value fromRendered(napi_env env, Render render) {
  return fromRendered(env, {}, render);
}

DirectoryLocation readLocation(const Given& object);
napi_value fromFileState(napi_env env, const FileState& state);

// Lists of rows as JavaScript objects: a portable Roaring bitmap becomes an object that clauses can
// use. find.cc also converts list entries.
// Invariant: an object always represents the same list.

// Creates the object that represents a list in clauses.
napi_value fromRowList(napi_env env, std::shared_ptr<const RowList> list);

// Returns the list of an object from openRowList. Throws for other objects.
std::shared_ptr<const RowList> rowListOf(const Given& object);

}  // namespace peneira
