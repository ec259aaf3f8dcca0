# SPDX-License-Identifier: BSD-3-Clause
"""What learners share: fit and predict, tasks, parameters that are chosen, rows with NaN."""
