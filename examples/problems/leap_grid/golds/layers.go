package main

import (
	"bufio"
	"fmt"
	"os"
)

type field struct{ y, x int }

func main() {
	in := bufio.NewReader(os.Stdin)
	var h, w int
	fmt.Fscan(in, &h, &w)
	grid := make([]string, h)
	var start, goal field
	for y := range grid {
		fmt.Fscan(in, &grid[y])
		for x, c := range grid[y] {
			if c == 'S' {
				start = field{y, x}
			} else if c == 'T' {
				goal = field{y, x}
			}
		}
	}
	names := "LRUDlrud"
	moves := []field{{0, -2}, {0, 2}, {-2, 0}, {2, 0}, {0, -1}, {0, 1}, {-1, 0}, {1, 0}}
	reached := map[field]int{start: -1}
	layer := []field{start}
	for len(layer) > 0 {
		next := []field{}
		for _, at := range layer {
			for k, move := range moves {
				to := field{at.y + move.y, at.x + move.x}
				if to.y < 0 || to.x < 0 || to.y >= h || to.x >= w || grid[to.y][to.x] == '#' {
					continue
				}
				if _, known := reached[to]; !known {
					reached[to] = k
					next = append(next, to)
				}
			}
		}
		layer = next
	}
	if _, known := reached[goal]; !known {
		fmt.Println("none")
		return
	}
	way := ""
	for at := goal; at != start; {
		k := reached[at]
		way = string(names[k]) + way
		at = field{at.y - moves[k].y, at.x - moves[k].x}
	}
	fmt.Printf("%d\n%s\n", len(way), way)
}
