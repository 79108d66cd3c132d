# Compiles the GPU kernels of instances.def, one code object for each, to
# jaxgemm/kernels/<target>/<instance>.hsaco.

set(gpu_folder ${CMAKE_CURRENT_LIST_DIR})

set(JAXGEMM_GPU_KERNELS "all" CACHE STRING
    "GPU kernels to build: all, none, or regular expressions separated by semicolons; a kernel \
is built if one of them matches <target>/<instance>")

# ROCm's compiler where there is one, else the clang of PyPI's ziglang, which has the AMDGPU
# target too. Both need no HIP header.
find_program(JAXGEMM_HIP_COMPILER NAMES amdclang++ hipcc
             HINTS $ENV{ROCM_PATH}/bin $ENV{ROCM_PATH}/llvm/bin /opt/rocm/bin /opt/rocm/llvm/bin)
set(gpu_compiler "")
if(JAXGEMM_GPU_KERNELS STREQUAL "none")
  set(gpu_compiler_name "none")
elseif(JAXGEMM_HIP_COMPILER)
  set(gpu_compiler ${JAXGEMM_HIP_COMPILER})
  execute_process(COMMAND ${gpu_compiler} --version OUTPUT_VARIABLE gpu_compiler_version)
else()
  # By way of Python, for the path of an isolated build's compiler is another each time.
  set(gpu_compiler ${Python_EXECUTABLE} -m ziglang clang)
  execute_process(COMMAND ${gpu_compiler} --version OUTPUT_VARIABLE gpu_compiler_version
                  RESULT_VARIABLE failed ERROR_QUIET)
  if(failed)
    set(gpu_compiler "")
    message(WARNING "There is neither amdclang++ nor hipcc nor PyPI's ziglang: the GPU kernels "
                    "are left out of this build. Install one of them and build again.")
  endif()
endif()
if(NOT gpu_compiler)
  message(STATUS "GPU kernels: none")
  return()
endif()
string(REGEX REPLACE "\n.*" "" gpu_compiler_name "${gpu_compiler_version}")

# Changes only when the compiler does; every kernel depends on it.
set(gpu_compiler_stamp ${CMAKE_CURRENT_BINARY_DIR}/gpu_compiler.txt)
file(CONFIGURE OUTPUT ${gpu_compiler_stamp} CONTENT "${gpu_compiler_version}")

# Without machine LICM: it keeps the epilogue's constants in registers throughout the kernel.
set(gpu_flags -nogpuinc -nogpulib -mcode-object-version=5 -std=c++20 -O3 -munsafe-fp-atomics
    -mllvm -disable-machine-licm -Wall -I ${gpu_folder})

# A code object from gemm_amdgpu.hip, with the given definitions.
function(add_gpu_kernel output target)
  set(source ${gpu_folder}/kernel/gemm_amdgpu.hip)
  set(depfile ${output}.d)
  # -MD and -MF do nothing when only device code is compiled.
  set(compile ${gpu_compiler} -x hip --offload-arch=${target} --cuda-device-only ${gpu_flags}
      ${ARGN} -Xclang -dependency-file -Xclang ${depfile} -Xclang -MT -Xclang ${output} ${source})
  if(JAXGEMM_HIP_COMPILER)
    set(commands COMMAND ${compile} --no-gpu-bundle-output -o ${output})
  else()
    # Its driver would look for an assembler and a linker beside it: one step after the other.
    set(commands
        COMMAND ${compile} -S -o ${output}.s
        COMMAND ${gpu_compiler} -target amdgcn-amd-amdhsa -mcpu=${target}
                -mcode-object-version=5 -c ${output}.s -o ${output}.o
        COMMAND ${Python_EXECUTABLE} -m ziglang ld.lld -shared ${output}.o -o ${output})
  endif()
  add_custom_command(OUTPUT ${output} ${commands} DEPENDS ${source} ${gpu_compiler_stamp}
                     DEPFILE ${depfile} COMMENT "GPU kernel ${target}/${name}" VERBATIM)
endfunction()

# The fields of the lines JAXGEMM_<what>(...) of instances.def, as lists, one line each.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
             ${gpu_folder}/instances.def)
function(read_instances what result)
  file(STRINGS ${gpu_folder}/instances.def lines REGEX "^JAXGEMM_${what}\\(")
  list(TRANSFORM lines REPLACE "^[A-Z0-9_]*\\((.*)\\)$" "\\1")
  list(TRANSFORM lines REPLACE "[\" ]" "")
  set(${result} ${lines} PARENT_SCOPE)
endfunction()
read_instances(DTYPE dtypes)
read_instances(GPU_TILE tiles)
read_instances(GPU_OPERANDS pairs)
foreach(dtype ${dtypes})
  string(REPLACE "," ";" dtype ${dtype})
  list(GET dtype 0 id)
  list(GET dtype 1 name_of_${id})
  list(GET dtype 3 bytes_of_${id})
endforeach()

set(kernels "")
set(skipped 0)
foreach(pair ${pairs})
  string(REPLACE "," ";" pair ${pair})
  list(GET pair 0 target)
  list(GET pair 1 lhs)
  list(GET pair 2 rhs)
  foreach(tile ${tiles})
    string(REPLACE "," ";" tile ${tile})
    list(GET tile 0 tile_target)
    if(NOT tile_target STREQUAL target)
      continue()
    endif()
    list(GET tile 1 tile_m)
    list(GET tile 2 tile_n)
    list(GET tile 3 row_bytes)
    list(GET tile 4 waves_m)
    list(GET tile 5 waves_n)
    math(EXPR tile_k "${row_bytes} / ${bytes_of_${lhs}}")
    # Layouts: lhs is row-major (r) if its dimension 1 is k, rhs if its dimension 0 is.
    foreach(layout "1;0;rr" "1;1;rc" "0;0;cr" "0;1;cc")
      list(GET layout 0 lhs_contracting)
      list(GET layout 1 rhs_contracting)
      list(GET layout 2 letters)
      string(CONCAT name "gemm_${name_of_${lhs}}_${name_of_${rhs}}_"
             "${tile_m}x${tile_n}x${tile_k}_${letters}r")
      set(wanted FALSE)
      foreach(pattern ${JAXGEMM_GPU_KERNELS})
        if(pattern STREQUAL "all" OR "${target}/${name}" MATCHES "${pattern}")
          set(wanted TRUE)
        endif()
      endforeach()
      if(NOT wanted)
        math(EXPR skipped "${skipped} + 1")
        continue()
      endif()
      set(output ${CMAKE_CURRENT_BINARY_DIR}/kernels/${target}/${name}.hsaco)
      add_gpu_kernel(${output} ${target} -DJAXGEMM_KERNEL=${name} -DJAXGEMM_LHS=${lhs}
                     -DJAXGEMM_RHS=${rhs} -DJAXGEMM_TILE_M=${tile_m} -DJAXGEMM_TILE_N=${tile_n}
                     -DJAXGEMM_WAVES_M=${waves_m} -DJAXGEMM_WAVES_N=${waves_n}
                     -DJAXGEMM_LHS_CONTRACTING=${lhs_contracting}
                     -DJAXGEMM_RHS_CONTRACTING=${rhs_contracting})
      list(APPEND kernels ${output})
      install(FILES ${output} DESTINATION jaxgemm/kernels/${target})
    endforeach()
  endforeach()
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/kernels/${target})
endforeach()
add_custom_target(gpu_kernels ALL DEPENDS ${kernels})
list(LENGTH kernels built)
message(STATUS "GPU kernels: ${built} (${skipped} left out) by ${gpu_compiler_name}")
