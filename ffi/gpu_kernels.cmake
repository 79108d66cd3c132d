# Compiles each GPU kernel of instances.def to a code object of its own,
# jaxgemm/kernels/<target>/<instance>.hsaco, or .cubin for NVIDIA's. Each target that has some of
# them also gets the other kernels of a mixture of experts, of ffi/routing/, and those for few rows,
# of ffi/weights/.

set(gpu_folder ${CMAKE_CURRENT_LIST_DIR})
set(gpu_source ${gpu_folder}/amdgpu/gemm.hip)
set(cuda_source ${gpu_folder}/sm90/gemm.cu)
set(routing_sources ${gpu_folder}/routing/routing.cu
    ${gpu_folder}/routing/columns.h ${gpu_folder}/routing/float8.h
    ${gpu_folder}/routing/gated_gradient.h
    ${gpu_folder}/routing/quantize.h ${gpu_folder}/routing/routing_args.h ${gpu_folder}/routing/rows.h
    ${gpu_folder}/routing/table.h ${gpu_folder}/routing/top_k.h ${gpu_folder}/routing/vector.h
    ${gpu_folder}/routing/wave.h ${gpu_folder}/kernel/epilogue.h)

set(JAXGEMM_GPU_KERNELS "auto" CACHE STRING
    "GPU kernels to build, separated by semicolons: auto (those of the GPUs in this machine, and \
small tiles of gfx942 and gfx950 in float32 and bfloat16 for the emulator, in the layouts of a \
product and its gradients), tests (auto, and those that the default \
tests launch), all, none, or regular expressions; a kernel is built if one of them matches \
<target>/<instance>")

# What `tests` builds beside auto, and what tests/amdgpu/test_emulation.py launches by default:
# every other AMD kernel, as the fields of one colour on a chessboard, but only one for each pair of
# types with float8_e5m2, and one layout of the largest tile, which takes longest to compile, for
# float16 and float32. Among them are all pairs of type and tile, of tile and layout, and of layout
# and type, if all float8 types count as one. The kernels of 32x128x128_rcr, 128x128x128_rcr and
# 256x256x128_rcr have the forms for scales of blocks. There are only seven kernels of gfx90a,
# because its source is that of gfx942.
set(kernels_of_the_tests
    "^gfx9[45].*/gemm_(float32|bfloat16)_.*_[0-9]+x(64|128)x[0-9]+_[rc]cr"
    "^gfx9[45].*/gemm_bfloat16_.*_[0-9]+x256x[0-9]+_[rc]rr"
    "^gfx9[45].*/gemm_float32_.*_(256x256x[0-9]+_r|32x128x[0-9]+_c)rr"
    "^gfx9[45].*/gemm_(float16|int8|float8_e4m3[a-z]+_float8_e4m3).*_[0-9]+x(64|128)x[0-9]+_[rc]rr"
    "^gfx9[45].*/gemm_(int8|float8_e4m3[a-z]+_float8_e4m3).*_[0-9]+x256x[0-9]+_[rc]cr"
    "^gfx9[45].*/gemm_float16_.*_(128x256x[0-9]+_[rc]|256x256x[0-9]+_c)cr"
    "^gfx9[45].*/gemm_float8_e4m3[a-z]+_float8_e4m3[a-z]+_((32|128)x128x128|32x64x512)_rcr"
    "^gfx9[45].*/gemm_float8_.*e5m2.*_32x(64|128)x[0-9]+_rrr"
    "^gfx950/gemm_float4_"
    "^gfx9[45].*/gemm_(float16|bfloat16)_.*_16x32x"
    "^gfx90a/gemm_bfloat16_bfloat16_((32|128)x128x64|32x64x256|16x32x512)_rrr"
    "^gfx90a/gemm_(float16_float16_64x128x64_rcr|float32_float32_32x128x32_crr)"
    "^gfx90a/gemm_int8_int8_32x128x128_ccr")

