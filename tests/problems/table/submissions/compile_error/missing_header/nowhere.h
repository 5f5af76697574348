inline int table() { return 0; }
