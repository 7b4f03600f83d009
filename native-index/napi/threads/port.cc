// Listening ports whose connections are distributed to worker threads, round robin. Input: an
// address, and a taker function per thread. Output: the descriptor of each connection.
// Invariant: every accepted connection goes to one taker or is closed. Each of N takers gets 1/N of
// them, plus or minus one connection. A taker gets all of its connections before the signal that
// the port is closed.
// Linux itself can share a port among threads (SO_REUSEPORT), but it distributes connections by
// hash. With 16 persistent connections, the busier of two threads then has 60% of them. Closing one
// of the sockets also resets the connections in its queue.
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "napi/values/values.h"

namespace peneira {
namespace {

// Length of the accept queue; Linux caps it at net.core.somaxconn.
constexpr int WAITING_MAX = 512;
// Pause before a retry if the process lacks a descriptor or memory for a connection.
constexpr auto SHORTAGE_PAUSE = std::chrono::milliseconds(20);
// Value passed instead of a descriptor to signal that the port is closed.
constexpr intptr_t CLOSED = -1;

// Runs on the taker's thread; if `env` is null, that thread is ending.
void handOver(napi_env env, napi_value taker, void*, void* data) {
  const auto descriptor = reinterpret_cast<intptr_t>(data);
  if (env == nullptr || taker == nullptr) {
    if (descriptor >= 0) close(static_cast<int>(descriptor));
    return;
  }
  napi_value number = nullptr;
  napi_value receiver = nullptr;
  if (napi_create_int64(env, descriptor, &number) != napi_ok) return;
  if (napi_get_undefined(env, &receiver) != napi_ok) return;
  // If the taker throws, the exception becomes an uncaught exception of its thread.
  static_cast<void>(napi_call_function(env, receiver, taker, 1, &number, nullptr));
}

// An open port and its takers.
class Port {
 public:
  explicit Port(int descriptor) : descriptor_(descriptor) {
    if (pipe(ending_) != 0) throw Failure("INTERNAL", "pipe failed");
    accepting_ = std::thread([this]() { accept(); });
  }

  ~Port() {
    stop();
    close(ending_[0]);
    close(ending_[1]);
  }
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  void add(uint32_t id, napi_threadsafe_function taker) {
    const std::lock_guard<std::mutex> lock(mutex_);
    takers_.push_back({id, taker});
    if (takers_.size() > 1) return;
    for (const int waiting : early_) give(waiting);
    early_.clear();
  }

  // Removes a taker whose thread is ending.
  void forget(uint32_t id) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::erase_if(takers_, [id](const Taker& taker) { return taker.id == id; });
  }

  // Stops accepting, and signals the end to the takers after their last connection.
  void stop() {
    if (!accepting_.joinable()) return;
    const char one = 1;
    static_cast<void>(!write(ending_[1], &one, 1));
    accepting_.join();
    close(descriptor_);
    const std::lock_guard<std::mutex> lock(mutex_);
    while (!takers_.empty()) dismiss(takers_.begin());
    for (const int waiting : early_) close(waiting);
    early_.clear();
  }

 private:
  struct Taker {
    uint32_t id;
    napi_threadsafe_function call;
  };

  void dismiss(std::vector<Taker>::iterator taker) {
    void* const closed = reinterpret_cast<void*>(CLOSED);
    napi_call_threadsafe_function(taker->call, closed, napi_tsfn_nonblocking);
    napi_release_threadsafe_function(taker->call, napi_tsfn_release);
    takers_.erase(taker);
    next_ = 0;
  }

  // Requires the lock.
  void give(int connection) {
    while (!takers_.empty()) {
      next_ = next_ % takers_.size();
      const auto taker = takers_.begin() + static_cast<std::ptrdiff_t>(next_);
      void* const data = reinterpret_cast<void*>(static_cast<intptr_t>(connection));
      if (napi_call_threadsafe_function(taker->call, data, napi_tsfn_nonblocking) == napi_ok) {
        next_++;
        return;
      }
      // The taker's function can no longer be called, so the taker is removed.
      takers_.erase(taker);
    }
    early_.push_back(connection);
  }

