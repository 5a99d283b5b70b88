// Transforms and filters.

__device__ unsigned index() { return blockIdx.x * blockDim.x + threadIdx.x; }

/// A complex transform of 128 points by each block of 64 threads; in and out are pairs.
extern "C" __global__ void fft(const float2 *in, float2 *out, unsigned n)
{
    __shared__ float2 a[128];
    unsigned t = threadIdx.x;
    for (unsigned i = t; i < 128; i += 64) a[__brev(i) >> 25] = in[blockIdx.x * 128 + i];
    for (unsigned half = 1; half < 128; half *= 2) {
        __syncthreads();
        unsigned k = t % half, low = 2 * (t - k) + k, high = low + half;
        float sine, cosine;
        sincospif(-float(k) / half, &sine, &cosine);
        float2 x = a[low], y = a[high];
        float2 turned = {y.x * cosine - y.y * sine, y.x * sine + y.y * cosine};
        a[low] = {x.x + turned.x, x.y + turned.y};
        a[high] = {x.x - turned.x, x.y - turned.y};
    }
    __syncthreads();
    for (unsigned i = t; i < 128; i += 64) out[blockIdx.x * 128 + i] = a[i];
}

constexpr unsigned P = 998244353; // 119 * 2^23 + 1, with the root 3
__device__ unsigned product(unsigned a, unsigned b) { return (unsigned long long)a * b % P; }
__device__ unsigned power(unsigned a, unsigned e)
{
    unsigned result = 1;
    for (; e; e /= 2, a = product(a, a))
        if (e & 1) result = product(result, a);
    return result;
}

/// The number-theoretic transform of 64 points by each warp: exact.
extern "C" __global__ void ntt(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned a[64];
    unsigned t = threadIdx.x;
    for (unsigned i = t; i < 64; i += 32) a[__brev(i) >> 26] = in[blockIdx.x * 64 + i] % P;
    for (unsigned half = 1; half < 64; half *= 2) {
        __syncwarp();
        unsigned root = power(3, (P - 1) / (2 * half)), k = t % half, low = 2 * (t - k) + k;
        unsigned x = a[low], y = product(a[low + half], power(root, k));
        a[low] = (x + y) % P;
        a[low + half] = (x + P - y) % P;
    }
    __syncwarp();
    for (unsigned i = t; i < 64; i += 32) out[blockIdx.x * 64 + i] = a[i];
}

/// The fast Walsh-Hadamard transform of 32 values by shuffles.
extern "C" __global__ void walsh_hadamard(const int *in, int *out, unsigned n)
{
    int mine = in[index()] >> 8;
    for (unsigned step = 1; step < 32; step *= 2) {
        int other = __shfl_xor_sync(~0u, mine, step);
        mine = threadIdx.x & step ? other - mine : mine + other;
    }
    out[index()] = mine;
}

__constant__ float taps[8] = {0.5f, -0.25f, 0.125f, 1.0f, -1.0f, 0.0625f, 0.75f, -0.5f};

extern "C" __global__ void fir(const float *in, float *out, unsigned n)
{
    unsigned i = index();
    if (i >= n) return;
    float sum = 0.0f;
    for (unsigned k = 0; k < 8 && k <= i; k++) sum = fmaf(taps[k], in[i - k], sum);
    out[i] = sum;
}

/// A biquad over each row of n; a thread a row.
extern "C" __global__ void iir(const double *in, double *out, unsigned n)
{
    double x1 = 0, x2 = 0, y1 = 0, y2 = 0;
    for (unsigned i = 0; i < n; i++) {
        double x = in[index() * n + i];
        double y = 0.25 * x + 0.5 * x1 + 0.25 * x2 + 0.5 * y1 - 0.25 * y2;
        x2 = x1;
        x1 = x;
        y2 = y1;
        y1 = y;
        out[index() * n + i] = y;
    }
}

/// The cosine transform of eight values, in integers as codecs do it.
extern "C" __global__ void dct8(const int *in, int *out, unsigned n)
{
    constexpr int c[8][8] = {{64, 64, 64, 64, 64, 64, 64, 64}, {89, 75, 50, 18, -18, -50, -75, -89},
        {83, 36, -36, -83, -83, -36, 36, 83}, {75, -18, -89, -50, 50, 89, 18, -75},
        {64, -64, -64, 64, 64, -64, -64, 64}, {50, -89, 18, 75, -75, -18, 89, -50},
        {36, -83, 83, -36, -36, 83, -83, 36}, {18, -50, 75, -89, 89, -75, 50, -18}};
    const int *row = in + index() * 8;
    for (int k = 0; k < 8; k++) {
        int sum = 32;
        for (int i = 0; i < 8; i++) sum += c[k][i] * (row[i] >> 20);
        out[index() * 8 + k] = sum >> 6;
    }
}

/// The lifting steps of a 5/3 wavelet over a row of 64 in shared memory.
extern "C" __global__ void wavelet(const int *in, int *out, unsigned n)
{
    __shared__ int a[66];
    unsigned t = threadIdx.x; // 32 threads, two elements each
    const int *row = in + blockIdx.x * 64;
    a[2 * t] = row[2 * t] >> 16;
    a[2 * t + 1] = row[2 * t + 1] >> 16;
    __syncwarp();
    int right = t == 31 ? a[62] : a[2 * t + 2];
    int high = a[2 * t + 1] - ((a[2 * t] + right) >> 1);
    int left = __shfl_up_sync(~0u, high, 1);
    if (t == 0) left = high;
    out[blockIdx.x * 64 + t] = a[2 * t] + ((left + high + 2) >> 2);
    out[blockIdx.x * 64 + 32 + t] = high;
}
