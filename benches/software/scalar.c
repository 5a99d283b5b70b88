// What code could cost that is compiled for one thread after the other: a model in C. Each access checks its range, its
// alignment, and that its memory is alive; the allocation is known already. Prints the least user time of some rounds.
//
//     gcc -O2 -march=native -fno-tree-vectorize -o scalar benches/software/scalar.c -lm && taskset -c 0 ./scalar
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

typedef unsigned long address;

struct allocation {
    address base, size;
    volatile int gone;
    char *host;
};

static int faults;

static inline volatile float *place(address at, const struct allocation *in) {
    if (__builtin_expect(at - in->base > in->size - 4 || at & 3 || in->gone, 0)) {
        faults++;
        at = in->base;
    }
    return (volatile float *)(in->host + (at - in->base));
}

__attribute__((noinline)) static void saxpy(unsigned block, unsigned threads, unsigned thread, unsigned n, float a,
                                            const struct allocation *x, const struct allocation *y) {
    unsigned i = block * threads + thread;
    if (i >= n) return;
    float sum = fmaf(a, *place(x->base + 4ul * i, x), *place(y->base + 4ul * i, y));
    *place(y->base + 4ul * i, y) = sum;
}

__attribute__((noinline)) static void matmul(unsigned row, unsigned column, unsigned n, const struct allocation *in) {
    float sum = 0;
    for (unsigned k = 0; k < n; k++)
        sum = fmaf(*place(in[0].base + 4ul * (row * n + k), in), *place(in[1].base + 4ul * (k * n + column), in + 1), sum);
    *place(in[2].base + 4ul * (row * n + column), in + 2) = sum;
}

static double user(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec + usage.ru_utime.tv_usec * 1e-6;
}

int main(void) {
    unsigned n = 1 << 24;
    struct allocation memory[3];
    for (int i = 0; i < 3; i++) {
        memory[i] = (struct allocation){(1ul << 48) + i * (1ul << 30), 4ul * n, 0, malloc(4ul * n)};
        for (unsigned j = 0; j < n; j++) ((float *)memory[i].host)[j] = j % 1000;
    }
    double best[2] = {1e9, 1e9};
    for (int round = 0; round < 7; round++) {
        double start = user();
        for (unsigned block = 0; block < n / 256; block++)
            for (unsigned thread = 0; thread < 256; thread++) saxpy(block, 256, thread, n, 0.5f, memory, memory + 1);
        double middle = user();
        for (unsigned row = 0; row < 512; row++)
            for (unsigned column = 0; column < 512; column++) matmul(row, column, 512, memory);
        double end = user();
        if (middle - start < best[0]) best[0] = middle - start;
        if (end - middle < best[1]) best[1] = end - middle;
    }
    printf("saxpy %.4f\nmatmul %.4f\n", best[0], best[1]);
    return faults != 0;
}
