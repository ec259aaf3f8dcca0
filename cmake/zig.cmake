# A toolchain: zig's C compiler, for a processor and a glibc that need not be this machine's.
# scripts/wheels sets FX_ARCH (x86_64, aarch64), FX_TOOLS (a folder with cc, ar, ranlib) and FX_ROOT
# (headers and archives of other libraries for that processor).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR $ENV{FX_ARCH})
set(CMAKE_C_COMPILER $ENV{FX_TOOLS}/cc)
set(CMAKE_AR $ENV{FX_TOOLS}/ar)
set(CMAKE_RANLIB $ENV{FX_TOOLS}/ranlib)
set(CMAKE_LIBRARY_ARCHITECTURE $ENV{FX_ARCH}-linux-gnu)
set(CMAKE_FIND_ROOT_PATH $ENV{FX_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} $ENV{FX_ROOT})
set(ENV{PKG_CONFIG_LIBDIR}
    $ENV{FX_ROOT}/usr/lib/$ENV{FX_ARCH}-linux-gnu/pkgconfig:$ENV{FX_ROOT}/usr/share/pkgconfig)
# zig keeps frame pointers and debugging information unless told otherwise; gcc does not.
set(CMAKE_C_FLAGS_INIT "-fomit-frame-pointer -g0")
set(CMAKE_EXE_LINKER_FLAGS_INIT -s)
set(CMAKE_SHARED_LINKER_FLAGS_INIT -s)
# What the compiler calls by itself (128-bit division, ..) is taken from libgcc.a, in which every
# function is a file of its own.  zig's own library is one file: whoever needs a function of it gets
# its memcpy and exp too, in place of glibc's, slower and with other last bits.
file(GLOB libgcc $ENV{FX_ROOT}/usr/lib/gcc/*/*/libgcc.a)
set(CMAKE_C_STANDARD_LIBRARIES_INIT ${libgcc})
