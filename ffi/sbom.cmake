# Installs a bill of materials beside the package's metadata (PEP 770, CycloneDX 1.6). It lists the
# code that is compiled into the package, and the compilers with their versions.
file(STRINGS ${nanobind_copy}/ext/robin_map/include/tsl/robin_growth_policy.h version_lines
     REGEX "define TSL_RH_VERSION_(MAJOR|MINOR|PATCH)")
list(TRANSFORM version_lines REPLACE ".* " "")
list(JOIN version_lines "." sbom_robin_map)

# own_cxx_library links GCC's library, whether the compiler is GCC or Clang.
set(sbom_cxx_runtime "libstdc++ and libgcc")
set(sbom_cxx_license "GPL-3.0-or-later WITH GCC-exception-3.1")

set(sbom_gpu_compilers "")
foreach(target gfx942 gfx950 gfx90a sm90)
  if(gpu_compiler_${target})
    file(READ ${CMAKE_CURRENT_BINARY_DIR}/gpu_compiler_${target}.txt version)
    string(STRIP "${version}" version)
    string(APPEND sbom_gpu_compilers ",\n        {\"type\": \"application\", \"name\": \
\"${gpu_compiler_${target}} for ${target}\", \"version\": \"${version}\"}")
  endif()
endforeach()

if(DEFINED SKBUILD_METADATA_DIR)
  configure_file(sbom.cdx.json.in ${CMAKE_CURRENT_BINARY_DIR}/jaxgemm.cdx.json @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/jaxgemm.cdx.json
          DESTINATION ${SKBUILD_METADATA_DIR}/sboms)
endif()
