# Script: installs BUILD into an empty prefix below WORK. Then it configures, builds and runs SOURCE (on the VP9 file CLIP)
# with only that prefix. CONFIGURE holds the options that name the compiler. EMULATOR runs the programs if this machine
# cannot.
function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "failed (${status}): ${command}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
# The shared object with libvmaf's interface; empty if BUILD has none.
file(GLOB libvmaf ${WORK}/prefix/${LIBDIR}/libvmaf.so)
step(${CMAKE_COMMAND} -G Ninja -S ${SOURCE} -B ${WORK}/consumer ${CONFIGURE} -DCMAKE_BUILD_TYPE=Release
  -DLIBVMAF=${libvmaf} -DEXAMPLES=${SOURCE}/../../examples -Dsidecore_DIR=${WORK}/prefix/${LIBDIR}/cmake/sidecore)
step(${CMAKE_COMMAND} --build ${WORK}/consumer)

# Only the C library's headers and those of libvmaf's interface may be installed.
file(GLOB headers RELATIVE ${WORK}/prefix/include ${WORK}/prefix/include/*.h ${WORK}/prefix/include/*/*.h
  ${WORK}/prefix/include/*/*/*.h)
list(SORT headers)
set(expected "sidecore/decoder.h;sidecore/metrics.h;sidecore/sidecore.h;sidecore/vulkan.h")
if(libvmaf)
  set(expected "libvmaf/feature.h;libvmaf/libvmaf.h;libvmaf/model.h;libvmaf/picture.h;libvmaf/version.h;${expected}")
endif()
if(NOT headers STREQUAL expected)
  message(FATAL_ERROR "other headers are installed than ${expected}: ${headers}")
endif()

# said_by(FILE PROGRAM...): runs the program, and writes its standard output to FILE.
function(said_by file)
  execute_process(COMMAND ${EMULATOR} ${ARGN} OUTPUT_FILE ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
string(REPLACE ".ivf" ".md5" md5_of_clip ${CLIP})
file(STRINGS ${md5_of_clip} expected_md5)
step(${EMULATOR} ${WORK}/prefix/bin/sidecore decode -q ${CLIP} -o ${WORK}/clip.y4m)
# examples_are_right(FOLDER KIND [CHECKER...]): checks the results of FOLDER/decode_ivfKIND and score_y4mKIND, which run
# under CHECKER.
function(examples_are_right folder kind)
  said_by(${WORK}/clip.yuv ${ARGN} ${folder}/decode_ivf${kind} ${CLIP})
  file(MD5 ${WORK}/clip.yuv md5)
  said_by(${WORK}/scores ${ARGN} ${folder}/score_y4m${kind} ${WORK}/clip.y4m ${WORK}/clip.y4m float_psnr)
  file(STRINGS ${WORK}/scores scores)
  if(NOT md5 STREQUAL expected_md5 OR NOT scores STREQUAL "float_psnr 60.000000")
    message(FATAL_ERROR "${ARGN} ${folder}/*${kind}: ${md5} instead of ${expected_md5}, ${scores}")
  endif()
endfunction()
examples_are_right(${WORK}/consumer "")
examples_are_right(${WORK}/consumer _static)
# libvmaf_is_right(PROGRAM [CHECKER...]): checks the score that PROGRAM prints, which is libvmaf 3.2.0's.
function(libvmaf_is_right program)
  said_by(${WORK}/scores ${ARGN} ${program})
  file(STRINGS ${WORK}/scores scores)
  if(NOT scores STREQUAL "mine 105.294899")
    message(FATAL_ERROR "${ARGN} ${program}: ${scores}")
  endif()
endfunction()
if(libvmaf)
  libvmaf_is_right(${WORK}/consumer/libvmaf_scores)
  # The interface is the one that libvmaf's own headers describe.
  said_by(${WORK}/abi ${WORK}/consumer/libvmaf_abi)
  step(${CMAKE_COMMAND} -E compare_files ${WORK}/abi ${SOURCE}/libvmaf_abi.txt)
endif()
if(NOT EMULATOR)
  # Valgrind must find no error and no leak in the examples.
  find_program(VALGRIND valgrind REQUIRED)
  examples_are_right(${WORK}/consumer "" ${VALGRIND} --quiet --error-exitcode=9 --leak-check=full --show-leak-kinds=all
    --errors-for-leak-kinds=all)
  if(libvmaf)
    libvmaf_is_right(${WORK}/consumer/libvmaf_scores ${VALGRIND} --quiet --error-exitcode=9 --leak-check=full
      --show-leak-kinds=all --errors-for-leak-kinds=all)
  endif()

  # The programs are built with pkg-config, without CMake. The linker prefers the shared object, unless the library's
  # file is named.
  find_program(PKG_CONFIG pkg-config REQUIRED)
  set(ENV{PKG_CONFIG_PATH} ${WORK}/prefix/${LIBDIR}/pkgconfig)
  file(MAKE_DIRECTORY ${WORK}/by_pkg_config)
  set(examples ${WORK}/prefix/share/doc/libsidecore-dev/examples)
  foreach(example decode_ivf score_y4m)
    set(compile "cc -o ${WORK}/by_pkg_config/${example}")
    set(source ${examples}/${example}.c)
    step(sh -c "${compile} ${source} $(${PKG_CONFIG} --cflags --libs libsidecore)")
    step(sh -c "${compile}_static ${source} $(${PKG_CONFIG} --static --cflags --libs libsidecore |
      sed 's/-lsidecore /-l:libsidecore.a /')")
  endforeach()
  if(libvmaf)
    step(sh -c "cc -o ${WORK}/by_pkg_config/libvmaf_scores ${SOURCE}/libvmaf_scores.c $(${PKG_CONFIG} --cflags --libs libvmaf)")
  endif()
  set(ENV{LD_LIBRARY_PATH} ${WORK}/prefix/${LIBDIR})
  if(libvmaf)
    libvmaf_is_right(${WORK}/by_pkg_config/libvmaf_scores)
  endif()
  examples_are_right(${WORK}/by_pkg_config "")
  unset(ENV{LD_LIBRARY_PATH})
  examples_are_right(${WORK}/by_pkg_config _static)
endif()

# libraries_of(PROGRAM RESULT): sets RESULT to the shared libraries that the program needs.
find_program(READELF readelf REQUIRED)
function(libraries_of program result)
  execute_process(COMMAND ${READELF} --dynamic --wide ${program} OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "Shared library: [^\n]*" libraries "${said}")
  set(${result} "${libraries}" PARENT_SCOPE)
endfunction()
libraries_of(${WORK}/prefix/${LIBDIR}/libsidecore.so shared)
if(NOT shared MATCHES "libc[.]so" OR shared MATCHES "libav|libsw")
  message(FATAL_ERROR "libsidecore must need libc.so and no library of FFmpeg, but it needs:\n${shared}")
endif()
