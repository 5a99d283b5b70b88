// Control: calls, tables, recursion, and programs that are mostly branches.

__device__ unsigned index() { return blockIdx.x * blockDim.x + threadIdx.x; }

__device__ __noinline__ unsigned fibonacci_of(unsigned n)
{
    return n < 2 ? n : fibonacci_of(n - 1) + fibonacci_of(n - 2);
}
extern "C" __global__ void fibonacci(const unsigned *in, unsigned *out, unsigned n)
{
    out[index()] = fibonacci_of(in[index()] % 12);
}

__device__ unsigned ackermann_of(unsigned m, unsigned n)
{
    return m == 0 ? n + 1 : n == 0 ? ackermann_of(m - 1, 1) : ackermann_of(m - 1, ackermann_of(m, n - 1));
}
extern "C" __global__ void ackermann(const unsigned *in, unsigned *out, unsigned n)
{
    out[index()] = ackermann_of(in[index()] % 3, in[index()] >> 29);
}

/// Two functions that call each other.
__device__ bool odd(unsigned n);
__device__ __noinline__ bool even(unsigned n) { return n == 0 || odd(n - 1); }
__device__ __noinline__ bool odd(unsigned n) { return n != 0 && even(n - 1); }
extern "C" __global__ void mutual_recursion(const unsigned *in, unsigned *out, unsigned n)
{
    out[index()] = even(in[index()] % 20) * 2 + odd(in[index()] % 7);
}

typedef int (*Operation)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int subtract(int a, int b) { return a - b; }
__device__ int multiply(int a, int b) { return a * b; }
__device__ int mix(int a, int b) { return a ^ (b >> 3); }
__device__ Operation operations[4] = {add, subtract, multiply, mix};
/// Lanes call different functions through one table.
extern "C" __global__ void function_pointers(const int *in, int *out, unsigned n)
{
    int value = in[index()];
    for (unsigned i = 0; i < n; i++) value = operations[(value >> 5) & 3](value, in[index()] + i);
    out[index()] = value;
}

struct Shape {
    int a, b;
    __device__ Shape(int a, int b) : a(a), b(b) {}
    __device__ virtual int area() const = 0;
    __device__ virtual int twice() const { return 2 * area(); }
};
struct Rectangle : Shape {
    using Shape::Shape;
    __device__ int area() const override { return a * b; }
};
struct Triangle : Shape {
    using Shape::Shape;
    __device__ int area() const override { return a * b / 2; }
    __device__ int twice() const override { return a * b; }
};
struct Cross final : Shape {
    using Shape::Shape;
    __device__ int area() const override { return a + b - 1; }
};
extern "C" __global__ void virtual_functions(const unsigned *in, int *out, unsigned n)
{
    int a = in[index()] & 0xff, b = in[index()] >> 8 & 0xff;
    Rectangle rectangle(a, b);
    Triangle triangle(a, b);
    Cross cross(a, b);
    const Shape *shapes[3] = {&rectangle, &triangle, &cross};
    const Shape *shape = shapes[in[index()] % 3];
    out[index()] = shape->area() * 3 + shape->twice();
}

/// A machine with a stack: its program is a table of codes, each thread starts with other values.
__constant__ unsigned char program[24] = {0, 0, 2, 9, 1, 3, 5, 4, 6, 0, 2, 7, 8, 1, 4, 5, 3, 9, 6, 2, 0, 8, 10, 11};
extern "C" __global__ void stack_machine(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned stack[8] = {in[index()], 1, 2, 3, 4, 5, 6, 7}, top = 3, rounds = 0;
    for (unsigned pc = 0; rounds < n; rounds++) {
        unsigned a = stack[top & 7], b = stack[(top - 1) & 7];
        switch (program[pc]) {
        case 0: stack[++top & 7] = in[index()] + pc; break;
        case 1: stack[top & 7] = a * 5; break;
        case 2: stack[--top & 7] = a + b; break;
        case 3: stack[top & 7] = a ^ b; break;
        case 4: stack[--top & 7] = b - a; break;
        case 5: stack[++top & 7] = a; break;
        case 6: stack[top & 7] = a >> (b & 15); break;
        case 7: if (a & 1) { pc += 2; } break;
        case 8: stack[top & 7] = b; stack[(top - 1) & 7] = a; break;
        case 9: stack[top & 7] = ~a; break;
        case 10: stack[top & 7] = __popc(a) + b; break;
        default: pc = a % 5 - 1u; break;
        }
        pc = (pc + 1) % 24;
    }
    unsigned sum = 0;
    for (int i = 0; i < 8; i++) sum = sum * 31 + stack[i];
    out[index()] = sum;
}

