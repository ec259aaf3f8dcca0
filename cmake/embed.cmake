# Files as strings of a C table: cmake -DLIST=FILE -DOUT=FILE -P embed.cmake.  LIST holds paths.
file(READ ${LIST} paths)
set(arrays "")
set(table "")
foreach(path ${paths})
  get_filename_component(name ${path} NAME_WE)
  string(MAKE_C_IDENTIFIER ${name} id)
  file(READ ${path} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND arrays "static const char ${id}[] = {${bytes}0};\n")
  string(APPEND table "    {\"${name}\", ${id}},\n")
endforeach()
file(WRITE ${OUT} "#include \"reproduce/recipe.h\"\n\n${arrays}\n"
     "const struct experiment experiments[] = {\n${table}    {0},\n};\n")
