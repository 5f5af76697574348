package main

import (
	"bufio"
	"fmt"
	"os"
	"sort"
)

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	var n int
	fmt.Fscan(in, &n)
	b := make([]int, n)
	for i := range b {
		fmt.Fscan(in, &b[i])
	}
	sort.Sort(sort.Reverse(sort.IntSlice(b)))
	sum := int64(0)
	for i, x := range b {
		sum += int64(x) * int64(n-1-i)
	}
	fmt.Println(sum)
}
