# The emulator is a library of its own. A call for the emulator opens it by its path. Its files make
# a second library, libamdhip64.so.7, which JAX's ROCm plugin takes for ROCm's runtime
# (jaxgemm/emulator/rocm). The second library and the stubs of ROCm's other libraries have a folder
# of their own, so that no other program finds them.
set(rocm_folder ${CMAKE_CURRENT_BINARY_DIR}/rocm)
set(own_warnings -Wall -Wno-sign-compare -Wno-psabi)

file(GLOB emulator_sources CONFIGURE_DEPENDS emulator/*/*.cc)
list(FILTER emulator_sources EXCLUDE REGEX "/(stubs|rccl)/")
add_library(jaxgemm_emulator_objects OBJECT ${emulator_sources})
target_include_directories(jaxgemm_emulator_objects PRIVATE .)
target_precompile_headers(jaxgemm_emulator_objects PRIVATE <algorithm> <array> <atomic> <cstdint>
                          <cstring> <functional> <map> <memory> <mutex> <optional> <string>
                          <string_view> <unordered_map> <vector>)
# -ffp-contract=off: a multiplication and an addition round twice, on every host.
target_compile_options(jaxgemm_emulator_objects PRIVATE ${own_warnings} -fvisibility=hidden
                       -ffp-contract=off)

add_library(jaxgemm_emulator SHARED)
target_link_libraries(jaxgemm_emulator PRIVATE jaxgemm_emulator_objects ${own_cxx_library})
install(TARGETS jaxgemm_emulator LIBRARY DESTINATION jaxgemm/emulator)

# Gives a library ROCm's file name, and puts it into the folder. Its functions get the symbol
# versions of the list: a macro's first argument is the version, its third one the function.
function(add_rocm_library target file list)
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${file} SUFFIX ""
                        NO_SONAME ON LIBRARY_OUTPUT_DIRECTORY ${rocm_folder})
  target_link_libraries(${target} PRIVATE ${own_cxx_library})
  target_link_options(${target} PRIVATE -Wl,-soname,${file})
  install(TARGETS ${target} LIBRARY DESTINATION jaxgemm/emulator/rocm/lib)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  file(STRINGS ${list} lines REGEX "^JAXGEMM_")
  set(versions "")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^[A-Z_]+\\(|\\)$" "" line "${line}")
    string(REPLACE ", " ";" parts "${line}")
    list(GET parts 0 version)
    list(GET parts 2 name)
    string(REPLACE "," "" name ${name})  # if the macro continues on the next line
    list(APPEND versions ${version})
    string(APPEND functions_of_${version} " ${name};")
  endforeach()
  list(REMOVE_DUPLICATES versions)
  list(REMOVE_ITEM versions none)
  if(NOT versions)
    return()
  endif()
  set(script "")
  foreach(version IN LISTS versions)
    string(APPEND script "${version} { global:${functions_of_${version}} };\n")
  endforeach()

  set(script_file ${CMAKE_CURRENT_BINARY_DIR}/${file}.map)
  file(CONFIGURE OUTPUT ${script_file} CONTENT "${script}" @ONLY)
  target_link_options(${target} PRIVATE -Wl,--version-script,${script_file})
  set_target_properties(${target} PROPERTIES LINK_DEPENDS ${script_file})
endfunction()

add_library(jaxgemm_hip SHARED)
target_link_libraries(jaxgemm_hip PRIVATE jaxgemm_emulator_objects)
add_rocm_library(jaxgemm_hip libamdhip64.so.7 ${CMAKE_CURRENT_SOURCE_DIR}/emulator/hip/functions.def)

add_library(jaxgemm_rccl SHARED emulator/rccl/rccl.cc emulator/rccl/reduce.cc)
target_include_directories(jaxgemm_rccl PRIVATE .)
target_compile_options(jaxgemm_rccl PRIVATE ${own_warnings} -fvisibility=hidden)
target_link_libraries(jaxgemm_rccl PRIVATE jaxgemm_hip)
add_rocm_library(jaxgemm_rccl librccl.so.1 ${CMAKE_CURRENT_SOURCE_DIR}/emulator/rccl/functions.def)

file(GLOB stub_lists CONFIGURE_DEPENDS emulator/stubs/*.def)
foreach(list IN LISTS stub_lists)
  cmake_path(GET list STEM LAST_ONLY file)
  add_library(${file} SHARED emulator/stubs/stub.cc)
  target_compile_definitions(${file} PRIVATE JAXGEMM_STUBS="${list}")
  target_compile_options(${file} PRIVATE ${own_warnings} -fvisibility=hidden)
  add_rocm_library(${file} ${file} ${list})
endforeach()
