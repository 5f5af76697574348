"""The problems of a file by their ids, on disk.

Submissions come in any order, and a data set may be larger than memory: so its problems are read once, checked, and put
into a file of our own from which each is taken when it is wanted. The file has no name, and goes with the process.
"""

from __future__ import annotations

import json
import os
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from types import TracebackType

from codejury.dataset.formats import kattis
from codejury.dataset.problems import problem_of, read_problems, row_of
from codejury.dataset.rows import BadRow, OnError
from codejury.errors import UsageError
from codejury.model import Problem

_AT_HAND = 16  # problems that are kept as they are


class Shelf(Mapping[str, Problem]):
    """A context manager. Problem packages are not copied: their cases are files already."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        *more: str | os.PathLike[str],
        format: str | None = None,
        on_error: OnError | None = None,
    ) -> None:
        """`more`: further files of the same data set."""
        self._path = path
        self._file = tempfile.TemporaryFile(prefix="codejury-problems-")  # noqa: SIM115 - closed by close()
        self._places: dict[str, int] = {}
        self._packages: dict[str, Problem] = {}
        self._recent: OrderedDict[str, Problem] = OrderedDict()
        self._lock = threading.Lock()
        try:
            for each in (path, *more):
                for problem in read_problems(each, format=format, on_error=on_error):
                    self._put(problem, on_error)
        except BaseException:
            self.close()
            raise

    def _put(self, problem: Problem, on_error: OnError | None) -> None:
        if problem.id in self:
            error = BadRow(os.fspath(self._path), "id", "one problem of each id", f"a second {problem.id!r}")
            if on_error is None:
                raise error
            on_error(error)
        elif isinstance(problem.cases, kattis.CaseFiles):
            self._packages[problem.id] = problem
        else:
            self._places[problem.id] = self._file.tell()
            self._file.write(json.dumps(row_of(problem)).encode() + b"\n")

    @property
    def only(self) -> Problem:
        """Where there is but one."""
        (name,) = self
        return self[name]

    def __getitem__(self, name: str) -> Problem:
        if name in self._packages:
            return self._packages[name]
        with self._lock:
            if name in self._recent:
                self._recent.move_to_end(name)
                return self._recent[name]
            self._file.seek(self._places[name])
            problem = problem_of(json.loads(self._file.readline()), where=f"{self._path}: {name}", format="codejury")
            self._recent[name] = problem
            if len(self._recent) > _AT_HAND:
                self._recent.popitem(last=False)
            return problem

    def __iter__(self) -> Iterator[str]:
        yield from self._packages
        yield from self._places

    def __len__(self) -> int:
        return len(self._packages) + len(self._places)

    def __contains__(self, name: object) -> bool:
        return name in self._packages or name in self._places

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Shelf:
        if not self:
            self.close()
            raise UsageError(f"{self._path}: expected problems, found none that can be read")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
