"""Does an instance keep what its format says beyond the shape: bounds, alphabets, order, graphs?"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from codejury.mutation.inputs.format import (
    Env,
    Field,
    Format,
    Graph,
    Instance,
    Path,
    Value,
    interval,
    skeleton_of,
    walk,
)


def violation(format: Format, instance: Instance) -> str | None:
    """What is wrong, or None."""
    groups: dict[tuple[int, Path], list[Value]] = {}
    vertices: dict[tuple[int, Path], int] = {}
    ends = {end: graph for graph in format.graphs for end in (graph.u, graph.v)}
    totals: dict[int, int] = {}
    for field, index, value, env in walk(format, instance):
        wrong = _wrong(field, index, value, env)
        if wrong:
            return f"{field.name or field.id} at {index}: {wrong}"
        if field.order or field.distinct or field.permutation or field.head_nonzero or field.id in ends:
            groups.setdefault((field.id, index[:-1]), []).append(value)
        if field.id in ends:
            vertices[(field.id, index[:-1])] = env.size(ends[field.id].vertices)
        if field.most_in_total is not None and isinstance(value, int):
            totals[field.id] = totals.get(field.id, 0) + value
            if totals[field.id] > field.most_in_total:
                return f"{field.name or field.id}: more than {field.most_in_total} in all"
    by_id = {field.id: field for field, *_ in walk(format, instance)} if groups else {}
    for (number, _), values in groups.items():
        wrong = _group_wrong(by_id[number], values)
        if wrong:
            return f"{by_id[number].name or number}: {wrong}"
    if format.apart:
        places = [tuple(instance.values.get((field,)) for field in group) for group in format.apart]
        if len(set(places)) != len(places):
            return "two places that are the same"
    for graph in format.graphs:
        for (number, place), us in groups.items():
            if number == graph.u:
                vs = groups[(graph.v, place)]
                pairs = [(u, v) for u, v in zip(us, vs, strict=True) if isinstance(u, int) and isinstance(v, int)]
                wrong = graph_wrong(graph, pairs, vertices[(graph.u, place)])
                if wrong:
                    return wrong
    for grid in format.grids:
        words: dict[Path, list[str]] = {}
        for path, value in instance.values.items():
            if path[0] == grid.field:
                words.setdefault(path[1:-1], []).append(str(value))
        for each in words.values():
            text = "".join(each)
            if any(text.count(letter) != 1 for letter in grid.once) or any(letter not in text for letter in grid.some):
                return "a letter of the grid is missing, or there twice"
    return None


def _wrong(field: Field, index: Path, value: Value, env: Env) -> str | None:
    if isinstance(value, int):
        low, high = interval(field, env, index)
        if not low <= value <= high:
            return f"{value} is not in {low}..{high}"
        return f"{value} is no multiple of {field.step}" if value % field.step else None
    if field.vocabulary:
        return None if value in field.vocabulary else "a word that is none of the known"
    if field.length is not None:
        if len(value) != env.size(field.length):
            return "a word of another length"
    elif not field.shortest <= len(value) <= field.longest:
        return f"a length that is not in {field.shortest}..{field.longest}"
    if not set(value) <= set(field.alphabet):
        return "letters that are not in the alphabet"
    if field.skeletons and skeleton_of(value) not in field.skeletons:
        return "a word of another shape"
    return None


def _group_wrong(field: Field, values: list[Value]) -> str | None:
    numbers = [each for each in values if isinstance(each, int)]
    if field.order == "ascending" and any(a > b for a, b in itertools.pairwise(numbers)):
        return "not ascending"
    if field.order == "descending" and any(a < b for a, b in itertools.pairwise(numbers)):
        return "not descending"
    if (field.distinct or field.permutation) and len(set(values)) != len(values):
        return "values that are not distinct"
    if field.permutation and numbers and max(numbers) - min(numbers) != len(numbers) - 1:
        return "no permutation"
    if field.head_nonzero and len(values) > 1 and values[0] == 0:
        return "a leading zero"
    return None


def graph_wrong(graph: Graph, pairs: Iterable[tuple[int, int]], vertices: int) -> str | None:
    seen: set[tuple[int, int]] = set()
    parent: dict[int, int] = {}

    def root(vertex: int) -> int:
        while parent.setdefault(vertex, vertex) != vertex:
            parent[vertex] = parent[parent[vertex]]
            vertex = parent[vertex]
        return vertex

    for u, v in pairs:
        if not (graph.base <= u < graph.base + vertices and graph.base <= v < graph.base + vertices):
            return "a vertex that is not there"
        if graph.ordered and u > v:
            return "an edge the wrong way round"
        if u == v and not graph.loops:
            return "an edge from a vertex to itself"
        key = (min(u, v), max(u, v))
        if key in seen and not graph.multiple:
            return "an edge twice"
        seen.add(key)
        one, other = root(u), root(v)
        if one == other and graph.tree:
            return "a cycle in a tree"
        parent[one] = other
    return None