/// Loops in loops, left early, in every way.
extern "C" __global__ void nested_loops(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned x = in[index()], sum = 0;
    for (unsigned i = 0; i < n; i++) {
        if ((x >> i & 3) == 0) continue;
        for (unsigned k = 0;; k++) {
            if (k > (x >> (i + 4) & 15)) break;
            if (k * i % 5 == 4) goto next;
            unsigned m = x & 7;
            do {
                sum = sum * 3 + m;
                if (sum % 11 == 3) break;
            } while (m--);
            if (sum > 0xfffffff0u) return;
        }
        sum ^= 0x55;
    next:
        sum += i;
    }
    out[index()] = sum;
}

/// Threads that leave before a barrier that the others wait at.
extern "C" __global__ void early_exit(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned a[128];
    a[threadIdx.x] = in[index()];
    if (threadIdx.x >= n) return;
    __syncthreads();
    out[index()] = a[threadIdx.x] + a[n - 1 - threadIdx.x];
}

/// Quicksort by recursion, in each thread's own memory.
__device__ void quicksort_of(int *a, int low, int high)
{
    if (low >= high) return;
    int pivot = a[(low + high) / 2], i = low, k = high;
    while (i <= k) {
        while (a[i] < pivot) i++;
        while (a[k] > pivot) k--;
        if (i <= k) {
            int keep = a[i];
            a[i++] = a[k];
            a[k--] = keep;
        }
    }
    quicksort_of(a, low, k);
    quicksort_of(a, i, high);
}
extern "C" __global__ void quicksort(const int *in, int *out, unsigned n)
{
    int a[32];
    for (unsigned i = 0; i < n; i++) a[i] = in[index() * n + i];
    quicksort_of(a, 0, n - 1);
    for (unsigned i = 0; i < n; i++) out[index() * n + i] = a[i];
}

/// How many ways there are to place n queens, for each place of the first one; n is at most 8.
extern "C" __global__ void queens(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned columns[8], left[8], right[8], free[8], all = (1u << n) - 1, ways = 0;
    unsigned first = 1u << threadIdx.x % n;
    int row = 1;
    columns[1] = first;
    left[1] = first << 1;
    right[1] = first >> 1;
    free[1] = all & ~(columns[1] | left[1] | right[1]);
    while (row) {
        if (!free[row]) { row--; continue; }
        unsigned place = free[row] & -free[row];
        free[row] ^= place;
        if (row == int(n) - 1) { ways++; continue; }
        columns[row + 1] = columns[row] | place;
        left[row + 1] = (left[row] | place) << 1;
        right[row + 1] = (right[row] | place) >> 1;
        row++;
        free[row] = all & ~(columns[row] | left[row] | right[row]);
    }
    out[index()] = ways;
}

/// The edit distance of two words of n letters.
extern "C" __global__ void levenshtein(const unsigned char *in, unsigned *out, unsigned n)
{
    const unsigned char *a = in + index() * 2 * n, *b = a + n;
    unsigned char line[17];
    for (unsigned i = 0; i <= n; i++) line[i] = i;
    for (unsigned i = 0; i < n; i++) {
        unsigned diagonal = line[0];
        line[0] = i + 1;
        for (unsigned k = 0; k < n; k++) {
            unsigned change = diagonal + (a[i] % 4 != b[k] % 4);
            diagonal = line[k + 1];
            line[k + 1] = min(change, min(line[k], line[k + 1]) + 1u);
        }
    }
    out[index()] = line[n];
}

