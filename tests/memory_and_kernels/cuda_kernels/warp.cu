// What the lanes of a warp do together.

__device__ unsigned index() { return blockIdx.x * blockDim.x + threadIdx.x; }

/// Every kind of shuffle, in widths of 32, 16, 8 and 4: 16 words a thread.
extern "C" __global__ void shuffles(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned mine = in[index()];
    uint4 *to = reinterpret_cast<uint4 *>(out) + index() * 4;
    for (int width = 32; width >= 4; width /= 2)
        *to++ = make_uint4(__shfl_sync(~0u, mine, mine >> 16, width), __shfl_up_sync(~0u, mine, 3, width),
            __shfl_down_sync(~0u, mine, 2, width), __shfl_xor_sync(~0u, mine, width - 1, width));
}

/// Shuffles of 64 bits, of doubles and of signed values.
extern "C" __global__ void shuffles_wide(const unsigned *in, unsigned long long *out, unsigned n)
{
    unsigned long long word = in[index()] * 0x100000001ull;
    double real = in[index()] * 0.5;
    int signed_word = in[index()];
    out[index() * 4] = __shfl_sync(~0u, word, (threadIdx.x * 7 + 3) % 32);
    out[index() * 4 + 1] = __double_as_longlong(__shfl_xor_sync(~0u, real, 5));
    out[index() * 4 + 2] = (long long)__shfl_down_sync(~0u, signed_word, 1);
    out[index() * 4 + 3] = __float_as_uint(__shfl_up_sync(~0u, float(real), 9, 16));
}

extern "C" __global__ void votes(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned mine = in[index()];
    unsigned *to = out + index() * 6;
    to[0] = __ballot_sync(~0u, mine & 1);
    to[1] = __any_sync(~0u, mine % 37 == 0);
    to[2] = __all_sync(~0u, mine % 37 != 0);
    to[3] = __ballot_sync(~0u, int(mine) < 0 && threadIdx.x & 4);
    // In halves of the warp.
    if (threadIdx.x & 16) to[4] = __ballot_sync(0xffff0000u, mine & 2);
    else to[4] = __ballot_sync(0x0000ffffu, mine & 4);
    to[5] = __popc(__ballot_sync(~0u, mine >> 31));
}

extern "C" __global__ void matches(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned mine = in[index()] >> 29;
    int all = 0, none = 0;
    out[index() * 5] = __match_any_sync(~0u, mine);
    out[index() * 5 + 1] = __match_any_sync(~0u, (unsigned long long)mine << 40);
    out[index() * 5 + 2] = __match_all_sync(~0u, mine >> 3, &all);
    out[index() * 5 + 3] = __match_all_sync(~0u, mine, &none);
    out[index() * 5 + 4] = all * 2 + none;
}

/// Reductions of the whole warp: instructions from compute capability 8.0 on, shuffles before.
template <typename T, typename Op>
__device__ T folded(T mine, Op op)
{
    for (int step = 16; step; step /= 2) mine = op(mine, __shfl_xor_sync(~0u, mine, step));
    return mine;
}
extern "C" __global__ void reductions(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned mine = in[index()];
    int number = int(mine);
    unsigned *to = out + index() * 8;
#if __CUDA_ARCH__ >= 800
    to[0] = __reduce_add_sync(~0u, mine);
    to[1] = __reduce_min_sync(~0u, mine);
    to[2] = __reduce_max_sync(~0u, mine);
    to[3] = __reduce_and_sync(~0u, mine | 0xff);
    to[4] = __reduce_or_sync(~0u, mine & 0xf0f);
    to[5] = __reduce_xor_sync(~0u, mine);
    to[6] = __reduce_min_sync(~0u, number);
    to[7] = __reduce_max_sync(~0u, number);
#else
    to[0] = folded(mine, [](unsigned a, unsigned b) { return a + b; });
    to[1] = folded(mine, [](unsigned a, unsigned b) { return min(a, b); });
    to[2] = folded(mine, [](unsigned a, unsigned b) { return max(a, b); });
    to[3] = folded(mine | 0xff, [](unsigned a, unsigned b) { return a & b; });
    to[4] = folded(mine & 0xf0f, [](unsigned a, unsigned b) { return a | b; });
    to[5] = folded(mine, [](unsigned a, unsigned b) { return a ^ b; });
    to[6] = folded(number, [](int a, int b) { return min(a, b); });
    to[7] = folded(number, [](int a, int b) { return max(a, b); });
#endif
}

