def net_positions(transfers: list[list]) -> dict[str, int]:
