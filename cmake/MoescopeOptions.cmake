# SPDX-License-Identifier: Apache-2.0
# The switches a user sets, and the flags every target of ours is compiled with.

# AUTO builds a part where its packages are found and says so; ON stops the configure without them; OFF leaves it out.
foreach(part GUI CUDA MPI)
  set(MOESCOPE_${part} AUTO CACHE STRING "Build the ${part} part: AUTO, ON or OFF")
  set_property(CACHE MOESCOPE_${part} PROPERTY STRINGS AUTO ON OFF)
  if(NOT MOESCOPE_${part} MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "MOESCOPE_${part}=${MOESCOPE_${part}}: use AUTO, ON or OFF")
  endif()
endforeach()
option(MOESCOPE_TESTS "Build the tests (needs catch2)" ON)
option(MOESCOPE_WERROR "Treat warnings as errors (CI does)" OFF)
set(MOESCOPE_SANITIZE "" CACHE STRING "Sanitizers for everything of ours: address,undefined or thread")

# Linked PRIVATE by every target of ours; never exported.
add_library(moescope_flags INTERFACE)
target_compile_options(moescope_flags INTERFACE
  -Wall -Wextra -Wshadow $<$<COMPILE_LANGUAGE:CXX>:-Wconversion -Wnon-virtual-dtor -Woverloaded-virtual>
  $<$<COMPILE_LANGUAGE:C>:-Wconversion -Wstrict-prototypes>)
if(MOESCOPE_WERROR)
  target_compile_options(moescope_flags INTERFACE -Werror)
endif()
if(MOESCOPE_SANITIZE)
  target_compile_options(moescope_flags INTERFACE -fsanitize=${MOESCOPE_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all
                         -Wno-maybe-uninitialized)  # GCC's flow analysis is lost in instrumented code
  target_link_options(moescope_flags INTERFACE -fsanitize=${MOESCOPE_SANITIZE})
endif()

find_program(MOESCOPE_CCACHE ccache)
if(MOESCOPE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${MOESCOPE_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${MOESCOPE_CCACHE})
endif()
