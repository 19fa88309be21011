# Script that writes OUTPUT, a C++ file. The file defines std::string_view NAMESPACE::NAME() for each NAME=FILE of
# INPUTS, as HEADER declares them.
set(code "#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\nnamespace {\n")
set(functions "")
foreach(input ${INPUTS})
  string(REGEX MATCH "^([a-z0-9_]+)=(.*)$" matched ${input})
  set(name ${CMAKE_MATCH_1})
  file(READ ${CMAKE_MATCH_2} hex HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" lines "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${lines}")
  string(APPEND code "constexpr char k_${name}[] = {\n${bytes}};\n")
  string(APPEND functions "std::string_view ${name}() { return {k_${name}, sizeof(k_${name})}; }\n")
endforeach()
file(WRITE ${OUTPUT} "${code}}  // namespace\n\n${functions}\n}  // namespace ${NAMESPACE}\n")
