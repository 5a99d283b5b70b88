// Neighbourhoods on grids.

__device__ unsigned index() { return blockIdx.x * blockDim.x + threadIdx.x; }

/// Seven points, with a halo in shared memory; the ends count as zero.
extern "C" __global__ void stencil_1d(const int *in, int *out, unsigned n)
{
    __shared__ int a[128 + 6];
    int i = index(), t = threadIdx.x;
    auto at = [=](int k) { return k >= 0 && k < int(n) ? in[k] : 0; };
    a[t + 3] = at(i);
    if (t < 3) { a[t] = at(i - 3); a[t + 131] = at(i + 128); }
    __syncthreads();
    int sum = 0;
    for (int k = -3; k <= 3; k++) sum += a[t + 3 + k] * (4 - abs(k));
    if (i < int(n)) out[i] = sum;
}

/// Four steps of heat in a square of n, in one block, with a barrier between the steps.
extern "C" __global__ void heat_2d(const float *in, float *out, unsigned n)
{
    __shared__ float a[2][16][16];
    unsigned x = threadIdx.x, y = threadIdx.y, from = 0;
    a[0][y][x] = a[1][y][x] = in[y * n + x];
    __syncthreads();
    for (int step = 0; step < 4; step++, from ^= 1) {
        if (x && y && x < n - 1 && y < n - 1)
            a[from ^ 1][y][x] = fmaf(0.2f, (a[from][y - 1][x] + a[from][y + 1][x])
                + (a[from][y][x - 1] + a[from][y][x + 1]) - 4.0f * a[from][y][x], a[from][y][x]);
        __syncthreads();
    }
    out[y * n + x] = a[from][y][x];
}

extern "C" __global__ void laplace_3d(const double *in, double *out, unsigned n)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
    auto at = [=](unsigned x, unsigned y, unsigned z) {
        return x < n && y < n && z < n ? in[(z * n + y) * n + x] : 0.0;
    };
    out[(z * n + y) * n + x] = at(x - 1, y, z) + at(x + 1, y, z) + at(x, y - 1, z) + at(x, y + 1, z)
        + at(x, y, z - 1) + at(x, y, z + 1) - 6.0 * at(x, y, z);
}

/// Conway's game on a torus: a bit of each input word is a cell.
extern "C" __global__ void game_of_life(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned around = 0, alive = in[y * n + x] >> 31;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy) around += in[(y + dy + n) % n * n + (x + dx + n) % n] >> 31;
    out[y * n + x] = around == 3 || (alive && around == 2);
}

__constant__ float weights[5][5] = {{1, 4, 6, 4, 1}, {4, 16, 24, 16, 4}, {6, 24, 36, 24, 6},
    {4, 16, 24, 16, 4}, {1, 4, 6, 4, 1}};

/// A blur of 5 x 5 with weights in constant memory; the border repeats.
extern "C" __global__ void convolve(const float *in, float *out, unsigned n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int dy = 0; dy < 5; dy++)
        for (int dx = 0; dx < 5; dx++) {
            int cx = min(max(x + dx - 2, 0), int(n) - 1), cy = min(max(y + dy - 2, 0), int(n) - 1);
            sum = fmaf(weights[dy][dx], in[cy * n + cx], sum);
        }
    out[y * n + x] = sum * (1.0f / 256.0f);
}

/// The edges of grey values of 8 bits: |gx| + |gy|, saturated.
extern "C" __global__ void sobel(const unsigned *in, unsigned char *out, unsigned n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    auto at = [=](int x, int y) { return int(in[(y & (n - 1)) * n + (x & (n - 1))] >> 24); };
    int gx = at(x + 1, y - 1) + 2 * at(x + 1, y) + at(x + 1, y + 1) - at(x - 1, y - 1)
        - 2 * at(x - 1, y) - at(x - 1, y + 1);
    int gy = at(x - 1, y + 1) + 2 * at(x, y + 1) + at(x + 1, y + 1) - at(x - 1, y - 1)
        - 2 * at(x, y - 1) - at(x + 1, y - 1);
    int edge = abs(gx) + abs(gy);
    out[y * n + x] = edge > 255 ? 255 : edge;
}

/// The median of nine, by a network of exchanges.
extern "C" __global__ void median(const int *in, int *out, unsigned n)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int a[9];
    for (unsigned i = 0; i < 9; i++)
        a[i] = in[(y + i / 3 + n - 1) % n * n + (x + i % 3 + n - 1) % n];
#pragma unroll
    for (int i = 0; i < 5; i++)
#pragma unroll
        for (int k = 8; k > i; k--) {
            int low = min(a[k - 1], a[k]);
            a[k] = max(a[k - 1], a[k]);
            a[k - 1] = low;
        }
    out[y * n + x] = a[4];
}

/// A sliding sum over 9 elements of a row of n; a thread a row.
extern "C" __global__ void box_blur(const unsigned *in, unsigned short *out, unsigned n)
{
    const unsigned *row = in + index() * n;
    unsigned sum = 0;
    for (unsigned i = 0; i < n + 4; i++) {
        if (i < n) sum += row[i] >> 20;
        if (i >= 9) sum -= row[i - 9] >> 20;
        if (i >= 4) out[index() * n + i - 4] = sum / 9;
    }
}
