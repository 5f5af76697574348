package main

import (
	"bufio"
	"fmt"
	"os"
	"sort"
)

// Nodes below one another are a range of the order in which a walk comes to them.
func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	var n int
	fmt.Fscan(in, &n)
	below := make([][]int, n+1)
	for i := 2; i <= n; i++ {
		var p int
		fmt.Fscan(in, &p)
		below[p] = append(below[p], i)
	}
	colour := make([]int, n+1)
	for i := 1; i <= n; i++ {
		fmt.Fscan(in, &colour[i])
	}
	first, last := make([]int, n+1), make([]int, n+1)
	places := make([][]int, n+1)
	time := 0
	var walk func(int)
	walk = func(node int) {
		first[node] = time
		places[colour[node]] = append(places[colour[node]], time)
		time++
		for _, child := range below[node] {
			walk(child)
		}
		last[node] = time
	}
	walk(1)
	for i := 1; i <= n; i++ {
		all := places[colour[i]]
		fmt.Fprint(out, sort.SearchInts(all, last[i])-sort.SearchInts(all, first[i]+1), " ")
	}
	fmt.Fprintln(out)
}
