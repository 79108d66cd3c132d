# The C++ tests, for a build of ffi/ that compiles only these.
find_package(Threads REQUIRED)
set(JAXGEMM_BUILT "" CACHE PATH
    "The CMakeFiles of another build, whose objects are used and not compiled again")
option(JAXGEMM_FEW_INSTANCES "Have hopper_test compile few of the instances" OFF)

# jaxgemm_host without its objects.
add_library(jaxgemm_headers INTERFACE)
foreach(kind INCLUDE_DIRECTORIES SYSTEM_INCLUDE_DIRECTORIES COMPILE_OPTIONS LINK_LIBRARIES)
  set_property(TARGET jaxgemm_headers PROPERTY INTERFACE_${kind}
               $<TARGET_PROPERTY:jaxgemm_host,INTERFACE_${kind}>)
endforeach()
set(host jaxgemm_host)
if(JAXGEMM_BUILT)
  get_target_property(host jaxgemm_host SOURCES)
  list(TRANSFORM host REPLACE "(.+)" "${JAXGEMM_BUILT}/jaxgemm_host.dir/\\1.o")
  list(APPEND host jaxgemm_headers)
endif()

foreach(test schedule_test schedule_maps_test schedule_groups_test schedule_chunks_test)
  add_executable(${test} ${CMAKE_CURRENT_LIST_DIR}/${test}.cc)
  target_link_libraries(${test} PRIVATE jaxgemm_headers Threads::Threads)
endforeach()
foreach(test host_kernel_test host_gemm_test host_calls_test rendezvous_test producer_test rocm_handler_test)
  add_executable(${test} ${CMAKE_CURRENT_LIST_DIR}/${test}.cc)
  target_link_libraries(${test} PRIVATE ${host} Threads::Threads)
endforeach()
# The CPU's handlers, for the fuzzers. Its C++ library is linked as the Python module's is.
add_library(cpu_handlers SHARED ${CMAKE_CURRENT_LIST_DIR}/cpu_handlers.cc)
target_link_libraries(cpu_handlers PRIVATE ${host} Threads::Threads -static-libstdc++ -static-libgcc
                      -Wl,--exclude-libs,ALL)
# The part of the emulator that loads code objects, without the part that runs them.
set(emulator_loader checks/error decode/decode decode/memory decode/program decode/refused
    decode/vector isa/info
    memory/memory_op run/code_object run/cost run/launch run/msgpack)
if(JAXGEMM_BUILT)
  list(TRANSFORM emulator_loader
       REPLACE "(.+)" "${JAXGEMM_BUILT}/jaxgemm_emulator_objects.dir/emulator/\\1.cc.o")
else()
  list(TRANSFORM emulator_loader REPLACE "(.+)" "emulator/\\1.cc")
endif()
add_executable(emulator_loader_test ${CMAKE_CURRENT_LIST_DIR}/emulator_loader_test.cc
               ${emulator_loader})
target_include_directories(emulator_loader_test PRIVATE .)
target_compile_options(emulator_loader_test PRIVATE -Wall -Wno-sign-compare -Wno-psabi)
# Hopper's kernels, with stand-ins instead of the headers that have its instructions.
set(hopper ${CMAKE_CURRENT_LIST_DIR}/hopper)
add_executable(hopper_test ${CMAKE_CURRENT_LIST_DIR}/hopper_test.cc ${hopper}/machine.cc)
target_include_directories(hopper_test BEFORE PRIVATE ${hopper})
target_link_libraries(hopper_test PRIVATE ${host} Threads::Threads)
if(JAXGEMM_FEW_INSTANCES)
  target_compile_definitions(hopper_test PRIVATE JAXGEMM_FEW_INSTANCES)
endif()
# Fibers have stacks that the sanitizer of addresses does not know.
target_compile_options(hopper_test PRIVATE -Wno-unknown-pragmas -Wno-maybe-uninitialized
                       -fno-sanitize=address)
# The library that rocm_handler_test opens as ROCm's runtime.
add_library(fake_hip SHARED ${CMAKE_CURRENT_LIST_DIR}/fake_hip.cc)
target_include_directories(fake_hip PRIVATE .)
set_target_properties(fake_hip PROPERTIES
                      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/fake_hip)
add_dependencies(rocm_handler_test fake_hip)
