// Dense and sparse matrices.

__device__ unsigned index() { return blockIdx.x * blockDim.x + threadIdx.x; }

extern "C" __global__ void transpose_naive(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n) out[x * n + y] = in[y * n + x];
}

/// Tiles of 16 x 16 in shared memory, padded against bank conflicts, by threads of 16 x 4.
extern "C" __global__ void transpose_tiled(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned tile[16][17];
    unsigned x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    for (unsigned k = 0; k < 16; k += 4)
        if (x < n && y + k < n) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x;
    y = blockIdx.x * 16 + threadIdx.y;
    for (unsigned k = 0; k < 16; k += 4)
        if (x < n && y + k < n) out[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}

extern "C" __global__ void matmul_naive(const float *in, float *out, unsigned n)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    float sum = 0.0f;
    for (unsigned k = 0; k < n; k++) sum = fmaf(in[y * n + k], in[n * n + k * n + x], sum);
    out[y * n + x] = sum;
}

template <typename T, int TILE>
__device__ void tiled(const T *a, const T *b, T *c, unsigned n)
{
    __shared__ T at[TILE][TILE], bt[TILE][TILE];
    unsigned tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
    T sum = 0;
    for (unsigned k = 0; k < n; k += TILE) {
        at[ty][tx] = y < n && k + tx < n ? a[y * n + k + tx] : T(0);
        bt[ty][tx] = x < n && k + ty < n ? b[(k + ty) * n + x] : T(0);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++) sum = fma(at[ty][i], bt[i][tx], sum);
        __syncthreads();
    }
    if (x < n && y < n) c[y * n + x] = sum;
}
extern "C" __global__ void matmul_tiled(const float *in, float *out, unsigned n)
{
    tiled<float, 16>(in, in + n * n, out, n);
}
extern "C" __global__ void matmul_f64(const double *in, double *out, unsigned n)
{
    tiled<double, 8>(in, in + n * n, out, n);
}

/// A thread computes 2 x 4 elements in registers, and reads four at a time.
extern "C" __global__ void matmul_registers(const float *in, float *out, unsigned n)
{
    unsigned x = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    unsigned y = 2 * (blockIdx.y * blockDim.y + threadIdx.y);
    const float *a = in, *b = in + n * n;
    float sum[2][4] = {};
    for (unsigned k = 0; k < n; k++) {
        float4 row = *reinterpret_cast<const float4 *>(&b[k * n + x]);
        for (int i = 0; i < 2; i++) {
            float factor = a[(y + i) * n + k];
            sum[i][0] = fmaf(factor, row.x, sum[i][0]);
            sum[i][1] = fmaf(factor, row.y, sum[i][1]);
            sum[i][2] = fmaf(factor, row.z, sum[i][2]);
            sum[i][3] = fmaf(factor, row.w, sum[i][3]);
        }
    }
    for (int i = 0; i < 2; i++)
        *reinterpret_cast<float4 *>(&out[(y + i) * n + x]) =
            make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}

/// Integers of 8 bits by products of four at a time.
extern "C" __global__ void matmul_dp4a(const int *in, int *out, unsigned n)
{
    unsigned x = threadIdx.x, y = threadIdx.y;
    int sum = 0; // n words of four elements a row; the second matrix is transposed
    for (unsigned k = 0; k < n; k++) sum = __dp4a(in[y * n + k], in[16 * n + x * n + k], sum);
    out[y * 16 + x] = sum;
}

/// L and U in one n x n matrix, without pivots; made diagonally dominant first. One block of n x n.
extern "C" __global__ void lu(const double *in, double *out, unsigned n)
{
    __shared__ double a[16][16];
    unsigned x = threadIdx.x, y = threadIdx.y;
    a[y][x] = in[y * n + x] + (x == y ? 20.0 : 0.0);
    for (unsigned k = 0; k + 1 < n; k++) {
        __syncthreads();
        if (x == k && y > k) a[y][k] /= a[k][k];
        __syncthreads();
        if (x > k && y > k) a[y][x] = fma(-a[y][k], a[k][x], a[y][x]);
    }
    __syncthreads();
    out[y * n + x] = a[y][x];
}

