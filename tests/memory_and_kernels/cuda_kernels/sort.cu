// Sorting, in a block or a thread.

__device__ unsigned index() { return blockIdx.x * blockDim.x + threadIdx.x; }

extern "C" __global__ void sort_bitonic(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned a[256];
    unsigned t = threadIdx.x;
    a[t] = in[index()];
    for (unsigned size = 2; size <= blockDim.x; size *= 2) {
        for (unsigned step = size / 2; step; step /= 2) {
            __syncthreads();
            unsigned other = t ^ step;
            if (other > t) {
                bool up = (t & size) == 0;
                if ((a[t] > a[other]) == up) {
                    unsigned keep = a[t];
                    a[t] = a[other];
                    a[other] = keep;
                }
            }
        }
    }
    __syncthreads();
    out[index()] = a[t];
}

extern "C" __global__ void sort_odd_even(const int *in, int *out, unsigned n)
{
    extern __shared__ int a[];
    unsigned t = threadIdx.x;
    a[2 * t] = in[2 * t];
    a[2 * t + 1] = in[2 * t + 1];
    for (unsigned round = 0; round < n; round++) {
        __syncthreads();
        unsigned i = 2 * t + (round & 1);
        if (i + 1 < n && a[i] > a[i + 1]) {
            int keep = a[i];
            a[i] = a[i + 1];
            a[i + 1] = keep;
        }
    }
    __syncthreads();
    out[2 * t] = a[2 * t];
    out[2 * t + 1] = a[2 * t + 1];
}

/// A stable radix sort of 16-bit keys with their places, two bits a pass; one block.
extern "C" __global__ void sort_radix(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned a[256], counts[4][8];
    unsigned t = threadIdx.x, lane = t % 32, warp = t / 32, warps = blockDim.x / 32;
    unsigned mine = (in[t] >> 16) << 16 | t;
    for (unsigned shift = 16; shift < 32; shift += 2) {
        unsigned digit = mine >> shift & 3, rank = 0;
        for (unsigned d = 0; d < 4; d++) {
            unsigned votes = __ballot_sync(~0u, digit == d);
            if (lane == 0) counts[d][warp] = __popc(votes);
            if (digit == d) rank = __popc(votes & ((1u << lane) - 1));
        }
        __syncthreads();
        for (unsigned d = 0; d <= digit; d++)
            for (unsigned w = 0; w < (d < digit ? warps : warp); w++) rank += counts[d][w];
        a[rank] = mine;
        __syncthreads();
        mine = a[t];
    }
    out[t] = mine;
}

/// A network for eight elements in registers; a thread sorts eight.
extern "C" __global__ void sort_network(const int *in, int *out, unsigned n)
{
    int a[8];
#pragma unroll
    for (int i = 0; i < 8; i++) a[i] = in[index() * 8 + i];
    constexpr int pairs[19][2] = {{0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7},
        {0, 1}, {2, 3}, {4, 5}, {6, 7}, {2, 4}, {3, 5}, {1, 4}, {3, 6}, {1, 2}, {3, 4}, {5, 6}};
#pragma unroll
    for (int i = 0; i < 19; i++) {
        int low = min(a[pairs[i][0]], a[pairs[i][1]]), high = max(a[pairs[i][0]], a[pairs[i][1]]);
        a[pairs[i][0]] = low;
        a[pairs[i][1]] = high;
    }
#pragma unroll
    for (int i = 0; i < 8; i++) out[index() * 8 + i] = a[i];
}

/// Each element counts those before it in the order.
extern "C" __global__ void sort_rank(const float *in, float *out, unsigned n)
{
    unsigned i = index(), rank = 0;
    if (i >= n) return;
    for (unsigned k = 0; k < n; k++) rank += in[k] < in[i] || (in[k] == in[i] && k < i);
    out[rank] = in[i];
}

/// A thread merges two sorted rows of n into one.
extern "C" __global__ void merge(const unsigned *in, unsigned *out, unsigned n)
{
    const unsigned *rows = in + index() * 2 * n;
    unsigned sorted[64];
    for (unsigned i = 0; i < 2 * n; i++) { // two insertion sorts, in local memory
        unsigned start = i / n * n, k = i;
        for (; k > start && sorted[k - 1] > rows[i]; k--) sorted[k] = sorted[k - 1];
        sorted[k] = rows[i];
    }
    for (unsigned i = 0, a = 0, b = n; i < 2 * n; i++) {
        bool left = b == 2 * n || (a < n && sorted[a] <= sorted[b]);
        out[index() * 2 * n + i] = left ? sorted[a++] : sorted[b++];
    }
}

/// A heap sort of n elements by each thread, in its own part of the output.
extern "C" __global__ void sort_heap(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned *a = out + index() * n;
    for (unsigned i = 0; i < n; i++) a[i] = in[index() * n + i];
    auto sift = [a](unsigned root, unsigned end) {
        while (2 * root + 1 < end) {
            unsigned child = 2 * root + 1;
            if (child + 1 < end && a[child] < a[child + 1]) child++;
            if (a[root] >= a[child]) return;
            unsigned keep = a[root];
            a[root] = a[child];
            a[child] = keep;
            root = child;
        }
    };
    for (unsigned i = n / 2; i-- > 0;) sift(i, n);
    for (unsigned end = n; end-- > 1;) {
        unsigned keep = a[0];
        a[0] = a[end];
        a[end] = keep;
        sift(0, end);
    }
}
