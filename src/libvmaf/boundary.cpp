#include "libvmaf/boundary.h"

#include <cerrno>
#include <exception>
#include <new>

#include "libvmaf/log.h"

namespace sidecore::libvmaf {

int fail_as_thrown() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    log(VMAF_LOG_LEVEL_ERROR, error.what());
    if (error.out_of_memory()) return -ENOMEM;
    return error.kind() == ErrorKind::usage ? -EINVAL : -EIO;
  } catch (const std::bad_alloc&) {
    log(VMAF_LOG_LEVEL_ERROR, "there is not enough memory");
    return -ENOMEM;
  } catch (const std::exception& error) {
    log(VMAF_LOG_LEVEL_ERROR, error.what());
    return -EIO;
  } catch (...) {
    log(VMAF_LOG_LEVEL_ERROR, "an exception of an unknown type");
    return -EIO;
  }
}

}  // namespace sidecore::libvmaf
