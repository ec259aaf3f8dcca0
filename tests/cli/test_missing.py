# SPDX-License-Identifier: BSD-3-Clause
"""Tables as people have them: missing numbers, words among numbers, columns that are no features.

Covers: cli/tables/missing.c, cli/tables/label_check.c"""
