// The parts of the addon, each of which adds its functions to the exports. Input: the exports
// object of the addon. Output: functions on it, with the signatures of engine.ts.
// Invariant: no C++ exception leaves a callback; each becomes a JavaScript error.
#pragma once
#include <node_api.h>

namespace peneira {

// Adds openSegment: napi/segment/handle.cc.
void registerSegment(napi_env env, napi_value exports);
// Adds openRowList, rowListBytes and sortEntriesAside: napi/segment/lists.cc.
void registerRowLists(napi_env env, napi_value exports);
// Adds differences and openChanges: napi/segment/changes.cc.
void registerChanges(napi_env env, napi_value exports);
// Adds createBatch and createRange: napi/import/batch.cc.
void registerBatch(napi_env env, napi_value exports);
// Adds rankRecords, buildIndex, analyze, crc32c, sha256, columnsFingerprint and columnNames:
// napi/import/build.cc.
void registerBuild(napi_env env, napi_value exports);
// Adds openScan, releaseExtents, joinPartition, samplePartition and countShared:
// napi/import/passes.cc.
void registerPasses(napi_env env, napi_value exports);
// Adds the functions about limits, listening sockets and files that are read: napi/process.cc.
void registerProcess(napi_env env, napi_value exports);
// Adds openPort, takeConnections and closePort: napi/threads/port.cc.
void registerPorts(napi_env env, napi_value exports);
// Adds the functions about ledgers: napi/threads/ledgers.cc.
void registerLedgers(napi_env env, napi_value exports);

}  // namespace peneira
