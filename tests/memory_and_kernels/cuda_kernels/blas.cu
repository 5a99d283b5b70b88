// Vectors and matrices times vectors. Every kernel takes its input, its output, and a number.

/// The index of the thread in the grid.
__device__ unsigned index() { return blockIdx.x * blockDim.x + threadIdx.x; }

/// x[n] then y[n]: out = 3x + y.
extern "C" __global__ void saxpy(const float *in, float *out, unsigned n)
{
    unsigned i = index();
    if (i < n) out[i] = fmaf(3.0f, in[i], in[n + i]);
}

extern "C" __global__ void daxpy(const double *in, double *out, unsigned n)
{
    for (unsigned i = index(); i < n; i += gridDim.x * blockDim.x)
        out[i] = fma(-0.75, in[i], in[n + i]);
}

/// One partial product a block, by a tree in shared memory.
extern "C" __global__ void sdot(const float *in, float *out, unsigned n)
{
    __shared__ float part[128];
    unsigned t = threadIdx.x, i = index();
    part[t] = i < n ? in[i] * in[n + i] : 0.0f;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}

/// Every third element is scaled.
extern "C" __global__ void sscal_stride(const float *in, float *out, unsigned n)
{
    unsigned i = index();
    if (i < n) out[i] = i % 3 ? in[i] : in[i] * -2.5f;
}

/// A plane rotation by the angle whose cosine is 0.8: out is both vectors.
extern "C" __global__ void srot(const float *in, float *out, unsigned n)
{
    unsigned i = index();
    if (i >= n) return;
    float x = in[i], y = in[n + i];
    out[i] = 0.8f * x + 0.6f * y;
    out[n + i] = 0.8f * y - 0.6f * x;
}

/// Where the largest magnitude is; one block.
extern "C" __global__ void isamax(const float *in, unsigned *out, unsigned n)
{
    __shared__ float value[128];
    __shared__ unsigned place[128];
    unsigned t = threadIdx.x;
    float best = -1.0f;
    unsigned at = 0;
    for (unsigned i = t; i < n; i += blockDim.x)
        if (fabsf(in[i]) > best) { best = fabsf(in[i]); at = i; }
    value[t] = best;
    place[t] = at;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half; half /= 2) {
        if (t < half) {
            bool other = value[t + half] > value[t]
                || (value[t + half] == value[t] && place[t + half] < place[t]);
            if (other) { value[t] = value[t + half]; place[t] = place[t + half]; }
        }
        __syncthreads();
    }
    if (t == 0) out[0] = place[0];
}

/// The norm of each row of n.
extern "C" __global__ void snrm2(const float *in, float *out, unsigned n)
{
    float sum = 0.0f;
    for (unsigned i = 0; i < n; i++) sum = fmaf(in[index() * n + i], in[index() * n + i], sum);
    out[index()] = sqrtf(sum);
}

/// A[n][n] then x[n]: a thread a row.
extern "C" __global__ void sgemv(const float *in, float *out, unsigned n)
{
    unsigned row = index();
    if (row >= n) return;
    float sum = 0.0f;
    for (unsigned i = 0; i < n; i++) sum = fmaf(in[row * n + i], in[n * n + i], sum);
    out[row] = sum;
}

/// The same with the transposed matrix, and x in dynamic shared memory.
extern "C" __global__ void sgemv_t(const float *in, float *out, unsigned n)
{
    extern __shared__ float x[];
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) x[i] = in[n * n + i];
    __syncthreads();
    unsigned column = index();
    if (column >= n) return;
    float sum = 0.0f;
    for (unsigned i = 0; i < n; i++) sum = fmaf(in[i * n + column], x[i], sum);
    out[column] = sum;
}

/// A + 2 x y, in a grid of two dimensions.
extern "C" __global__ void sger(const float *in, float *out, unsigned n)
{
    unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || column >= n) return;
    const float *x = in + n * n, *y = x + n;
    out[row * n + column] = fmaf(2.0f * x[row], y[column], in[row * n + column]);
}

/// Solves L x = b for a lower triangle with ones on the diagonal; one block of n threads.
extern "C" __global__ void strsv(const double *in, double *out, unsigned n)
{
    __shared__ double x[64];
    unsigned row = threadIdx.x;
    double mine = in[n * n + row];
    for (unsigned k = 0; k < n; k++) {
        if (row == k) x[k] = mine;
        __syncthreads();
        if (row > k) mine = fma(-in[row * n + k], x[k], mine);
    }
    out[row] = mine;
}
