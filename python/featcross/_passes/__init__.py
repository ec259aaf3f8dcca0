# SPDX-License-Identifier: BSD-3-Clause
"""Rows that a fit visits several times: packed once, in a file or in other processes."""
