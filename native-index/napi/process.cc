// System calls that Node lacks. They disable core files, drain a port, limit and measure socket
// buffers, and remove a file that no process has mapped. Draining a port accepts its queued
// connections and refuses new ones.
// Invariant: only sockets of this process that listen at the port are touched.
#include "napi/values/values.h"

#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "format/blocks/mapping.h"

#ifdef __linux__
#include <dirent.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#endif

namespace peneira {
namespace {

// A limit of one byte disables cores, because no core is that small. At limit 0, Linux would still
// pipe cores to a collecting program (core(5), do_coredump in fs/coredump.c).
constexpr rlim_t CORE_BYTES = 1;

// limitCores(): the new size limit of a core file.
napi_value limitCores(napi_env env, napi_callback_info) {
  return guarded(env, [&]() {
    rlimit limit{};
    if (getrlimit(RLIMIT_CORE, &limit) != 0) throw Failure("INTERNAL", "getrlimit failed");
    limit.rlim_cur = std::min(limit.rlim_max, CORE_BYTES);
    limit.rlim_max = limit.rlim_cur;
    if (setrlimit(RLIMIT_CORE, &limit) != 0) throw Failure("INTERNAL", "setrlimit failed");
    return fromNumber(env, static_cast<double>(limit.rlim_cur));
  });
}

#ifdef __linux__

bool listensAt(int descriptor, uint16_t port) {
  int listening = 0;
  socklen_t length = sizeof listening;
  if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listening, &length) != 0) return false;
  if (listening == 0) return false;
  sockaddr_storage address{};
  length = sizeof address;
  if (getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &length) != 0) return false;
  // The port is at the same offset in the addresses of both families.
  const bool internet = address.ss_family == AF_INET || address.ss_family == AF_INET6;
  return internet && reinterpret_cast<sockaddr_in*>(&address)->sin_port == htons(port);
}

std::vector<int> listenersAt(uint16_t port) {
  std::vector<int> found;
  DIR* const folder = opendir("/proc/self/fd");
  if (folder == nullptr) return found;
  while (const dirent* const entry = readdir(folder)) {
    if (entry->d_name[0] == '.') continue;
    const int descriptor = std::atoi(entry->d_name);
    if (listensAt(descriptor, port)) found.push_back(descriptor);
  }
  closedir(folder);
  return found;
}

// Drops new connection requests (SYN without ACK) and passes everything else, including the last
// step of a handshake. For a TCP socket, byte 0 is the start of the TCP header.
bool dropNewConnections(int descriptor) {
  constexpr uint32_t flagsByte = 13;
  constexpr uint32_t synAndAck = 0x12;
  constexpr uint32_t syn = 0x02;
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_B | BPF_ABS, flagsByte),
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, synAndAck),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, syn, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, 0),
      BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
  };
  const sock_fprog filter{static_cast<unsigned short>(std::size(program)), program};
  return setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) == 0;
}

bool refuseNewConnections(uint16_t port) {
  const std::vector<int> listeners = listenersAt(port);
  return !listeners.empty() && std::ranges::all_of(listeners, dropNewConnections);
}

// For a listening socket, TCP_INFO contains the length of its queue (tcp_get_info in
// net/ipv4/tcp.c).
uint32_t queuedConnections(uint16_t port) {
  uint32_t waiting = 0;
  for (const int descriptor : listenersAt(port)) {
    tcp_info seen{};
    socklen_t length = sizeof seen;
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &seen, &length) != 0) continue;
    waiting += seen.tcpi_unacked;
  }
  return waiting;
}

// Connections inherit the limit of their listening socket (tcp_create_openreq_child in
// net/ipv4/tcp_minisocks.c). The kernel doubles the number, for its own overhead, so unread data
// stays below the double (socket(7)).
bool limitReceiveBuffer(uint16_t port, int bytes) {
  const std::vector<int> listeners = listenersAt(port);
  return !listeners.empty() && std::ranges::all_of(listeners, [bytes](int descriptor) {
    return setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes) == 0;
  });
}

uint32_t unsentBytes(int descriptor) {
  int bytes = 0;
  return ioctl(descriptor, SIOCOUTQ, &bytes) == 0 ? static_cast<uint32_t>(bytes) : 0;
}

#else

bool refuseNewConnections(uint16_t) { return false; }
uint32_t queuedConnections(uint16_t) { return 0; }
bool limitReceiveBuffer(uint16_t, int) { return false; }
uint32_t unsentBytes(int) { return 0; }

#endif

uint16_t portOf(const Arguments& arguments) {
  return static_cast<uint16_t>(arguments.at(0, "port").integer(1, UINT16_MAX));
}

// refuseNewConnections(port): true if new connections are dropped from now on.
napi_value refuseNewConnectionsFor(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    return fromBool(env, refuseNewConnections(portOf(arguments)));
  });
}

// queuedConnections(port): returns the number of established connections that are not accepted yet.
napi_value queuedConnectionsFor(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    return fromNumber(env, queuedConnections(portOf(arguments)));
  });
}

// limitReceiveBuffer(port, bytes): true if future connections are limited.
napi_value limitReceiveBufferFor(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    const int64_t bytes = arguments.at(1, "bytes").integer(1, INT32_MAX / 2);
    return fromBool(env, limitReceiveBuffer(portOf(arguments), static_cast<int>(bytes)));
  });
}

// unsentBytes(descriptor): returns how many bytes written to a socket its peer has not received.
napi_value unsentBytesFor(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    const int64_t descriptor = arguments.at(0, "descriptor").integer(-1, INT32_MAX);
    return fromNumber(env, unsentBytes(static_cast<int>(descriptor)));
  });
}

const char* wordFor(Removal removal) {
  switch (removal) {
    case Removal::kRemoved: return "removed";
    case Removal::kRead: return "read";
    case Removal::kUnknown: return "unknown";
  }
  return "unknown";
}

// removeIfUnused(path): the result as a word.
napi_value removeIfUnusedAt(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    return fromText(env, wordFor(removeIfUnused(arguments.at(0, "path").text())));
  });
}

}  // namespace

void registerProcess(napi_env env, napi_value exports) {
  putFunction(env, exports, "limitCores", limitCores);
  putFunction(env, exports, "refuseNewConnections", refuseNewConnectionsFor);
  putFunction(env, exports, "queuedConnections", queuedConnectionsFor);
  putFunction(env, exports, "limitReceiveBuffer", limitReceiveBufferFor);
  putFunction(env, exports, "unsentBytes", unsentBytesFor);
  putFunction(env, exports, "removeIfUnused", removeIfUnusedAt);
}

}  // namespace peneira