  void accept() {
    for (;;) {
      pollfd watched[] = {{descriptor_, POLLIN, 0}, {ending_[0], POLLIN, 0}};
      if (poll(watched, 2, -1) < 0 && errno != EINTR) return;
      takeAll();
      if (watched[1].revents != 0) return;
    }
  }

  // Accepts all pending connections.
  void takeAll() {
    for (;;) {
      const int connection = accepted();
      if (connection >= 0) {
        const std::lock_guard<std::mutex> lock(mutex_);
        give(connection);
      } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        std::this_thread::sleep_for(SHORTAGE_PAUSE);
        return;
      } else if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EBADF || errno == EINVAL) {
        return;
      }
    }
  }

  int accepted() const {
#ifdef __linux__
    return accept4(descriptor_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
#else
    const int connection = ::accept(descriptor_, nullptr, nullptr);
    if (connection < 0) return connection;
    fcntl(connection, F_SETFL, fcntl(connection, F_GETFL) | O_NONBLOCK);
    fcntl(connection, F_SETFD, FD_CLOEXEC);
    const int one = 1;
    setsockopt(connection, SOL_SOCKET, SO_NOSIGPIPE, &one, sizeof one);
    return connection;
#endif
  }

  const int descriptor_;
  int ending_[2] = {-1, -1};
  std::thread accepting_;
  std::mutex mutex_;
  std::vector<Taker> takers_;
  // Index of the taker that gets the next connection.
  size_t next_ = 0;
  // Connections accepted while there was no taker.
  std::vector<int> early_;
};

// The open ports of the process. Never destroyed, because threads may still accept at process exit.
std::mutex& portsMutex = *new std::mutex;
auto& ports = *new std::map<uint32_t, std::shared_ptr<Port>>;
uint32_t lastPort = 0;
uint32_t lastTaker = 0;

std::shared_ptr<Port> portOf(const Given& id) {
  const uint32_t wanted = id.whole32();
  const std::lock_guard<std::mutex> lock(portsMutex);
  const auto found = ports.find(wanted);
  return found == ports.end() ? nullptr : found->second;
}

struct FreeAddresses {
  void operator()(addrinfo* found) const { freeaddrinfo(found); }
};

// Returns the addresses of a name. IPv6 is first, because its wildcard address accepts IPv4 as
// well.
std::vector<const addrinfo*> inOrder(const addrinfo* found) {
  std::vector<const addrinfo*> order;
  for (const int family : {AF_INET6, AF_INET}) {
    for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
      if (one->ai_family == family) order.push_back(one);
    }
  }
  return order;
}

// Returns a socket listening at an address, or a negative errno.
int listenAt(const addrinfo& address) {
  const int descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol);
  if (descriptor < 0) return -errno;
  const int yes = 1;
  const int no = 0;
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (address.ai_family == AF_INET6) {
    setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  }
  if (bind(descriptor, address.ai_addr, address.ai_addrlen) == 0 &&
      listen(descriptor, WAITING_MAX) == 0) {
    return descriptor;
  }
  const int reason = errno;
  close(descriptor);
  return -reason;
}

uint16_t numberOf(int descriptor) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &length) != 0) return 0;
  // The port is at the same offset in the addresses of both families.
  return ntohs(reinterpret_cast<sockaddr_in*>(&address)->sin_port);
}

// openPort(host, port): [id, port number], or null if the address is unavailable.
napi_value openPort(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    const std::string host = arguments.at(0, "host").text();
    const std::string number = std::to_string(arguments.at(1, "port").whole32(UINT16_MAX));
    addrinfo wanted{};
    wanted.ai_flags = AI_PASSIVE;
    wanted.ai_family = AF_UNSPEC;
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* list = nullptr;
    if (getaddrinfo(host.c_str(), number.c_str(), &wanted, &list) != 0) return fromNull(env);
    const std::unique_ptr<addrinfo, FreeAddresses> found(list);
    for (const addrinfo* const address : inOrder(found.get())) {
      const int descriptor = listenAt(*address);
      // A system without IPv6 still resolves names to IPv6 addresses.
      if (descriptor == -EAFNOSUPPORT || descriptor == -EADDRNOTAVAIL) continue;
      if (descriptor < 0) return fromNull(env);
      const std::lock_guard<std::mutex> lock(portsMutex);
      ports[++lastPort] = std::make_shared<Port>(descriptor);
      const double opened[] = {static_cast<double>(lastPort),
                               static_cast<double>(numberOf(descriptor))};
      return fromDoubles(env, opened);
    }
    return fromNull(env);
  });
}

