"""`from codejury.config import TaskConfig`, for who comes from evalscope and changes one word."""

from codejury.benchmarks.task import TaskConfig

__all__ = ["TaskConfig"]
