# cmake -DAR= -DFOLDER= -DOUTPUT= -P join.cmake: joins all archives in a folder into one.
file(GLOB archives ${FOLDER}/*.a)
file(REMOVE ${OUTPUT})
set(script "create ${OUTPUT}\n")
foreach(archive IN LISTS archives)
  string(APPEND script "addlib ${archive}\n")
endforeach()
file(WRITE ${OUTPUT}.mri "${script}save\nend\n")
execute_process(COMMAND ${AR} -M INPUT_FILE ${OUTPUT}.mri COMMAND_ERROR_IS_FATAL ANY)