# Sets `result` to the regular expressions of the kernels that auto stands for.
function(find_default_kernels result)
  set(patterns "^gfx9[45].*/gemm_(float32|bfloat16)_.*_(32|64|128)x128x[0-9]+_(r[rc]|cr)r"
      "^gfx9[45].*/gemm_bfloat16_.*_(32x64x[0-9]+_(r[rc]|cr)r|16x32x)")
  # The driver of AMD GPUs reports gfx942 as 90402, and gfx90a as 90010.
  file(GLOB nodes /sys/class/kfd/kfd/topology/nodes/*/properties)
  foreach(node IN LISTS nodes)
    file(STRINGS ${node} version REGEX "^gfx_target_version 90(010|[45]0[0-9])$")
    if(version MATCHES "90010$")
      list(APPEND patterns "^gfx90a/")
    elseif(version MATCHES "90([45])0([0-9])$")
      list(APPEND patterns "^gfx9${CMAKE_MATCH_1}${CMAKE_MATCH_2}/")
    endif()
  endforeach()
  find_program(nvidia_smi nvidia-smi)
  mark_as_advanced(nvidia_smi)
  if(nvidia_smi)
    execute_process(COMMAND ${nvidia_smi} --query-gpu=compute_cap --format=csv,noheader
                    OUTPUT_VARIABLE capabilities ERROR_QUIET)
    if(capabilities MATCHES "(^|\n)9\\.0")
      list(APPEND patterns "^sm90/")
    endif()
  endif()
  set(${result} ${patterns} PARENT_SCOPE)
endfunction()
set(patterns "")
foreach(asked IN LISTS JAXGEMM_GPU_KERNELS)
  if(asked STREQUAL "auto" OR asked STREQUAL "tests")
    find_default_kernels(default)
    list(APPEND patterns ${default})
    if(asked STREQUAL "tests")
      list(APPEND patterns ${kernels_of_the_tests})
    endif()
  elseif(asked STREQUAL "all")
    list(APPEND patterns ".*")
  elseif(NOT asked STREQUAL "none")
    list(APPEND patterns "${asked}")
  endif()
endforeach()

# AMD's kernels are compiled by ROCm's compiler if there is one that supports the target, else by
# the clang of PyPI's ziglang. Neither needs a HIP header. ziglang is called through a link, because
# an isolated build has another path to it each time, and all kernels would be compiled again.
find_program(JAXGEMM_HIP_COMPILER NAMES amdclang++ hipcc
             HINTS $ENV{ROCM_PATH}/bin $ENV{ROCM_PATH}/llvm/bin /opt/rocm/bin /opt/rocm/llvm/bin)
set(rocm_compiler ${JAXGEMM_HIP_COMPILER})
execute_process(COMMAND ${Python_EXECUTABLE} -c
                "import pathlib, ziglang; print(pathlib.Path(ziglang.__file__).parent / 'zig')"
                OUTPUT_VARIABLE zig_program OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
set(zig ${CMAKE_CURRENT_BINARY_DIR}/zig)
if(zig_program)
  file(CREATE_LINK ${zig_program} ${zig} SYMBOLIC)
endif()
set(ziglang_compiler ${zig} clang)

# NVIDIA's kernels are compiled by nvcc, from the toolkit or from PyPI's nvidia-cuda-nvcc.
execute_process(COMMAND ${Python_EXECUTABLE} -c
                "import nvidia, pathlib; print(*(bin.as_posix() for path in nvidia.__path__ \
for bin in sorted(pathlib.Path(path).glob('cu*/bin'))), sep=';')"
                OUTPUT_VARIABLE pypi_cuda OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
find_program(JAXGEMM_CUDA_COMPILER NAMES nvcc
             HINTS $ENV{CUDA_HOME}/bin $ENV{CUDA_PATH}/bin /usr/local/cuda/bin ${pypi_cuda})
set(cuda_flags -gencode=arch=compute_90a,code=sm_90a -std=c++20 -O3 --expt-relaxed-constexpr
    -I ${gpu_folder})

# Machine LICM is off, because it keeps the epilogue's constants in registers throughout the kernel.
# Without a "cuid", a hash of the source's path, a kernel has the same bytes in whatever folder it
# is compiled.
set(gpu_flags -fuse-cuid=none -nogpuinc -nogpulib -mcode-object-version=5 -std=c++20 -O3
    -munsafe-fp-atomics -mllvm -disable-machine-licm -Wall -I ${gpu_folder})

# The part of find_gpu_compiler, below, that is for sm90.
function(find_cuda_compiler)
  set(gpu_compiler_sm90 "" PARENT_SCOPE)
  set(depfile ${CMAKE_CURRENT_BINARY_DIR}/gpu_depends_sm90.d)
  set(failed TRUE)
  if(JAXGEMM_CUDA_COMPILER)
    execute_process(COMMAND ${JAXGEMM_CUDA_COMPILER} ${cuda_flags} -DJAXGEMM_TILE_M=128
                            -DJAXGEMM_KERNEL=none -MM -MF ${depfile} -MT kernel ${cuda_source}
                    RESULT_VARIABLE failed OUTPUT_VARIABLE reason ERROR_VARIABLE reason)
  endif()
  if(failed)
    message(WARNING "No nvcc of CUDA 12.8 or newer is there to compile for sm90: its kernels are "
                    "left out of this build. ${JAXGEMM_CUDA_COMPILER} ${reason}")
    return()
  endif()
  execute_process(COMMAND ${JAXGEMM_CUDA_COMPILER} --version OUTPUT_VARIABLE version)
  string(REGEX MATCH "release [^\n]*" version "${version}")
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/gpu_compiler_sm90.txt CONTENT "${version}")
  message(STATUS "GPU compiler for sm90: nvcc, ${version}")
  file(READ ${depfile} depends)
  string(REGEX REPLACE "^kernel *:|\\\\\n" "" depends "${depends}")
  separate_arguments(depends UNIX_COMMAND "${depends}")
  # CUDA's own headers change only with its version, which is a dependency already.
  list(FILTER depends INCLUDE REGEX "^${gpu_folder}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${depends})
  set(gpu_depends_sm90 ${depends} ${CMAKE_CURRENT_BINARY_DIR}/gpu_compiler_sm90.txt PARENT_SCOPE)
  set(gpu_compiler_sm90 nvcc PARENT_SCOPE)
endfunction()

# Sets gpu_compiler_<target> to rocm, ziglang, nvcc or nothing, and gpu_depends_<target> to what
# its kernels depend on: the sources, and a file that changes when the compiler does. DEPFILE is not
# used: CMake keeps such files in CMakeFiles, which an isolated build of the package clears, and all
# kernels would be compiled again.
function(find_gpu_compiler target)
  if(target STREQUAL "sm90")
    find_cuda_compiler()
    set(gpu_compiler_sm90 "${gpu_compiler_sm90}" PARENT_SCOPE)
    set(gpu_depends_sm90 "${gpu_depends_sm90}" PARENT_SCOPE)
    return()
  endif()
  foreach(candidate rocm ziglang)
    if(candidate STREQUAL "rocm" AND NOT JAXGEMM_HIP_COMPILER)
      continue()
    endif()
    execute_process(COMMAND ${${candidate}_compiler} -x hip --offload-arch=${target}
                            --cuda-device-only -nogpuinc -nogpulib -S -o /dev/null /dev/null
                    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(NOT failed)
      execute_process(COMMAND ${${candidate}_compiler} --version OUTPUT_VARIABLE version)
      # Only the first line is kept: the others contain the path of the compiler.
      string(REGEX REPLACE "\n.*" "" version "${version}")
      file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/gpu_compiler_${target}.txt
           CONTENT "${version}")
      message(STATUS "GPU compiler for ${target}: ${candidate}, ${version}")
      set(depfile ${CMAKE_CURRENT_BINARY_DIR}/gpu_depends_${target}.d)
      execute_process(COMMAND ${${candidate}_compiler} -x hip --offload-arch=${target}
                              --cuda-device-only ${gpu_flags} -E -o /dev/null ${gpu_source}
                              -Xclang -dependency-file -Xclang ${depfile} -Xclang -MT
                              -Xclang kernel COMMAND_ERROR_IS_FATAL ANY)
      file(READ ${depfile} depends)
      string(REGEX REPLACE "^kernel:|\\\\\n" "" depends "${depends}")
      separate_arguments(depends UNIX_COMMAND "${depends}")
      # A change of these files may add an include: CMake then finds the dependencies again.
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${depends})
      set(gpu_depends_${target} ${depends}
          ${CMAKE_CURRENT_BINARY_DIR}/gpu_compiler_${target}.txt PARENT_SCOPE)
      set(gpu_compiler_${target} ${candidate} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(WARNING "Neither amdclang++ nor hipcc nor PyPI's ziglang is there to compile for "
                  "${target}: its kernels are left out of this build.")
  set(gpu_compiler_${target} "" PARENT_SCOPE)
endfunction()

# Compiles the first of `sources` to the code object kernels/<target>/<name>, with the given
# definitions. The other sources are headers of it. Its path is added to the list `outputs`.
function(add_gpu_kernel outputs target name sources)
  list(GET sources 0 source)
  set(depends ${gpu_depends_${target}} ${sources})
  set(suffix .hsaco)
  if(target STREQUAL "sm90")
    set(suffix .cubin)
  endif()
  set(output ${CMAKE_CURRENT_BINARY_DIR}/kernels/${target}/${name}${suffix})
  list(APPEND ${outputs} ${output})
  set(${outputs} ${${outputs}} PARENT_SCOPE)
  install(FILES ${output} DESTINATION jaxgemm/kernels/${target})
  if(target STREQUAL "sm90")
    add_custom_command(OUTPUT ${output}
                       COMMAND ${JAXGEMM_CUDA_COMPILER} ${cuda_flags} ${ARGN} -cubin -o ${output}
                               ${source}
                       DEPENDS ${depends}
                       COMMENT "GPU kernel ${target}/${name}" VERBATIM)
    return()
  endif()
  set(compiler ${${gpu_compiler_${target}}_compiler})
  set(compile ${compiler} -x hip --offload-arch=${target} --cuda-device-only ${gpu_flags}
      ${ARGN} ${source})
  if(gpu_compiler_${target} STREQUAL "rocm")
    set(commands COMMAND ${compile} --no-gpu-bundle-output -o ${output})
  else()
    # ziglang's clang would look for a linker beside itself. So it writes an object, and a second
    # command links. (-S stops it before it links, -emit-obj overrides what it writes.)
    set(commands COMMAND ${compile} -S -Xclang -emit-obj -o ${output}.o
                 COMMAND ${zig} ld.lld -shared ${output}.o -o ${output})
  endif()
  add_custom_command(OUTPUT ${output} ${commands} DEPENDS ${depends}
                     COMMENT "GPU kernel ${target}/${name}" VERBATIM)
endfunction()

# Sets `result` to a list that has, for each line JAXGEMM_<what>(...) of instances.def, its fields
# with commas between them. C++ makes the same kernels of these lines (spec/gpu_instances.cc).
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
             ${gpu_folder}/spec/instances.def)
