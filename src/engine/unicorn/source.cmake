# Builds libunicorn.a from Unicorn's own source tree: x86 only, with the compiler and, if asked for, the sanitizers of this build.
include(ExternalProject)
if(NOT EXISTS ${P5_UNICORN_SOURCE}/include/unicorn/unicorn.h)
  message(FATAL_ERROR "P5_UNICORN_SOURCE: ${P5_UNICORN_SOURCE} is not Unicorn's source tree (no include/unicorn/unicorn.h)")
endif()
file(STRINGS ${P5_UNICORN_SOURCE}/include/unicorn/unicorn.h version REGEX "^#define UC_API_(MAJOR|MINOR|PATCH) ")
list(TRANSFORM version REPLACE "^#define [A-Z_]+ +([0-9]+).*" "\\1")
list(JOIN version "." version)
if(NOT version MATCHES "^2\\.(0\\.1|1\\.1)")
  message(WARNING "Unicorn ${version}: p5scope is tested with 2.0.1 and 2.1.1. Others are tried; what does not fit ends the build.")
endif()
message(STATUS "Unicorn ${version} from ${P5_UNICORN_SOURCE}")
set(flags ${P5_UNICORN_FLAGS})
if(P5_SANITIZE)
  # QEMU relies on undefined behaviour in places: it is reported, but does not end the run
  list(APPEND flags -fsanitize=address,undefined -fno-omit-frame-pointer)
endif()
list(JOIN flags " " flags)
set(P5_UNICORN_BUILT_ARCHIVE ${CMAKE_BINARY_DIR}/unicorn/libp5unicorn.a)
set(P5_UNICORN_HEADERS ${P5_UNICORN_SOURCE}/include)
ExternalProject_Add(unicorn_source
  SOURCE_DIR ${P5_UNICORN_SOURCE}
  PREFIX ${CMAKE_BINARY_DIR}/unicorn
  BINARY_DIR ${CMAKE_BINARY_DIR}/unicorn/build
  CMAKE_ARGS -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE} -DCMAKE_C_COMPILER=${CMAKE_C_COMPILER} "-DCMAKE_C_FLAGS=${CMAKE_C_FLAGS} ${flags}"
             -DCMAKE_TOOLCHAIN_FILE=${CMAKE_TOOLCHAIN_FILE} -DCMAKE_C_COMPILER_LAUNCHER=${CMAKE_C_COMPILER_LAUNCHER}
             -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DUNICORN_ARCH=x86 -DBUILD_SHARED_LIBS=OFF -DUNICORN_LEGACY_STATIC_ARCHIVE=OFF
             -DUNICORN_BUILD_TESTS=OFF -DUNICORN_INSTALL=OFF -DCMAKE_POLICY_VERSION_MINIMUM=3.5
  BUILD_COMMAND ${CMAKE_COMMAND} --build <BINARY_DIR> --target unicorn
  # versions of Unicorn differ in how many archives they build, and in which of them are parts of others
  COMMAND ${CMAKE_COMMAND} -DAR=${CMAKE_AR} -DFOLDER=<BINARY_DIR> -DOUTPUT=${P5_UNICORN_BUILT_ARCHIVE}
          -P ${CMAKE_CURRENT_SOURCE_DIR}/src/engine/unicorn/join.cmake
  INSTALL_COMMAND "" BUILD_BYPRODUCTS ${P5_UNICORN_BUILT_ARCHIVE} USES_TERMINAL_BUILD ON)
