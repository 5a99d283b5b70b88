// c = a * b for n x n row-major matrices, in 16 x 16 tiles.
#define TILE 16
extern "C" __global__ void matmul(unsigned n, const float *a, const float *b, float *c) {
    __shared__ float ta[TILE][TILE];
    __shared__ float tb[TILE][TILE];
    unsigned row = blockIdx.y * TILE + threadIdx.y;
    unsigned col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (unsigned t = 0; t < (n + TILE - 1) / TILE; ++t) {
        unsigned k = t * TILE;
        ta[threadIdx.y][threadIdx.x] =
            row < n && k + threadIdx.x < n ? a[row * n + k + threadIdx.x] : 0.0f;
        tb[threadIdx.y][threadIdx.x] =
            col < n && k + threadIdx.y < n ? b[(k + threadIdx.y) * n + col] : 0.0f;
        __syncthreads();
        for (unsigned i = 0; i < TILE; ++i) {
            sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
        }
        __syncthreads();
    }
    if (row < n && col < n) {
        c[row * n + col] = sum;
    }
}
