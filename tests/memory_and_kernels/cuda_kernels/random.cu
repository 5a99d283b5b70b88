// Random numbers: every thread from a seed of its own.

__device__ unsigned index() { return blockIdx.x * blockDim.x + threadIdx.x; }

extern "C" __global__ void lcg(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned state = in[index()];
    for (unsigned i = 0; i < n; i++) out[index() * n + i] = state = state * 1664525u + 1013904223u;
}

extern "C" __global__ void xorshift32(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned state = in[index()] | 1;
    for (unsigned i = 0; i < n; i++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        out[index() * n + i] = state;
    }
}

/// xorshift128+; the state is two words of 64 bits.
extern "C" __global__ void xorshift128p(const ulonglong2 *in, unsigned long long *out, unsigned n)
{
    unsigned long long a = in[index()].x, b = in[index()].y | 1;
    for (unsigned i = 0; i < n; i++) {
        unsigned long long t = a;
        a = b;
        t ^= t << 23;
        b = t ^ a ^ (t >> 18) ^ (a >> 5);
        out[index() * n + i] = a + b;
    }
}

extern "C" __global__ void splitmix64(const unsigned *in, unsigned long long *out, unsigned n)
{
    unsigned long long state = in[index()];
    for (unsigned i = 0; i < n; i++) {
        unsigned long long z = state += 0x9e3779b97f4a7c15ull;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ z >> 27) * 0x94d049bb133111ebull;
        out[index() * n + i] = z ^ z >> 31;
    }
}

extern "C" __global__ void pcg32(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned long long state = in[index()];
    for (unsigned i = 0; i < n; i++) {
        unsigned word = unsigned((state >> 18 ^ state) >> 27), turn = unsigned(state >> 59);
        state = state * 6364136223846793005ull + 2891336453ull;
        out[index() * n + i] = __funnelshift_r(word, word, turn);
    }
}

/// Philox 4x32-10: the counter is the index and the round, the key from the input.
extern "C" __global__ void philox(const unsigned *in, uint4 *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        uint4 c = {index(), i, 0x12345678u, 0x9abcdef0u};
        uint2 k = {in[0], in[1]};
        for (int round = 0; round < 10; round++) {
            unsigned h0 = __umulhi(0xd2511f53u, c.x), l0 = 0xd2511f53u * c.x;
            unsigned h1 = __umulhi(0xcd9e8d57u, c.z), l1 = 0xcd9e8d57u * c.z;
            c = make_uint4(h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0);
            k.x += 0x9e3779b9u;
            k.y += 0xbb67ae85u;
        }
        out[index() * n + i] = c;
    }
}

/// A Mersenne twister of 624 words in shared memory, by one block: two blocks of output.
extern "C" __global__ void mersenne(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned mt[624];
    if (threadIdx.x == 0) {
        mt[0] = in[0];
        for (unsigned i = 1; i < 624; i++) mt[i] = 1812433253u * (mt[i - 1] ^ mt[i - 1] >> 30) + i;
    }
    __syncthreads();
    for (unsigned round = 0; round < n; round++) {
        // In three parts, each of which needs only words of before or of the part before.
        for (unsigned part = 0; part < 3; part++) {
            unsigned i = part * 227 + threadIdx.x, word = 0;
            bool mine = threadIdx.x < 227 && i < 624;
            if (mine) {
                unsigned y = (mt[i] & 0x80000000u) | (mt[(i + 1) % 624] & 0x7fffffffu);
                word = mt[(i + 397) % 624] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
            }
            __syncthreads();
            if (mine) mt[i] = word;
            __syncthreads();
        }
        for (unsigned i = threadIdx.x; i < 624; i += blockDim.x) {
            unsigned y = mt[i];
            y ^= y >> 11;
            y ^= y << 7 & 0x9d2c5680u;
            y ^= y << 15 & 0xefc60000u;
            out[round * 624 + i] = y ^ y >> 18;
        }
        __syncthreads();
    }
}

/// How many of n points of each thread are in the quarter circle.
extern "C" __global__ void monte_carlo_pi(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned state = in[index()], inside = 0;
    for (unsigned i = 0; i < n; i++) {
        state = state * 747796405u + 2891336453u;
        float x = (state >> 8) * (1.0f / 16777216.0f);
        state = state * 747796405u + 2891336453u;
        float y = (state >> 8) * (1.0f / 16777216.0f);
        inside += fmaf(x, x, y * y) < 1.0f;
    }
    atomicAdd(out, inside);
}

/// Normal deviates from pairs of uniform ones.
extern "C" __global__ void box_muller(const float *in, float *out, unsigned n)
{
    unsigned i = index();
    float u = fabsf(in[2 * i]) * 0.99f + 0.005f, v = in[2 * i + 1];
    float radius = sqrtf(-2.0f * logf(u)), sine, cosine;
    sincosf(3.14159274f * v, &sine, &cosine);
    out[2 * i] = radius * cosine;
    out[2 * i + 1] = radius * sine;
}
