# SPDX-License-Identifier: BSD-3-Clause
"""Names and keys of the library's tables, spec strings, messages in the words of Python."""