/// The factor of A A' + 4 for an 8 x 8 matrix A; a thread a matrix, in local memory.
extern "C" __global__ void cholesky(const float *in, float *out, unsigned n)
{
    const float *a = in + index() * 64;
    float l[8][8] = {};
    for (int i = 0; i < 8; i++)
        for (int j = 0; j <= i; j++) {
            float sum = i == j ? 4.0f : 0.0f;
            for (int k = 0; k < 8; k++) sum = fmaf(a[i * 8 + k], a[j * 8 + k], sum);
            for (int k = 0; k < j; k++) sum = fmaf(-l[i][k], l[j][k], sum);
            l[i][j] = i == j ? sqrtf(sum) : sum / l[j][j];
        }
    for (int i = 0; i < 64; i++) out[index() * 64 + i] = l[i / 8][i % 8];
}

/// Inverses of 3 x 3 matrices by cofactors.
extern "C" __global__ void inverse_3x3(const double *in, double *out, unsigned n)
{
    if (index() >= n) return;
    const double *m = in + index() * 9;
    double c[9], determinant = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int a = (i + 1) % 3, b = (i + 2) % 3, p = (j + 1) % 3, q = (j + 2) % 3;
            c[j * 3 + i] = m[a * 3 + p] * m[b * 3 + q] - m[a * 3 + q] * m[b * 3 + p];
        }
    for (int j = 0; j < 3; j++) determinant = fma(m[j], c[j * 3], determinant);
    for (int i = 0; i < 9; i++) out[index() * 9 + i] = c[i] / determinant;
}

/// Rows of three elements each at pseudo-random columns, in CSR with its row starts computed.
extern "C" __global__ void spmv_csr(const float *in, float *out, unsigned n)
{
    unsigned row = index();
    if (row >= n) return;
    unsigned start = 3 * row, end = start + (row % 4 == 0 ? 1 : 3);
    float sum = 0.0f;
    for (unsigned k = start; k < end; k++) {
        unsigned column = (k * 2654435761u >> 8) % n;
        sum = fmaf(in[k % n], in[column], sum);
    }
    out[row] = sum;
}

/// The columns come as words: ELL with four a row, a warp four rows, added by shuffles.
extern "C" __global__ void spmv_ell(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned row = index() / 4, part = threadIdx.x % 4;
    unsigned word = in[row * 4 + part], product = (word & 0xff) * in[(word >> 8) % n];
    product += __shfl_xor_sync(~0u, product, 1, 4);
    product += __shfl_xor_sync(~0u, product, 2, 4);
    if (part == 0) out[row] = product;
}

/// Eight Jacobi steps on a diagonally dominant system; one block of n threads.
extern "C" __global__ void jacobi(const double *in, double *out, unsigned n)
{
    __shared__ double x[2][32];
    unsigned row = threadIdx.x;
    x[0][row] = 0.0;
    for (int step = 0; step < 8; step++) {
        __syncthreads();
        double sum = in[n * n + row];
        for (unsigned k = 0; k < n; k++)
            if (k != row) sum -= in[row * n + k] * x[step & 1][k];
        x[step & 1 ^ 1][row] = sum / 40.0;
    }
    out[row] = x[0][row];
}

/// Powers of a matrix of the Fibonacci kind modulo a prime, by squaring.
struct Two { unsigned long long a, b, c, d; };
__device__ Two operator*(const Two &p, const Two &q)
{
    constexpr unsigned long long M = 1000000007;
    return {(p.a * q.a + p.b * q.c) % M, (p.a * q.b + p.b * q.d) % M,
        (p.c * q.a + p.d * q.c) % M, (p.c * q.b + p.d * q.d) % M};
}
extern "C" __global__ void matrix_power(const unsigned *in, unsigned *out, unsigned n)
{
    Two power = {1, 1, 1, 0}, result = {1, 0, 0, 1};
    for (unsigned e = in[index()]; e; e >>= 1, power = power * power)
        if (e & 1) result = result * power;
    out[index()] = unsigned(result.b);
}
