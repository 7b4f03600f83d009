// Rows across N-API. What comes in: a RenderRequest or field names of engine.ts. What goes out: a
// RowRequest, fields; columns as FieldColumn objects of engine.ts.
// Invariant: every value of a request is read once and copied, so a request that changes while it
// is read cannot become another one.
#pragma once
#include "napi/values/values.h"
#include "render/field_columns.h"
#include "render/rows.h"

namespace peneira {

// Fields by name; throws INVALID_ARGUMENT for an unknown one.
std::vector<Field> readFields(const Given& names);

// What a RenderRequest says. Lone surrogates in texts of further columns become U+FFFD, as in
// everything that leaves JavaScript as UTF-8.
RowRequest readRowRequest(const Given& object);

// A column of a Parquet file with its name.
struct NamedColumn {
  std::string name;
  FieldColumn column;
};

// An array of FieldColumn objects, with copies of their buffers; how many are missing is counted.
std::vector<NamedColumn> readColumns(const Given& columns);

// A FieldColumn with copies of the buffers.
napi_value fromFieldColumn(napi_env env, Field field, const FieldColumn& column);

}  // namespace peneira
