# What `cmake --install` puts in place: program, libraries with their pkg-config and CMake packages, headers, man pages, shell completion,
# Python module, documents.
include(CMakePackageConfigHelpers)
file(RELATIVE_PATH P5_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /) # the package may be moved
set(P5_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/p5scope)

# Numbers have a decimal point in every locale: cmake/c_locale.c stands before these functions of the C library.
add_library(p5_c_locale OBJECT cmake/c_locale.c)
target_compile_options(p5_c_locale PRIVATE -fno-lto)
set(P5_C_LOCALE)
foreach(name printf fprintf dprintf sprintf snprintf asprintf vfprintf vsnprintf vasprintf)
  list(APPEND P5_C_LOCALE -Wl,--wrap=${name} -Wl,--wrap=__${name}_chk)
endforeach()
list(APPEND P5_C_LOCALE -Wl,--wrap=strtod)

# The public functions and their symbol versions.
set(P5_SYMBOL_MAP ${CMAKE_SOURCE_DIR}/cmake/p5scope.map)
set(P5_SYMBOLS ${CMAKE_CURRENT_BINARY_DIR}/package/symbols)
file(STRINGS ${P5_SYMBOL_MAP} symbols REGEX "^ *p5_[a-z0-9_]+;")
list(TRANSFORM symbols REPLACE "[ ;]" "")
list(JOIN symbols "\n" symbols)
file(CONFIGURE OUTPUT ${P5_SYMBOLS} CONTENT "${symbols}\n")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${P5_SYMBOL_MAP})

