int main(void) { return undeclared_thing; }
