// Many values become few.

__device__ unsigned index() { return blockIdx.x * blockDim.x + threadIdx.x; }

template <typename T, typename Op>
__device__ T tree(T mine, T *shared, Op op)
{
    unsigned t = threadIdx.x;
    shared[t] = mine;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half; half /= 2) {
        if (t < half) shared[t] = op(shared[t], shared[t + half]);
        __syncthreads();
    }
    return shared[0];
}

extern "C" __global__ void reduce_sum_u32(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned shared[128];
    unsigned sum = 0;
    for (unsigned i = index(); i < n; i += gridDim.x * blockDim.x) sum += in[i];
    sum = tree(sum, shared, [](unsigned a, unsigned b) { return a + b; });
    if (threadIdx.x == 0) atomicAdd(out, sum);
}

extern "C" __global__ void reduce_tree_f32(const float *in, float *out, unsigned n)
{
    __shared__ float shared[128];
    float sum = tree(in[index()], shared, [](float a, float b) { return a + b; });
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

/// The least and the greatest of every block.
extern "C" __global__ void reduce_minmax_i32(const int *in, int *out, unsigned n)
{
    __shared__ int shared[128];
    int least = tree(in[index()], shared, [](int a, int b) { return min(a, b); });
    __syncthreads();
    int most = tree(in[index()], shared, [](int a, int b) { return max(a, b); });
    if (threadIdx.x == 0) { out[2 * blockIdx.x] = least; out[2 * blockIdx.x + 1] = most; }
}

/// Every warp by shuffles of doubles, then one value a block.
extern "C" __global__ void reduce_warp_f64(const double *in, double *out, unsigned n)
{
    __shared__ double warps[4];
    double mine = in[index()];
    for (int step = 16; step; step /= 2) mine += __shfl_down_sync(~0u, mine, step);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = (warps[0] + warps[1]) + (warps[2] + warps[3]);
}

/// Kahan's compensated sum of each row of n.
extern "C" __global__ void kahan_f32(const float *in, float *out, unsigned n)
{
    const float *row = in + index() * n;
    float sum = 0.0f, lost = 0.0f;
    for (unsigned i = 0; i < n; i++) {
        float y = row[i] - lost, t = sum + y;
        lost = (t - sum) - y;
        sum = t;
    }
    out[index()] = sum;
}

extern "C" __global__ void reduce_atomic_u64(const unsigned *in, unsigned long long *out, unsigned n)
{
    unsigned i = index();
    if (i < n) {
        atomicAdd(&out[0], (unsigned long long)in[i] * in[i]);
        atomicMax(&out[1], (unsigned long long)in[i] << 7);
        atomicXor(&out[2], (unsigned long long)in[i] << (i % 33));
    }
}

/// Welford's mean and variance of each row of n.
extern "C" __global__ void mean_variance(const double *in, double *out, unsigned n)
{
    const double *row = in + index() * n;
    double mean = 0.0, squares = 0.0;
    for (unsigned i = 0; i < n; i++) {
        double delta = row[i] - mean;
        mean += delta / (i + 1);
        squares += delta * (row[i] - mean);
    }
    out[2 * index()] = mean;
    out[2 * index() + 1] = squares / (n - 1);
}
