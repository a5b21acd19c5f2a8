# cmake -DNM= -DARCHIVE= -DNAMES= -DPROGRAM= -DOUTPUT= -P symbols.cmake: fails unless the archive defines all these functions of its x86
# processor. Then it writes the symbols of the program, which is linked with the archive.
execute_process(COMMAND ${NM} --defined-only --extern-only ${ARCHIVE} OUTPUT_VARIABLE symbols ERROR_QUIET)
set(missing)
foreach(name IN LISTS NAMES)
  if(NOT symbols MATCHES " T ${name}_x86_64\n")
    list(APPEND missing ${name}_x86_64)
  endif()
endforeach()
if(missing)
  list(JOIN missing " " missing)
  message(FATAL_ERROR "${ARCHIVE} lacks ${missing}: it is not a Unicorn that p5scope knows (2.0.1, 2.1.1)")
endif()
execute_process(COMMAND ${NM} ${PROGRAM} OUTPUT_FILE ${OUTPUT} COMMAND_ERROR_IS_FATAL ANY)
