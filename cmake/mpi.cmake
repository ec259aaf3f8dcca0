# libfeatcross_mpi.so (plugins/mpi), beside the program and installed beside the library.  The
# program is not linked with it and needs no MPI.  A wheel, which has to run everywhere, does
# without.
if(NOT FX_MPI OR SKBUILD OR FX_BUNDLE)
  return()
endif()
find_package(MPI QUIET COMPONENTS C)
if(NOT MPI_C_FOUND)
  if(NOT FX_MPI_SAID)
    message(NOTICE "mpi.h was not found, so featcross will run in one process: "
                   "libfeatcross_mpi.so is left out (Debian: libopenmpi-dev)")
    set(FX_MPI_SAID ON CACHE INTERNAL "that MPI was not found has been said")
  endif()
  return()
endif()
unset(FX_MPI_SAID CACHE)
add_library(featcross_mpi MODULE plugins/mpi/messages.c)
target_include_directories(featcross_mpi PRIVATE cli)
target_include_directories(featcross_mpi SYSTEM PRIVATE ${MPI_C_INCLUDE_DIRS})
target_link_libraries(featcross_mpi PRIVATE MPI::MPI_C)
install(TARGETS featcross_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
