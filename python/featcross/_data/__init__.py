# SPDX-License-Identifier: BSD-3-Clause
"""Rows, labels and results: what users hold, as the library takes it, and back."""
