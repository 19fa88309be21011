# Script: installs BUILD into an empty prefix below WORK, then configures, builds and runs SOURCE with
# nothing but that prefix. CONFIGURE holds the options that name the compiler, EMULATOR what runs the
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
step(${CMAKE_COMMAND} -G Ninja -S ${SOURCE} -B ${WORK}/build ${CONFIGURE}
  -DCMAKE_BUILD_TYPE=Release -Dsidecore_DIR=${WORK}/prefix/${LIBDIR}/cmake/sidecore)
step(${CMAKE_COMMAND} --build ${WORK}/build)
step(${EMULATOR} ${WORK}/build/consumer)