extern "C" __global__ void warp_sort(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned mine = in[index()], lane = threadIdx.x % 32;
    for (unsigned size = 2; size <= 32; size *= 2)
        for (unsigned step = size / 2; step; step /= 2) {
            unsigned other = __shfl_xor_sync(~0u, mine, step);
            bool least = ((lane & step) == 0) == ((lane & size) == 0);
            mine = least ? min(mine, other) : max(mine, other);
        }
    out[index()] = mine;
}

/// 32 x 32 bits are turned over the diagonal.
extern "C" __global__ void bit_transpose(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned mine = in[index()], mask = 0xffff;
    for (unsigned step = 16; step; step /= 2, mask ^= mask << step) {
        unsigned other = __shfl_xor_sync(~0u, mine, step);
        mine = threadIdx.x & step ? (mine & ~mask) | (other >> step & mask)
                                  : (mine & mask) | (other << step & ~mask);
    }
    out[index()] = mine;
}

/// Places in a queue are taken by one lane for all lanes that want one: the sum is what counts.
extern "C" __global__ void aggregated(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    bool want = in[index()] % 3 == 0;
    unsigned votes = __ballot_sync(~0u, want);
    if (want) {
        unsigned leader = __ffs(votes) - 1, lane = threadIdx.x % 32, base = 0;
        if (lane == leader) base = atomicAdd(&count, __popc(votes));
        base = __shfl_sync(votes, base, leader);
        unsigned place = base + __popc(votes & ((1u << lane) - 1));
        atomicXor(&out[1 + place % 4], in[index()]); // which warp came first does not matter
        atomicAdd(&out[5], place);
    }
    __syncthreads();
    if (threadIdx.x == 0) out[0] = count;
}

/// The lanes' masks and numbers.
extern "C" __global__ void lanes(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned values[6];
    asm("mov.u32 %0, %%laneid;" : "=r"(values[0]));
    asm("mov.u32 %0, %%lanemask_eq;" : "=r"(values[1]));
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(values[2]));
    asm("mov.u32 %0, %%lanemask_le;" : "=r"(values[3]));
    asm("mov.u32 %0, %%lanemask_gt;" : "=r"(values[4]));
    asm("mov.u32 %0, %%lanemask_ge;" : "=r"(values[5]));
    for (int i = 0; i < 6; i++) out[index() * 6 + i] = values[i];
}

/// Lanes leave a loop one after the other, and those that stay meet at a barrier of the warp.
extern "C" __global__ void divergent(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned rounds = in[index()] >> 28, sum = 0;
    __shared__ unsigned a[64];
    a[threadIdx.x] = 0;
    for (unsigned i = 0; i < 16; i++) {
        unsigned staying = __ballot_sync(~0u, i < rounds);
        if (i < rounds) {
            sum = sum * 3 + __popc(staying);
            a[threadIdx.x] = sum;
            __syncwarp(staying);
            sum += a[threadIdx.x & 32 | (__ffs(staying) - 1)];
            __syncwarp(staying);
        }
    }
    out[index()] = sum;
}

/// A block of 50 threads: the last warp is not full.
extern "C" __global__ void partial_warp(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned mask = threadIdx.x < 32 ? ~0u : (1u << (blockDim.x - 32)) - 1, mine = in[index()];
    unsigned votes = __ballot_sync(mask, mine & 1), sum = mine;
    for (unsigned step = 1; step < 32; step *= 2) {
        unsigned other = __shfl_up_sync(mask, sum, step);
        if (threadIdx.x % 32 >= step) sum += other;
    }
    out[index() * 2] = votes;
    out[index() * 2 + 1] = sum;
}
