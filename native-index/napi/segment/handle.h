// The JavaScript object of an opened snapshot (NativeSegment in engine.ts), and calls of its
// methods. Input: calls from one JavaScript thread, a method as a function of its handle, the open
// segment and the arguments. Output: copies of row ids and bytes, or the error as JavaScript's.
// Invariant: `begin` is the one way in, so that no method can forget a check. Every call holds the
// segment while it runs, so close() never unmaps under it; every call asks at its end whether the
// file is still whole, so zeros of a lost page are never served.
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

namespace peneira {

// What a NativeSegment holds; the segment is empty after close().
struct Handle {
  std::shared_ptr<Segment> segment;
  Work work;
};

// The handle behind an object of ours; throws INVALID_ARGUMENT for another object.
Handle& handleOf(const Given& object);

// Its segment; throws SNAPSHOT_CLOSED where there is none any more.
std::shared_ptr<Segment> openOf(const Handle& handle);

// The segment behind a NativeSegment; throws INVALID_ARGUMENT for another object and
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

// As `begin`, and checks the file afterwards: what was read may be zeros of a lost page. Not for
// what gives a promise: its thread may find damage first, and the promise says so.
template <class Body>
napi_value call(napi_env env, napi_callback_info info, Body body) {
  return begin(env, info, [&](Handle& handle, const auto& segment, const Arguments& arguments) {
    const napi_value result = body(handle, segment, arguments);
    segment->alive();
    return result;
  });
}

// Promise of what `compute` finds over the segment, which stays open until then.
template <class Compute>
napi_value overSegment(napi_env env, const std::shared_ptr<Segment>& segment, Compute compute) {
  return computeAside(env, "peneira.aside", [segment, compute = std::move(compute)]() -> Give {
    Give give = compute(*segment);
    segment->alive();
    return give;
  });
}

// The methods of a NativeSegment that other files than handle.cc make. Input: nothing. Output:
// their names and functions. Invariant: each is in native-index/napi/handles.ts, which says what it
// does.

// A method by its name.
using NamedMethod = std::pair<const char*, napi_callback>;

// The methods that render rows for files: rows.cc.
std::span<const NamedMethod> rowMethods();
// The methods that find accounts by what a person knows of them: a name as far as it is typed, the
// company, a district, an e-mail or a phone: find.cc.
std::span<const NamedMethod> findMethods();
// The methods that turn entries of lists into rows and back: find.cc.
std::span<const NamedMethod> listMethods();
// The methods that check the file, and tell what is known of it: verify.cc.
std::span<const NamedMethod> verifyMethods();

// What goes into and out of the methods of a segment, as JavaScript values. Input: values of either
// side. Output: the same on the other side: work, pages, counts of facets, where the parts of a
// snapshot file lie, and what the system knows of it. Invariant: nothing here touches a mapping;
// what JavaScript gives is checked, and named when it is refused; no number is cut.

// Work, Selection and the counts of facets, as handles.ts has them.
napi_value fromWork(napi_env env, const Work& work);
napi_value fromPage(napi_env env, const Page& page, const Work& work);
napi_value fromCounts(napi_env env, const std::vector<FacetCounts>& counts);

// The numbers of a written request and its lists of rows, the first two arguments of a method.
QueryReader readerOf(const Arguments& arguments, RequestKinds::Number kind);
// A request that is nothing but a query.
Query readQuery(const Arguments& arguments);

// Facets by their names; INVALID_ARGUMENT for one that there is not.
std::vector<Facet> readFacets(const Given& names);
// Output fields by their names; INVALID_ARGUMENT for one that there is not.
std::vector<Field> readFields(const Given& names);

// Rendered bytes above this are not kept for the next call; the rows of a sheet at a time are 2 MB.
constexpr size_t kKeptBytes = 1u << 22;

// Bytes of what `render` appends to a text, whose memory is kept for the next call; or how many
// they are, where they have room in what is lent.
template <class Render>
napi_value fromRendered(napi_env env, std::span<uint8_t> lent, Render render) {
  thread_local TextBuffer text;
  text.clear();
  render(text);
  const std::string_view made = text.text();
  if (!lent.empty() && made.size() <= lent.size()) {
    std::memcpy(lent.data(), made.data(), made.size());
    return fromNumber(env, static_cast<double>(made.size()));
  }
  const napi_value bytes = fromBytes(env, made);
  if (text.capacity() > kKeptBytes) text.release();
  return bytes;
}

template <class Render>
napi_value fromRendered(napi_env env, Render render) {
  return fromRendered(env, {}, render);
}

DirectoryLocation readLocation(const Given& object);
napi_value fromFileState(napi_env env, const FileState& state);

// Lists of rows across N-API: a portable Roaring bitmap as an object that clauses name. Input: a
// list. Output: its object, and the way back; find.cc also has the methods of a NativeSegment that
// turn entries of lists into rows and back. Invariant: an object stands for one list for good.

// The object of a list, which clauses may name.
napi_value fromRowList(napi_env env, std::shared_ptr<const RowList> list);

// The list behind an object that openRowList gave; another one is refused.
std::shared_ptr<const RowList> rowListOf(const Given& object);

}  // namespace peneira
