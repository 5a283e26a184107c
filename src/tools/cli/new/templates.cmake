# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DFOLDER=templates -DOUTPUT=templates.cpp -P templates.cmake: writes all files in FOLDER, one directory for each
# language, as the table of templates.h.
file(GLOB_RECURSE files LIST_DIRECTORIES false RELATIVE ${FOLDER} ${FOLDER}/*)
list(SORT files)
set(rows "")
foreach(file IN LISTS files)
  string(REGEX MATCH "^([^/]+)/(.+)$" matched ${file})
  set(language ${CMAKE_MATCH_1})
  set(path ${CMAKE_MATCH_2})
  file(READ ${FOLDER}/${file} text)
  string(APPEND rows "    {\"${language}\", \"${path}\", R\"~~~(${text})~~~\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"tools/cli/new/templates.h\"

namespace sartor::cli {

namespace {

constexpr Template kFiles[] = {
${rows}};

} // namespace

std::span<const Template> templates() { return kFiles; }

} // namespace sartor::cli
")
