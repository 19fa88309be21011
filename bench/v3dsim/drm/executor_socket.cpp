#include "v3dsim/drm/executor_socket.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "base/error.h"

namespace sidecore::v3dsim {
namespace {

struct JobRequest {
  std::uint32_t config[7];
  std::uint32_t indirect;
  std::uint32_t range_count;
  std::uint32_t shader_bytes;
  std::uint32_t wants_record;
};

enum class Outcome : std::uint32_t { done, fault, failed };

struct Reply {
  Outcome outcome;
  std::uint32_t fault_kind;
  std::uint32_t fault_address;
  std::uint32_t fault_has_address;
  std::int64_t modelled_ns;
  std::uint64_t text_bytes;
  std::uint64_t record_bytes;
  CounterValues counters;
};

constexpr std::uint32_t kMaxRanges = 1U << 20;
constexpr std::uint32_t kMaxShaderBytes = 1U << 16;

void send_all(int socket, const void* data, std::size_t bytes) {
  const auto* at = static_cast<const char*>(data);
  while (bytes != 0) {
    const ssize_t sent = send(socket, at, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) throw errno_error(ErrorKind::environment, "the executor process is gone", errno);
    at += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
}

/// Receives `bytes` bytes. Returns false if the other end closed the socket before the first one.
bool receive_all(int socket, void* data, std::size_t bytes) {
  auto* at = static_cast<char*>(data);
  for (std::size_t have = 0; have < bytes;) {
    const ssize_t got = recv(socket, at + have, bytes - have, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0 && have == 0) return false;
    if (got <= 0) throw environment_error("the executor's socket broke in the middle of a message");
    have += static_cast<std::size_t>(got);
  }
  return true;
}

/// Receives a message's text of `bytes` bytes, the length that its head gave.
std::string receive_text(int socket, std::size_t bytes) {
  std::string text(bytes, '\0');
  if (!text.empty() && !receive_all(socket, text.data(), text.size())) {
    throw environment_error("the executor's socket broke in the middle of a message");
  }
  return text;
}

/// Message of one byte that carries a file descriptor.
struct DescriptorMessage {
  char byte = 'm';
  iovec vector{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header{};

  DescriptorMessage() {
    header.msg_iov = &vector;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
  }
  DescriptorMessage(const DescriptorMessage&) = delete;
  DescriptorMessage& operator=(const DescriptorMessage&) = delete;
};

void send_descriptor(int socket, int descriptor) {
  DescriptorMessage message;
  cmsghdr* const control = CMSG_FIRSTHDR(&message.header);
  control->cmsg_level = SOL_SOCKET;
  control->cmsg_type = SCM_RIGHTS;
  control->cmsg_len = CMSG_LEN(sizeof descriptor);
  std::memcpy(CMSG_DATA(control), &descriptor, sizeof descriptor);
  if (sendmsg(socket, &message.header, MSG_NOSIGNAL) != 1) {
    throw errno_error(ErrorKind::environment, "cannot hand the memory to the executor", errno);
  }
}

/// Receives a descriptor; nothing if the other end closed the socket without asking for a job.
std::optional<int> receive_descriptor(int socket) {
  DescriptorMessage message;
  const ssize_t got = recvmsg(socket, &message.header, MSG_CMSG_CLOEXEC);
  if (got == 0) return std::nullopt;
  const cmsghdr* const control = got == 1 ? CMSG_FIRSTHDR(&message.header) : nullptr;
  if (control == nullptr || control->cmsg_type != SCM_RIGHTS) {
    throw environment_error("the device did not hand over its memory");
  }
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(control), sizeof descriptor);
  return descriptor;
}

class MappedFile {
 public:
  explicit MappedFile(int descriptor) {
    void* const mapping = mmap(nullptr, AddressSpace::kSize, PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_NORESERVE, descriptor, 0);
    const int cause = errno;
    close(descriptor);
    if (mapping == MAP_FAILED) {
      throw errno_error(ErrorKind::environment, "cannot map the device's memory", cause);
    }
    base_ = static_cast<std::byte*>(mapping);
  }
  ~MappedFile() { munmap(base_, AddressSpace::kSize); }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::byte* base() const { return base_; }

 private:
  std::byte* base_;
};

bool receive_job(int socket, CsdJob& job) {
  JobRequest request{};
  if (!receive_all(socket, &request, sizeof request)) return false;
  if (request.range_count > kMaxRanges || request.shader_bytes > kMaxShaderBytes)
    throw environment_error("the device sent a message that violates the protocol");
  std::copy(std::begin(request.config), std::end(request.config), job.words.config.begin());
  job.words.indirect = request.indirect != 0;
  job.wants_record = request.wants_record != 0;
  job.memory.resize(request.range_count);
  if (!job.memory.empty() &&
      !receive_all(socket, job.memory.data(), job.memory.size() * sizeof(BufferRange))) {
    return false;
  }
  job.shader = receive_text(socket, request.shader_bytes);
  return true;
}

void answer(int socket, ExecutorRunner& runner, const CsdJob& job, std::byte* base) {
  Reply reply{};
  std::string text;
  std::string record;
  try {
    CsdResult result = runner.run(job, base);
    reply.modelled_ns = result.modelled.count();
    reply.counters = result.counters;
    text = std::move(result.summary);
    if (job.wants_record) record = std::move(result.record);
  } catch (const Fault& fault) {
    reply.outcome = Outcome::fault;
    reply.fault_kind = static_cast<std::uint32_t>(fault.kind());
    reply.fault_address = fault.address().value_or(0);
    reply.fault_has_address = fault.address() ? 1 : 0;
    text = fault.what();
  } catch (const std::exception& error) {
    reply.outcome = Outcome::failed;
    text = error.what();
  }
  reply.text_bytes = text.size();
  reply.record_bytes = record.size();
  send_all(socket, &reply, sizeof reply);
  send_all(socket, text.data(), text.size());
  send_all(socket, record.data(), record.size());
}

}  // namespace

RemoteRunner::RemoteRunner(int socket, const AddressSpace& memory) : socket_(socket) {
  send_descriptor(socket, memory.descriptor());
}

CsdResult RemoteRunner::run(const CsdJob& job, const AddressSpace&) {
  JobRequest request{};
  std::copy(job.words.config.begin(), job.words.config.end(), std::begin(request.config));
  request.indirect = job.words.indirect ? 1 : 0;
  request.range_count = static_cast<std::uint32_t>(job.memory.size());
  request.shader_bytes = static_cast<std::uint32_t>(job.shader.size());
  request.wants_record = job.wants_record ? 1 : 0;
  send_all(socket_, &request, sizeof request);
  send_all(socket_, job.memory.data(), job.memory.size() * sizeof(BufferRange));
  send_all(socket_, job.shader.data(), job.shader.size());

  Reply reply{};
  if (!receive_all(socket_, &reply, sizeof reply)) {
    throw environment_error("the executor process is gone");
  }
  const std::string text = receive_text(socket_, reply.text_bytes);
  if (reply.outcome == Outcome::fault) {
    throw Fault(static_cast<FaultKind>(reply.fault_kind), text,
                reply.fault_has_address != 0 ? std::optional(reply.fault_address) : std::nullopt);
  }
  if (reply.outcome == Outcome::failed) throw Error(ErrorKind::environment, text);
  return {Nanoseconds{reply.modelled_ns}, text, receive_text(socket_, reply.record_bytes),
          reply.counters};
}

void serve_jobs(int socket, ExecutorRunner& runner) {
  const auto descriptor = receive_descriptor(socket);
  if (!descriptor) return;
  const MappedFile memory(*descriptor);
  for (CsdJob job; receive_job(socket, job);) answer(socket, runner, job, memory.base());
}

}  // namespace sidecore::v3dsim
