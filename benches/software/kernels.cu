// The kernels of the measurement. kernels.ptx is what softdriver/tests/kernels/compile.py makes of them.
#define TILE 16

extern "C" __global__ void saxpy(unsigned n, float a, const float *x, float *y) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void matmul(unsigned n, const float *a, const float *b, float *c) {
    unsigned row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (unsigned k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

extern "C" __global__ void tiled(unsigned n, const float *a, const float *b, float *c) {
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    unsigned x = threadIdx.x, y = threadIdx.y;
    unsigned row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (unsigned tile = 0; tile < n; tile += TILE) {
        left[y][x] = a[row * n + tile + x];
        right[y][x] = b[(tile + y) * n + column];
        __syncthreads();
        for (unsigned k = 0; k < TILE; k++) sum += left[y][k] * right[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

extern "C" __global__ void bodies(unsigned n, const float4 *at, float4 *force) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 own = at[i];
    float x = 0, y = 0, z = 0;
    for (unsigned j = 0; j < n; j++) {
        float4 other = at[j];
        float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
        float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
        float pull = other.w * inverse * inverse * inverse;
        x += dx * pull;
        y += dy * pull;
        z += dz * pull;
    }
    force[i] = make_float4(x, y, z, 0);
}

extern "C" __global__ void reduce(unsigned n, const float *in, float *out) {
    __shared__ float warps[8];
    float sum = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffff, sum, distance);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < 8; warp++) sum += warps[warp];
        out[blockIdx.x] = sum;
    }
}
