from typing import Any, Dict, List


class Solution:
    def net_positions(self, transfers: List[List[Any]]) -> Dict[str, int]:
        net: Dict[str, int] = {}
        for giver, taker, cents in transfers:
            for name, change in ((giver, cents), (taker, -cents)):
                net[name] = net.get(name, 0) + change
                if net[name] == 0:
                    del net[name]
        return net