# p5_installed_library(NAME [SHARED] FLOORS FLOOR... [LINK ITEM...]): libNAME.a, and libNAME.so if SHARED, from the given floors, linked into one object in which only the
# public functions remain visible. So the replaced functions of libunicorn.a are settled here and not by the linker options of users of the
# library, whose own libunicorn, if any, is left alone. LINK names link options and archives that go into the object, LIBRARIES what is linked
# beside it and has no package.
function(p5_installed_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SHARED" "" "FLOORS;LINK;LIBRARIES")
  set(object ${CMAKE_CURRENT_BINARY_DIR}/package/${name}.o)
  list(TRANSFORM arg_FLOORS REPLACE "(.+)" "p5_\\1" OUTPUT_VARIABLE targets)
  list(TRANSFORM arg_FLOORS REPLACE "(.+)" "$<TARGET_FILE:p5_\\1>" OUTPUT_VARIABLE archives)
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/package)
  add_custom_command(OUTPUT ${object}
    COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -fno-lto -o ${object} -Wl,--whole-archive ${archives} -Wl,--no-whole-archive
            $<TARGET_OBJECTS:p5_c_locale> ${P5_C_LOCALE} ${arg_LINK}
    COMMAND ${CMAKE_OBJCOPY} --keep-global-symbols=${P5_SYMBOLS} --remove-section=.gnu.lto_* ${object}
    DEPENDS ${P5_SYMBOLS} ${targets} ${archives} p5_c_locale $<TARGET_OBJECTS:p5_c_locale> COMMENT "Linking the floors of lib${name}" COMMAND_EXPAND_LISTS VERBATIM)
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
  target_link_libraries(${name}_installed INTERFACE Threads::Threads m ${arg_LIBRARIES})
  install(TARGETS ${name}_installed EXPORT p5scopeTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})

  # What has no shared library must name everything at a plain `pkg-config --libs`: Requires and Libs, not their .private forms.
  list(JOIN packages " " P5_PC_REQUIRES)
  set(P5_PC_NAME ${name})
  set(P5_PC_PRIVATE)
  list(TRANSFORM arg_LIBRARIES PREPEND " -l" OUTPUT_VARIABLE libraries)
  list(JOIN libraries "" libraries)
  set(P5_PC_LIBS " -lpthread -lm${libraries}")
  set(P5_PC_LIBS_PRIVATE)
  if(arg_SHARED)
    set(P5_PC_PRIVATE .private)
    set(P5_PC_LIBS)
    set(P5_PC_LIBS_PRIVATE "Libs.private: -lpthread -lm${libraries}\n")
    # The same object, so that only the public functions are to be seen of it, with their versions. P5_SOVERSION changes when a program that was linked before would break.
    add_library(${name}_shared SHARED ${object})
    set_target_properties(${name}_shared PROPERTIES LINKER_LANGUAGE C OUTPUT_NAME ${name} EXPORT_NAME ${name} VERSION ${P5_SOVERSION}.${PROJECT_VERSION}
                          SOVERSION ${P5_SOVERSION} LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/package)
    target_include_directories(${name}_shared INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    foreach(package IN LISTS packages)
      target_link_libraries(${name}_shared PRIVATE PkgConfig::${package})
    endforeach()
    target_link_libraries(${name}_shared PRIVATE Threads::Threads m ${arg_LIBRARIES})
    target_link_options(${name}_shared PRIVATE -Wl,--version-script=${P5_SYMBOL_MAP})
    set_target_properties(${name}_shared PROPERTIES LINK_DEPENDS ${P5_SYMBOL_MAP})
    set_target_properties(${name}_installed PROPERTIES EXPORT_NAME ${name}_static)
    install(TARGETS ${name}_shared EXPORT p5scopeTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
  configure_file(cmake/package.pc.in package/${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/package/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  set(P5_REQUIRED_PACKAGES ${P5_REQUIRED_PACKAGES} ${packages} PARENT_SCOPE)
endfunction()

set(P5_REQUIRED_PACKAGES)
set(P5_PC_DESCRIPTION "Core model of the Pentium and Pentium MMX with its performance monitor")
p5_installed_library(p5core FLOORS base isa core pmu)
if(TARGET p5_engine AND TARGET p5_machine AND TARGET p5_report)
  set(P5_PC_DESCRIPTION "${PROJECT_DESCRIPTION}")
  p5_installed_library(p5scope SHARED FLOORS base isa core pmu engine machine report
                       LINK $<TARGET_PROPERTY:p5_engine,INTERFACE_LINK_OPTIONS> ${P5_UNICORN_BUILT_ARCHIVE}
                       LIBRARIES stdc++) # the demangler
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
# Documents stand in one folder when they are installed. Links to the sources, which are not there, become their text.
file(GLOB documents CONFIGURE_DEPENDS README.md CHANGELOG.md docs/*.md)
set(installed_documents)
foreach(document IN LISTS documents)
  get_filename_component(name ${document} NAME)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/package/doc/${name})
  add_custom_command(OUTPUT ${output} DEPENDS ${document} VERBATIM
    COMMAND sh -c "sed -E 's@\\]\\(docs/@](@g; s@\\[([^]]*)\\]\\((\\.\\./|tests/)[^)]*\\)@\\1@g' '${document}' >'${output}'")
  list(APPEND installed_documents ${output})
endforeach()
add_custom_target(installed_documents ALL DEPENDS ${installed_documents})
file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/package/doc)
install(FILES LICENSE docs/rules.tsv ${installed_documents} ${made_documents} DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/gtkwave docs/examples docs/schemas DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/gallery DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.svg")
install(FILES events/events.tsv ${metric_groups} DESTINATION ${CMAKE_INSTALL_DATADIR}/p5scope/events)
install(FILES ${models} DESTINATION ${CMAKE_INSTALL_DATADIR}/p5scope/models)
# Completion for three shells, from the table of options.
foreach(shell IN ITEMS bash zsh fish)
  set(completion ${P5_GENERATED}/completion.${shell})
  set(template ${CMAKE_SOURCE_DIR}/cmake/completion.${shell}.in)
  add_custom_command(OUTPUT ${completion}
    COMMAND ${P5_AWK} -v mode=${shell} -f ${option_files} ${template} > ${completion}
    DEPENDS ${option_tables} ${template} COMMENT "Completion for ${shell}" VERBATIM)
  list(APPEND completions ${completion})
endforeach()
add_custom_target(completion ALL DEPENDS ${completions})
install(FILES ${P5_GENERATED}/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME p5scope)
install(FILES ${P5_GENERATED}/completion.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _p5scope)
install(FILES ${P5_GENERATED}/completion.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME p5scope.fish)

# The Python module: its files and the declarations of the public headers.
find_program(P5_PYTHON python3 HINTS /usr/bin DOC "Python whose packages the module is installed beside")
if(P5_PYTHON)
  execute_process(COMMAND ${P5_PYTHON} -c "import sysconfig; print(sysconfig.get_path('purelib'))" OUTPUT_VARIABLE python_packages)
endif()
if(NOT python_packages MATCHES "/(lib[0-9]*/python[^\n]*)")
  set(CMAKE_MATCH_1 lib/python3/site-packages)
endif()
set(P5_PYTHON_FOLDER ${CMAKE_MATCH_1} CACHE STRING "Where the Python module is installed, under the prefix")
set(python_headers include/p5scope/status.h ${P5_GENERATED}/p5scope/event_ids.h include/p5scope/event.h include/p5scope/core.h include/p5scope/model.h
    include/p5scope/pmu.h include/p5scope/machine.h include/p5scope/inspect.h include/p5scope/observe.h
    include/p5scope/snapshot.h ${P5_GENERATED}/p5scope/version.h)
set(python_module ${CMAKE_BINARY_DIR}/python/p5scope)
file(GLOB python_sources CONFIGURE_DEPENDS python/p5scope/*.py)
add_custom_command(OUTPUT ${python_module}/_declarations.h ${python_module}/__init__.py ${python_module}/_library.py
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${CMAKE_SOURCE_DIR}/python/p5scope ${python_module}
  COMMAND ${CMAKE_COMMAND} -E env CC=${CMAKE_C_COMPILER} sh -c "'${CMAKE_SOURCE_DIR}/python/cdef.sh' \"$@\" >'${python_module}/_declarations.h'" sh ${python_headers}
  DEPENDS ${python_headers} python/cdef.sh ${python_sources}
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} COMMENT "Python module" VERBATIM)
add_custom_target(python_module ALL DEPENDS ${python_module}/_declarations.h)
# Where the library is, seen from the installed module: the prefix may be any.
file(RELATIVE_PATH P5_PYTHON_LIBRARY /${P5_PYTHON_FOLDER}/p5scope /${CMAKE_INSTALL_LIBDIR}/libp5scope.so.${P5_SOVERSION})
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/package/_installed.py "LIBRARY = \"${P5_PYTHON_LIBRARY}\"\n")
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/package/_installed.py DESTINATION ${P5_PYTHON_FOLDER}/p5scope)
install(DIRECTORY ${python_module} DESTINATION ${P5_PYTHON_FOLDER} FILES_MATCHING PATTERN "*.py" PATTERN "*.h")

# docs/NAME.SECTION.scd -> man page NAME(SECTION)
find_program(P5_SCDOC scdoc DOC "Makes the man pages")
file(GLOB manuals CONFIGURE_DEPENDS docs/*.scd)
if(P5_SCDOC)
  set(man_page ${CMAKE_SOURCE_DIR}/cmake/man_page.sh)
  set(pages)
  foreach(manual IN LISTS manuals)
    get_filename_component(page ${manual} NAME_WLE)
    string(REGEX REPLACE ".*\\." "" section ${page})
    string(REGEX REPLACE "p5scope-(.*)\\..*" "\\1" verb ${page})
    set(output ${CMAKE_CURRENT_BINARY_DIR}/package/${page})
    # with the options of the verb from their table
    add_custom_command(OUTPUT ${output}.scd ${output}
      COMMAND ${P5_AWK} -v mode=man -v verb=${verb} -f ${option_files} ${manual} > ${output}.scd
      COMMAND sh -c "'${man_page}' '${P5_SCDOC}' <'${output}.scd' >'${output}'"
      DEPENDS ${manual} ${man_page} ${option_tables} COMMENT "Man page ${page}" VERBATIM)
    install(FILES ${output} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
    list(APPEND pages ${output})
  endforeach()
  # made from tables: PAGE.SECTION
  foreach(page IN ITEMS events.7 owners.7 metrics.5 board.7)
    get_filename_component(name ${page} NAME_WE)
    string(REGEX REPLACE ".*\\." "" section ${page})
    set(output ${CMAKE_CURRENT_BINARY_DIR}/package/p5scope-${page})
    add_custom_command(OUTPUT ${output} COMMAND sh -c "'${CMAKE_SOURCE_DIR}/docs/tables.sh' ${name} '${CMAKE_SOURCE_DIR}' | '${man_page}' '${P5_SCDOC}' >'${output}'"
                       DEPENDS ${man_page} docs/tables.sh events/events.tsv events/stalls.tsv events/words.tsv ${metric_groups} docs/board.md COMMENT "Man page p5scope-${page}" VERBATIM)
    install(FILES ${output} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
    list(APPEND pages ${output})
  endforeach()
  add_custom_target(manual ALL DEPENDS ${pages})
elseif(IS_DIRECTORY ${CMAKE_SOURCE_DIR}/generated/man) # of a source tarball
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/generated/man/ DESTINATION ${CMAKE_INSTALL_MANDIR})
elseif(manuals)
  message(STATUS "scdoc is not installed: no man pages")
endif()