function(read_instances what result)
  file(STRINGS ${gpu_folder}/spec/instances.def lines REGEX "^JAXGEMM_${what}\\(")
  list(TRANSFORM lines REPLACE "^[A-Z0-9_]*\\((.*)\\)$" "\\1")
  list(TRANSFORM lines REPLACE "\"" "")
  list(TRANSFORM lines REPLACE ", *" ",")
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
    list(GET tile 6 out)
    list(GET tile 11 scales)
    set(transposed 0)
    if(out STREQUAL "c")
      set(transposed 1)
    endif()
    math(EXPR tile_k "${row_bytes} / ${bytes_of_${lhs}}")
    math(EXPR waves_k "${row_bytes} / 128")
    # Layouts and TileHasForm in spec/gpu_instances.cc.
    set(general 1)
    if(lhs STREQUAL "kF4E2M1FN")
      math(EXPR tile_k "2 * ${tile_k}")
      set(general 0)
      set(layouts "")
      if(scales MATCHES "mx")
        set(layouts "rc")
      endif()
    elseif(bytes_of_${lhs} EQUAL 2)
      list(GET tile 7 layouts)
    elseif(lhs MATCHES "^kF8")
      list(GET tile 8 layouts)
    elseif(lhs STREQUAL "kS8")
      list(GET tile 9 layouts)
    else()
      list(GET tile 10 layouts)
    endif()
    string(REPLACE "all" "rr rc cr cc" layouts "${layouts}")
    separate_arguments(layouts)
    foreach(layout IN LISTS layouts)
      if(NOT layout MATCHES "^[rc][rc]$")
        message(FATAL_ERROR "instances.def: '${layout}' in the line of ${target}'s tile of \
${tile_m} x ${tile_n} is none of the layouts rr, rc, cr and cc.")
      endif()
      # lhs is row-major (r) if its dimension 1 is k, rhs if its dimension 0 is k.
      set(lhs_contracting 0)
      if(layout MATCHES "^r")
        set(lhs_contracting 1)
      endif()
      set(rhs_contracting 1)
      if(layout MATCHES "r$")
        set(rhs_contracting 0)
      endif()
      string(CONCAT name "gemm_${name_of_${lhs}}_${name_of_${rhs}}_"
             "${tile_m}x${tile_n}x${tile_k}_${layout}${out}")
      set(wanted FALSE)
      foreach(pattern IN LISTS patterns)
        if("${target}/${name}" MATCHES "${pattern}")
          set(wanted TRUE)
        endif()
      endforeach()
      if(wanted AND NOT DEFINED gpu_compiler_${target})
        find_gpu_compiler(${target})
      endif()
      if(NOT wanted OR NOT gpu_compiler_${target})
        math(EXPR skipped "${skipped} + 1")
        list(APPEND skipped_targets ${target})
        continue()
      endif()
      set(scaled 0)
      set(mx 0)
      if(layout STREQUAL "rc" AND lhs MATCHES "^kF[48]")
        if(general AND scales MATCHES "scaled")
          set(scaled 1)
        endif()
        if(scales MATCHES "mx")
          set(mx 1)
        endif()
      endif()
      set(source ${gpu_source})
      if(target STREQUAL "sm90")
        set(source ${cuda_source})
      endif()
      add_gpu_kernel(kernels ${target} ${name} ${source}
                     -DJAXGEMM_KERNEL=${name} -DJAXGEMM_LHS=${lhs}
                     -DJAXGEMM_RHS=${rhs} -DJAXGEMM_TILE_M=${tile_m} -DJAXGEMM_TILE_N=${tile_n}
                     -DJAXGEMM_WAVES_M=${waves_m} -DJAXGEMM_WAVES_N=${waves_n}
                     -DJAXGEMM_WAVES_K=${waves_k}
                     -DJAXGEMM_LHS_CONTRACTING=${lhs_contracting}
                     -DJAXGEMM_RHS_CONTRACTING=${rhs_contracting}
                     -DJAXGEMM_TRANSPOSED=${transposed} -DJAXGEMM_GENERAL=${general}
                     -DJAXGEMM_SCALED=${scaled} -DJAXGEMM_MX=${mx})
    endforeach()
  endforeach()
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/kernels/${target})
endforeach()
set(routing_kernels "")
foreach(target gfx942 gfx950 gfx90a sm90)
  if(gpu_compiler_${target})
    add_gpu_kernel(routing_kernels ${target} routing "${routing_sources}")
  endif()
