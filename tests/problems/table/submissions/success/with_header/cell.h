inline int cell(int i, int j) { return i * j; }
