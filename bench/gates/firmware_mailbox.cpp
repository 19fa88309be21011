#include "gates/firmware_mailbox.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace sidecore::gates {

bool exchange_with_firmware(const std::filesystem::path& device, std::span<std::uint32_t> message) {
  const int descriptor = ::open(device.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return false;
  // _IOWR(100, 0, char*) is the driver's ioctl for property messages.
  const bool answered = ::ioctl(descriptor, _IOWR(100, 0, char*), message.data()) >= 0;
  ::close(descriptor);
  return answered;
}

}  // namespace sidecore::gates