endforeach()
# Products of few rows and weights of 4 bits.
set(few_rows_kernels "")
foreach(target gfx942 gfx950)
  if(gpu_compiler_${target})
    add_gpu_kernel(few_rows_kernels ${target} few_rows
                   "${gpu_folder}/weights/few_rows.hip;${gpu_folder}/weights/few_rows_amd.h;\
${gpu_folder}/weights/few_rows_args.h")
  endif()
endforeach()
if(gpu_compiler_sm90)
  add_gpu_kernel(few_rows_kernels sm90 few_rows
                 "${gpu_folder}/weights/few_rows.cu;${gpu_folder}/weights/few_rows.h;\
${gpu_folder}/weights/few_rows_decode.h;${gpu_folder}/weights/few_rows_loader.h;\
${gpu_folder}/weights/few_rows_stages.h;${gpu_folder}/weights/few_rows_wgmma.h;\
${gpu_folder}/weights/few_rows_args.h")
endif()
add_custom_target(gpu_kernels ALL DEPENDS ${kernels} ${routing_kernels} ${few_rows_kernels})
list(LENGTH kernels built)
message(STATUS "GPU kernels: ${built} (${skipped} left out)")
set(JAXGEMM_BUILD_SUMMARY "jaxgemm has ${built} GPU kernels.")
if(skipped_targets)
  list(REMOVE_DUPLICATES skipped_targets)
  list(JOIN skipped_targets ", " skipped_targets)
  string(APPEND JAXGEMM_BUILD_SUMMARY " ${skipped} were left out, for ${skipped_targets} \
(JAXGEMM_GPU_KERNELS is ${JAXGEMM_GPU_KERNELS}). To have them, set the environment variable \
JAXGEMM_GPU_KERNELS to all, or to '^gfx' for AMD's or '^sm90' for NVIDIA Hopper's (which need nvcc \
of CUDA 12.8 or newer), and install again.")
endif()
