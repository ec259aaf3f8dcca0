/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/reader.h"
const fxi_data_format fxi_data_npy = {.name="npy"};
const fxi_data_format fxi_data_npz = {.name="npz"};
