# The commit of the sources as a C function, in a file that is touched only if it changed:
# cmake -DSOURCE=DIR -DOUT=FILE -P commit.cmake.  "-dirty" if what the program is built from differs
# from it; pages may.  "" without git or out of a repository; one around the unpacked sources does
# not count.
set(commit "")
if(EXISTS ${SOURCE}/.git)
  execute_process(COMMAND git rev-parse --short HEAD WORKING_DIRECTORY ${SOURCE}
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
                  RESULT_VARIABLE failed)
  execute_process(COMMAND git diff --quiet HEAD -- cli cmake experiments include src CMakeLists.txt
                  WORKING_DIRECTORY ${SOURCE} ERROR_QUIET RESULT_VARIABLE changed)
  if(failed)
    set(commit "")
  elseif(changed)
    string(APPEND commit "-dirty")
  endif()
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "#include \"terminal/terminal.h\"

const char *machine_commit(void) { return \"${commit}\"; }
" @ONLY)
