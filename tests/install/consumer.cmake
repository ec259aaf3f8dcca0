# SPDX-License-Identifier: BSD-3-Clause
# The CMakeLists.txt of a program that uses an installed featcross.
cmake_minimum_required(VERSION 3.21)
project(consumer LANGUAGES C)
find_package(featcross 0.1 REQUIRED)
add_executable(with_shared consumer.c)
target_link_libraries(with_shared featcross::featcross)
add_executable(with_static consumer.c)
target_link_libraries(with_static featcross::featcross_static)