/// Shortest ways between all of 16 places, by one block.
extern "C" __global__ void floyd_warshall(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned way[16][16];
    unsigned x = threadIdx.x, y = threadIdx.y;
    way[y][x] = x == y ? 0 : in[y * 16 + x] % 100 + 1;
    __syncthreads();
    for (unsigned k = 0; k < 16; k++) {
        unsigned through = way[y][k] + way[k][x];
        __syncthreads();
        if (through < way[y][x]) way[y][x] = through;
        __syncthreads();
    }
    out[y * 16 + x] = way[y][x];
}

/// Distances in a graph of 128 nodes with two edges each, level by level, until nothing changes.
extern "C" __global__ void breadth_first(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned distance[128];
    unsigned t = threadIdx.x;
    distance[t] = t == 0 ? 0 : ~0u;
    __syncthreads();
    for (unsigned level = 0;; level++) {
        bool changed = false;
        if (distance[t] == level)
            for (int edge = 0; edge < 2; edge++)
                changed |= atomicMin(&distance[in[2 * t + edge] % 128], level + 1) == ~0u;
        if (!__syncthreads_or(changed)) break;
    }
    out[t] = distance[t];
}

/// The primes below 32 n, one bit a number, in shared memory.
extern "C" __global__ void sieve(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned composite[64];
    if (threadIdx.x < n) composite[threadIdx.x] = threadIdx.x ? 0 : 3;
    __syncthreads();
    for (unsigned p = 2; p * p < 32 * n; p++) {
        if (!(composite[p / 32] >> p % 32 & 1))
            for (unsigned m = p * (p + threadIdx.x); m < 32 * n; m += p * blockDim.x)
                atomicOr(&composite[m / 32], 1u << m % 32);
        __syncthreads();
    }
    if (threadIdx.x < n) out[threadIdx.x] = ~composite[threadIdx.x];
}

/// Templates that count at compile time, and lambdas that keep values.
template <unsigned N> struct Factorial { static constexpr unsigned value = N * Factorial<N - 1>::value; };
template <> struct Factorial<0> { static constexpr unsigned value = 1; };
template <typename F, typename... G>
struct Chain {
    F first;
    Chain<G...> rest;
    __device__ unsigned operator()(unsigned x) const { return rest(first(x)); }
};
template <typename F>
struct Chain<F> {
    F last;
    __device__ unsigned operator()(unsigned x) const { return last(x); }
};
template <typename F, typename G, typename H>
__device__ Chain<F, G, H> chained(F f, G g, H h) { return {f, {g, {h}}}; }
extern "C" __global__ void templates(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned k = in[index()];
    auto f = chained([k](unsigned x) { return x + k; }, [](unsigned x) { return x * Factorial<7>::value; },
        [=](unsigned x) { return x ^ (k >> 3); });
    out[index()] = f(index());
}

/// A pattern (ab|ba)*c? over letters a to c, as an automaton.
extern "C" __global__ void automaton(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned state = 0, letters = in[index()], accepted = 0;
    for (unsigned i = 0; i < 16; i++, letters >>= 2) {
        switch (state << 2 | (letters & 3)) {
        case 0: state = 1; break; // a
        case 1: state = 2; break; // b
        case 2: state = 3; break; // c
        case 3: state = 0; break; // nothing
        case 4 + 1: case 8 + 0: state = 0; accepted++; break;
        case 4 + 3: case 8 + 3: break;
        case 12: case 13: case 14: case 15: state = 3; accepted ^= i; break;
        default: state = 4 - state; accepted = accepted * 3 + i; break;
        }
    }
    out[index()] = accepted << 4 | state;
}
