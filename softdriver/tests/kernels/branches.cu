// Nested divergent branches and loops, and a switch.
extern "C" __global__ void branches(unsigned n, const int *x, int *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = x[i];
    int acc = 0;
    for (int j = 0; j < (v & 15); ++j) {
        if ((v + j) % 3 == 0) {
            for (int k = 0; k < j; ++k) {
                if (k == 5) break;
                acc += k * v;
            }
        } else if ((v ^ j) & 4) {
            acc -= j;
            continue;
        }
        acc += 1;
    }
    switch (v % 9) {
    case 0: acc += 100; break;
    case 1: acc *= 3; break;
    case 2: acc -= 7; // and on
    case 3: acc ^= 0x55; break;
    case 4: acc = -acc; break;
    case 5: acc = acc * acc + 1; break;
    case 6: acc += v; break;
    case 7: while (acc > 10) acc /= 2; break;
    default: acc = 42;
    }
    out[i] = acc;
}

// A function that is called and that calls itself.
__device__ __noinline__ unsigned fibonacci(unsigned n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

extern "C" __global__ void calls(unsigned n, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = fibonacci(i % 10);
}
