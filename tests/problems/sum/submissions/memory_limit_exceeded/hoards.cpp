#include <cstdlib>
#include <cstring>
int main() {
    for (;;) {
        char *more = static_cast<char *>(std::malloc(16 << 20));
        if (more == nullptr) return 0;
        std::memset(more, 1, 16 << 20);
    }
}