// Data for the hook that runs when a taker's thread ends. The thread may end at any time.
struct Leaving {
  std::shared_ptr<Port> port;
  uint32_t id = 0;
  bool ended = false;
};

void closeIfConnection(uv_handle_t* handle, void*) {
  if (handle->type != UV_POLL || uv_is_closing(handle) != 0) return;
  uv_os_fd_t descriptor = -1;
  const bool isOpen = uv_fileno(handle, &descriptor) == 0;
  uv_close(handle, nullptr);
  if (isOpen) close(descriptor);
}

// Closes the connections that a thread still has when it ends (because it was killed or ran out of
// memory). uWebSockets.js leaves them open, and Node aborts if a loop has open handles
// (uv_loop_close in node::worker::Worker::Run). The polls need only be closed here, because their
// memory is freed with the thread.
void closeConnections(void* data) {
  auto* const loop = static_cast<uv_loop_t*>(data);
  uv_walk(loop, closeIfConnection, nullptr);
  uv_run(loop, UV_RUN_NOWAIT);
}

// Makes this thread close its connections at its end, even if its port is closed before. On the
// main thread, process exit closes them.
void closeConnectionsAtEnd(napi_env env) {
  thread_local bool isSet = false;
  uv_loop_t* loop = nullptr;
  check(env, napi_get_uv_event_loop(env, &loop));
  if (isSet || loop == uv_default_loop()) return;
  check(env, napi_add_env_cleanup_hook(env, closeConnections, loop));
  isSet = true;
}

// Runs before Node frees the taker's function. Other threads may still be calling that function.
void threadEnds(void* data) {
  auto* const leaving = static_cast<Leaving*>(data);
  leaving->ended = true;
  leaving->port->forget(leaving->id);
}

void takerIsOver(napi_env env, void* data, void*) {
  const std::unique_ptr<Leaving> leaving(static_cast<Leaving*>(data));
  if (!leaving->ended) napi_remove_env_cleanup_hook(env, threadEnds, leaving.get());
}

// acceptConnections(port, taker): false if the port is closed. The taker is called with the
// descriptor of each connection, and with -1 after the last one.
napi_value acceptConnections(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    const std::shared_ptr<Port> port = portOf(arguments.at(0, "port"));
    if (port == nullptr) return fromBool(env, false);
    auto leaving = std::make_unique<Leaving>();
    leaving->port = port;
    closeConnectionsAtEnd(env);
    napi_threadsafe_function call = nullptr;
    check(env, napi_create_threadsafe_function(env, arguments.at(1, "taker").value(), nullptr,
                                               fromText(env, "connections"), 0, 1, leaving.get(),
                                               takerIsOver, nullptr, handOver, &call));
    Leaving* const retained = leaving.release();  // the function owns it from here on
    {
      const std::lock_guard<std::mutex> lock(portsMutex);
      retained->id = ++lastTaker;
    }
    // Hooks run in reverse order of registration, so this hook runs before the hook of the
    // thread-safe function.
    check(env, napi_add_env_cleanup_hook(env, threadEnds, retained));
    port->add(retained->id, call);
    return fromBool(env, true);
  });
}

napi_value closePort(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    const std::shared_ptr<Port> port = portOf(arguments.at(0, "port"));
    if (port == nullptr) return fromUndefined(env);
    {
      const std::lock_guard<std::mutex> lock(portsMutex);
      std::erase_if(ports, [&](const auto& entry) { return entry.second == port; });
    }
    port->stop();
    return fromUndefined(env);
  });
}

}  // namespace

void registerPorts(napi_env env, napi_value exports) {
  putFunction(env, exports, "openPort", openPort);
  putFunction(env, exports, "acceptConnections", acceptConnections);
  putFunction(env, exports, "closePort", closePort);
}

}  // namespace peneira
