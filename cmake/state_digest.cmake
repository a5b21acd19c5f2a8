# cmake -DOUTPUT=FILE -P state_digest.cmake HEADER...: a digest of the headers that lay out what a snapshot holds, so that a build does not
# load what another one with other structures has saved. Comments and white space are none of it. The file is only touched when the
# digest changes.
set(all "")
math(EXPR last "${CMAKE_ARGC} - 1")
set(found OFF)
foreach(i RANGE ${last})
  if(found)
    file(READ ${CMAKE_ARGV${i}} text)
    string(REGEX REPLACE "/[*]([^*]|[*]+[^*/])*[*]+/" " " text "${text}")
    string(REGEX REPLACE "[ \t\r\n]+" " " text "${text}")
    string(APPEND all "${text}")
  elseif(CMAKE_ARGV${i} MATCHES "state_digest\\.cmake$")
    set(found ON)
  endif()
endforeach()
string(SHA256 digest "${all}")
string(SUBSTRING ${digest} 0 32 digest)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "/* Made by cmake/state_digest.cmake. */\n#define STATE_DIGEST \"${digest}\"\n")
