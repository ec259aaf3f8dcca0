# Protection against what a fault in memory could become, in all that is compiled and linked here;
# not in builds for debugging or with sanitizers, which find the faults.  tests/hardening reads it
# off the binaries.
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)
include(CheckPIESupported)

if(FX_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL Debug)
  return()
endif()
check_pie_supported(LANGUAGES C)        # the program; CMAKE_POSITION_INDEPENDENT_CODE asks for it

# Overwritten return addresses, calls and returns to where none should go.
foreach(flag -fstack-protector-strong -fcf-protection=full -mbranch-protection=standard)
  string(MAKE_C_IDENTIFIER "FX_HAS${flag}" known)
  check_c_compiler_flag(${flag} ${known})
  if(${known})
    add_compile_options(${flag})
  endif()
endforeach()

# Lengths that glibc's functions can check: 3 where compiler and glibc know it, else 2.
set(CMAKE_REQUIRED_FLAGS "-Werror -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
check_c_source_compiles("#include <string.h>
int main(void) { return 0; }" FX_HAS_FORTIFY_3)
unset(CMAKE_REQUIRED_FLAGS)
if(FX_HAS_FORTIFY_3)                    # as one option: CMake drops one that it has seen before
  add_compile_options("SHELL:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
else()
  add_compile_options("SHELL:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2")
endif()

# All functions found at the start, and their table read-only from then on; no code in the stack.
add_link_options(LINKER:-z,relro,-z,now,-z,noexecstack)
