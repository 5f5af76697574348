// attack: a macro that doubles forty times: a few lines that preprocess to terabytes.
// defence: limits of the compiler's own run
// levels: full rootless landlock
// expect: compile_error

#define A0 x, x
#define A1 A0, A0
#define A2 A1, A1
#define A3 A2, A2
#define A4 A3, A3
#define A5 A4, A4
#define A6 A5, A5
#define A7 A6, A6
#define B0 A7, A7
#define B1 B0, B0
#define B2 B1, B1
#define B3 B2, B2
#define B4 B3, B3
#define B5 B4, B4
#define B6 B5, B5
#define B7 B6, B6
#define C0 B7, B7
#define C1 C0, C0
#define C2 C1, C1
#define C3 C2, C2
#define C4 C3, C3
#define C5 C4, C4
#define C6 C5, C5
#define C7 C6, C6
#define D0 C7, C7
#define D1 D0, D0
#define D2 D1, D1
#define D3 D2, D2
#define D4 D3, D3
#define D5 D4, D4
#define D6 D5, D5
#define D7 D6, D6

int main(void) {
    int x = 0, y[] = {D7, D7};
    return y[x];
}
