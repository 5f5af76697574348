#include "elsewhere.h"
int main() { return table(); }
