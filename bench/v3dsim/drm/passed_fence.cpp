#include "v3dsim/drm/passed_fence.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.h"

namespace sidecore::v3dsim {

PassedFence::PassedFence() : descriptor_(memfd_create("v3dsim-fence", MFD_CLOEXEC)) {
  struct stat status {};
  if (descriptor_ < 0 || fstat(descriptor_, &status) != 0) {
    throw errno_error(ErrorKind::environment, "cannot create a memory file", errno);
  }
  device_id_ = status.st_dev;
  inode_ = status.st_ino;
}

PassedFence::~PassedFence() {
  close(descriptor_);
}

int PassedFence::duplicate() const {
  return fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
}

bool PassedFence::owns(int descriptor) const {
  struct stat status {};
  const int cause = errno;
  const bool known = fstat(descriptor, &status) == 0;
  errno = cause;
  return known && status.st_dev == device_id_ && status.st_ino == inode_;
}

}  // namespace sidecore::v3dsim
