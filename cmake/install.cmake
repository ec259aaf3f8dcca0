# Library, header, program, man page, completion of shells, pkg-config file and CMake package.
# Nothing installed holds an absolute path, so the tree may be moved.
install(TARGETS featcross featcross_static EXPORT featcross
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES include/featcross.h include/featcross_extra.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET featcross_cli)
  install(TARGETS featcross_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES ${PROJECT_BINARY_DIR}/featcross.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  # shell/folder/name, where the shells look for them
  foreach(shell bash/bash-completion/completions/featcross zsh/zsh/site-functions/_featcross
                fish/fish/vendor_completions.d/featcross.fish)
    string(REGEX MATCH "^([a-z]+)/(.*)/(.*)$" _ ${shell})
    install(FILES ${PROJECT_BINARY_DIR}/featcross.${CMAKE_MATCH_1}
            DESTINATION ${CMAKE_INSTALL_DATADIR}/${CMAKE_MATCH_2} RENAME ${CMAKE_MATCH_3})
  endforeach()
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/featcross)
install(EXPORT featcross NAMESPACE featcross:: FILE featcross-targets.cmake
        DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/featcross-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES cmake/featcross-config.cmake ${PROJECT_BINARY_DIR}/featcross-config-version.cmake
        DESTINATION ${package_dir})
file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)     # from the .pc file to the prefix
string(REGEX REPLACE "/$" "" up ${up})
set(private ${lbfgs_LIBRARIES})        # what the static library needs
list(TRANSFORM private PREPEND -l)
list(JOIN private " " private)
configure_file(cmake/featcross.pc.in ${PROJECT_BINARY_DIR}/featcross.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/featcross.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# A wheel takes this part alone: one library, wheels having no links, the program, the command that
# starts it, and the licences of what is linked or compiled in.
if(SKBUILD)
  add_custom_target(wheel DEPENDS featcross featcross_cli)
  install(FILES $<TARGET_FILE:featcross> DESTINATION featcross RENAME libfeatcross.so
          COMPONENT python)
  install(PROGRAMS $<TARGET_FILE:featcross_cli> DESTINATION featcross COMPONENT python)
  install(PROGRAMS python/command DESTINATION ${SKBUILD_SCRIPTS_DIR} RENAME featcross
          COMPONENT python)
  foreach(package liblbfgs librandom123 libjansson zlib1g liblzma libzstd libbz2)
    install(FILES ${CMAKE_FIND_ROOT_PATH}/usr/share/doc/${package}-dev/copyright OPTIONAL
            COMPONENT python DESTINATION ${SKBUILD_METADATA_DIR}/licenses/${package})
  endforeach()
endif()
