# Script: installs BUILD into an empty prefix below WORK, then configures, builds and runs SOURCE and
# SOURCE/vp9_alone (on the VP9 file CLIP) with nothing but that prefix. CONFIGURE holds the options that name the compiler, EMULATOR what runs the
# result when this machine cannot.
function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "failed (${status}): ${command}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
foreach(program consumer vp9_alone)
  set(source ${SOURCE})
  if(program STREQUAL vp9_alone)
    string(APPEND source /vp9_alone)
  endif()
  step(${CMAKE_COMMAND} -G Ninja -S ${source} -B ${WORK}/${program} ${CONFIGURE}
    -DCMAKE_BUILD_TYPE=Release -Dsidecore_DIR=${WORK}/prefix/${LIBDIR}/cmake/sidecore)
  step(${CMAKE_COMMAND} --build ${WORK}/${program})
endforeach()
step(${EMULATOR} ${WORK}/consumer/consumer)
step(${EMULATOR} ${WORK}/vp9_alone/vp9_alone ${CLIP})

# libraries_of(PROGRAM RESULT): the shared libraries it asks for.
find_program(READELF readelf REQUIRED)
function(libraries_of program result)
  execute_process(COMMAND ${READELF} --dynamic --wide ${program} OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "Shared library: [^\n]*" libraries "${said}")
  set(${result} "${libraries}" PARENT_SCOPE)
endfunction()
libraries_of(${WORK}/consumer/consumer with)
libraries_of(${WORK}/vp9_alone/vp9_alone without)
if(NOT with MATCHES "libavcodec" OR NOT without MATCHES "libc[.]so" OR without MATCHES "libav|libsw")
  message(FATAL_ERROR "vp9 alone asks for:\n${without}\nall modules ask for:\n${with}")
endif()
