# What `cmake --install` puts in place: program, two static libraries with their pkg-config and CMake packages, headers, man pages, shell
# completion.
include(CMakePackageConfigHelpers)
file(RELATIVE_PATH P5_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /) # the package may be moved
set(P5_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/p5scope)

# p5_installed_library(NAME FLOORS FLOOR... [LINK ITEM...]): libNAME.a from the given floors, linked into one object in which only the p5_
# names remain visible. So the replaced functions of libunicorn.a are settled here and not by the linker options of whoever uses the
# library, whose own libunicorn, if any, is left alone. LINK names link options and archives that go into the object.
function(p5_installed_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FLOORS;LINK")
  set(object ${CMAKE_CURRENT_BINARY_DIR}/package/${name}.o)
  list(TRANSFORM arg_FLOORS REPLACE "(.+)" "p5_\\1" OUTPUT_VARIABLE targets)
  list(TRANSFORM arg_FLOORS REPLACE "(.+)" "$<TARGET_FILE:p5_\\1>" OUTPUT_VARIABLE archives)
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/package)
  add_custom_command(OUTPUT ${object}
    COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -fno-lto -o ${object} -Wl,--whole-archive ${archives} -Wl,--no-whole-archive ${arg_LINK}
    COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=p5_* --remove-section=.gnu.lto_* ${object}
    DEPENDS ${targets} ${archives} COMMENT "Linking the floors of lib${name}" COMMAND_EXPAND_LISTS VERBATIM)
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)

  add_library(${name}_installed STATIC ${object})
  set_target_properties(${name}_installed PROPERTIES LINKER_LANGUAGE C OUTPUT_NAME ${name} EXPORT_NAME ${name}
                        ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/package)
  target_include_directories(${name}_installed INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  set(packages)
  foreach(floor IN LISTS arg_FLOORS)
    list(APPEND packages ${P5_PACKAGES_${floor}})
  endforeach()
  foreach(package IN LISTS packages)
    target_link_libraries(${name}_installed INTERFACE PkgConfig::${package})
  endforeach()
  target_link_libraries(${name}_installed INTERFACE Threads::Threads m)
  install(TARGETS ${name}_installed EXPORT p5scopeTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})

  # There is no shared library, so a plain `pkg-config --libs` must name everything: Requires and Libs, not their .private forms.
  list(JOIN packages " " P5_PC_REQUIRES)
  set(P5_PC_NAME ${name})
  configure_file(cmake/package.pc.in package/${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/package/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  set(P5_REQUIRED_PACKAGES ${P5_REQUIRED_PACKAGES} ${packages} PARENT_SCOPE)
endfunction()

set(P5_REQUIRED_PACKAGES)
set(P5_PC_DESCRIPTION "Core model of the Pentium and Pentium MMX with its performance monitor")
p5_installed_library(p5core FLOORS base isa core pmu)
if(TARGET p5_engine AND TARGET p5_machine AND TARGET p5_report)
  set(P5_PC_DESCRIPTION "${PROJECT_DESCRIPTION}")
  p5_installed_library(p5scope FLOORS base isa core pmu engine machine report
                       LINK $<TARGET_PROPERTY:p5_engine,INTERFACE_LINK_OPTIONS> ${P5_UNICORN_BUILT_ARCHIVE})
endif()
list(REMOVE_DUPLICATES P5_REQUIRED_PACKAGES)

install(DIRECTORY include/p5scope DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(DIRECTORY ${P5_GENERATED}/p5scope DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT p5scopeTargets NAMESPACE p5scope:: DESTINATION ${P5_PACKAGE_DIR})
configure_package_config_file(cmake/p5scopeConfig.cmake.in package/p5scopeConfig.cmake INSTALL_DESTINATION ${P5_PACKAGE_DIR})
write_basic_package_version_file(package/p5scopeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/package/p5scopeConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/package/p5scopeConfigVersion.cmake
        DESTINATION ${P5_PACKAGE_DIR})
if(TARGET p5scope)
  install(TARGETS p5scope RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(FILES README.md LICENSE docs/sweeps.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/gtkwave DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES cmake/p5scope.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME p5scope)

# docs/NAME.SECTION.scd -> man page NAME(SECTION)
find_program(P5_SCDOC scdoc DOC "Makes the man pages")
file(GLOB manuals CONFIGURE_DEPENDS docs/*.scd)
if(P5_SCDOC)
  set(pages)
  foreach(manual IN LISTS manuals)
    get_filename_component(page ${manual} NAME_WLE)
    string(REGEX REPLACE ".*\\." "" section ${page})
    set(output ${CMAKE_CURRENT_BINARY_DIR}/package/${page})
    add_custom_command(OUTPUT ${output} COMMAND sh -c "'${P5_SCDOC}' <'${manual}' >'${output}'" DEPENDS ${manual}
                       COMMENT "Man page ${page}" VERBATIM)
    install(FILES ${output} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
    list(APPEND pages ${output})
  endforeach()
  add_custom_target(manual ALL DEPENDS ${pages})
elseif(manuals)
  message(STATUS "scdoc is not installed: no man pages")
endif()
