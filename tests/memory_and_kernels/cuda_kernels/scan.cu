// Prefix sums, and what is made of them.

__device__ unsigned index() { return blockIdx.x * blockDim.x + threadIdx.x; }

/// Hillis and Steele: inclusive, in a block.
extern "C" __global__ void scan_hillis(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned a[2][256];
    unsigned t = threadIdx.x, from = 0;
    a[0][t] = in[index()];
    __syncthreads();
    for (unsigned step = 1; step < blockDim.x; step *= 2, from ^= 1) {
        a[from ^ 1][t] = t >= step ? a[from][t] + a[from][t - step] : a[from][t];
        __syncthreads();
    }
    out[index()] = a[from][t];
}

/// Blelloch: exclusive, two elements a thread, up and down a tree.
extern "C" __global__ void scan_blelloch(const unsigned *in, unsigned *out, unsigned n)
{
    extern __shared__ unsigned a[];
    unsigned t = threadIdx.x, size = 2 * blockDim.x, base = blockIdx.x * size;
    a[2 * t] = in[base + 2 * t];
    a[2 * t + 1] = in[base + 2 * t + 1];
    unsigned offset = 1;
    for (unsigned d = size / 2; d; d /= 2, offset *= 2) {
        __syncthreads();
        if (t < d) a[offset * (2 * t + 2) - 1] += a[offset * (2 * t + 1) - 1];
    }
    if (t == 0) a[size - 1] = 0;
    for (unsigned d = 1; d < size; d *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < d) {
            unsigned left = offset * (2 * t + 1) - 1, right = offset * (2 * t + 2) - 1;
            unsigned sum = a[left] + a[right];
            a[left] = a[right];
            a[right] = sum;
        }
    }
    __syncthreads();
    out[base + 2 * t] = a[2 * t];
    out[base + 2 * t + 1] = a[2 * t + 1];
}

/// By shuffles within warps, then over the warps of the block.
extern "C" __global__ void scan_warps(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned totals[32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, mine = in[index()];
    for (unsigned step = 1; step < 32; step *= 2) {
        unsigned other = __shfl_up_sync(~0u, mine, step);
        if (lane >= step) mine += other;
    }
    if (lane == 31) totals[warp] = mine;
    __syncthreads();
    if (warp == 0) {
        unsigned total = lane < blockDim.x / 32 ? totals[lane] : 0;
        for (unsigned step = 1; step < 32; step *= 2) {
            unsigned other = __shfl_up_sync(~0u, total, step);
            if (lane >= step) total += other;
        }
        totals[lane] = total;
    }
    __syncthreads();
    out[index()] = mine + (warp ? totals[warp - 1] : 0);
}

/// Sums start again wherever the lowest three bits are zero.
extern "C" __global__ void scan_segmented(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned sum[256];
    __shared__ bool head[256];
    unsigned t = threadIdx.x;
    sum[t] = in[index()] >> 3;
    head[t] = t == 0 || (in[index()] & 7) == 0;
    __syncthreads();
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        unsigned s = sum[t];
        bool h = head[t];
        if (t >= step && !h) { s += sum[t - step]; h = head[t - step]; }
        __syncthreads();
        sum[t] = s;
        head[t] = h;
        __syncthreads();
    }
    out[index()] = sum[t];
}

/// Keeps the odd numbers of a block, in order; the count follows the block's n places.
extern "C" __global__ void compact(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned counts[8];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, mine = in[index()];
    bool keep = mine & 1;
    unsigned votes = __ballot_sync(~0u, keep);
    if (lane == 0) counts[warp] = __popc(votes);
    __syncthreads();
    unsigned before = 0, total = 0;
    for (unsigned w = 0; w < blockDim.x / 32; w++) {
        if (w < warp) before += counts[w];
        total += counts[w];
    }
    unsigned *mine_out = out + blockIdx.x * (n + 1);
    if (keep) mine_out[before + __popc(votes & ((1u << lane) - 1))] = mine;
    if (threadIdx.x == 0) mine_out[n] = total;
}

/// The running maximum of a block, by a generic scan over an operator.
struct Max { __device__ int operator()(int a, int b) const { return a > b ? a : b; } };
template <typename T, typename Op, unsigned N>
__device__ T inclusive(T mine, T (&shared)[N], Op op)
{
    unsigned t = threadIdx.x;
    shared[t] = mine;
    __syncthreads();
    for (unsigned step = 1; step < N; step *= 2) {
        T value = t >= step ? op(shared[t - step], shared[t]) : shared[t];
        __syncthreads();
        shared[t] = value;
        __syncthreads();
    }
    return shared[t];
}
extern "C" __global__ void scan_max(const int *in, int *out, unsigned n)
{
    __shared__ int shared[128];
    out[index()] = inclusive(in[index()], shared, Max());
}
