// Where the parts of a snapshot file lie and what the system knows of it, as JavaScript has them.
// What comes in: DirectoryLocation of handles.ts, or a FileState. What goes out: the C++ struct, or
// the JavaScript object. Invariant: no number is cut; what does not fit is INVALID_ARGUMENT.
#pragma once
#include "format/directory.h"
#include "format/mapping.h"
#include "napi/values.h"

namespace peneira {

DirectoryLocation readLocation(const Given& object);
napi_value fromFileState(napi_env env, const FileState& state);

}  // namespace peneira
