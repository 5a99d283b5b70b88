// The computations of kernels.cu as loops, for `gcc -O3 -march=native`.
#include <math.h>

#define TILE 16

void saxpy(unsigned n, float a, const float *restrict x, float *restrict y) {
    for (unsigned i = 0; i < n; i++) y[i] = a * x[i] + y[i];
}

void matmul(unsigned n, const float *restrict a, const float *restrict b, float *restrict c) {
    for (unsigned row = 0; row < n; row++)
        for (unsigned column = 0; column < n; column++) {
            float sum = 0;
            for (unsigned k = 0; k < n; k++) sum = fmaf(a[row * n + k], b[k * n + column], sum);
            c[row * n + column] = sum;
        }
}

void tiled(unsigned n, const float *restrict a, const float *restrict b, float *restrict c) {
    for (unsigned rows = 0; rows < n; rows += TILE)
        for (unsigned columns = 0; columns < n; columns += TILE) {
            float sums[TILE][TILE] = {0}, left[TILE][TILE], right[TILE][TILE];
            for (unsigned tile = 0; tile < n; tile += TILE) {
                for (unsigned y = 0; y < TILE; y++)
                    for (unsigned x = 0; x < TILE; x++) {
                        left[y][x] = a[(rows + y) * n + tile + x];
                        right[y][x] = b[(tile + y) * n + columns + x];
                    }
                for (unsigned y = 0; y < TILE; y++)
                    for (unsigned x = 0; x < TILE; x++)
                        for (unsigned k = 0; k < TILE; k++) sums[y][x] = fmaf(left[y][k], right[k][x], sums[y][x]);
            }
            for (unsigned y = 0; y < TILE; y++)
                for (unsigned x = 0; x < TILE; x++) c[(rows + y) * n + columns + x] = sums[y][x];
        }
}

struct body { float x, y, z, w; };

void bodies(unsigned n, const struct body *restrict at, struct body *restrict force) {
    for (unsigned i = 0; i < n; i++) {
        float x = 0, y = 0, z = 0;
        for (unsigned j = 0; j < n; j++) {
            float dx = at[j].x - at[i].x, dy = at[j].y - at[i].y, dz = at[j].z - at[i].z;
            float inverse = 1 / sqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float pull = at[j].w * inverse * inverse * inverse;
            x += dx * pull;
            y += dy * pull;
            z += dz * pull;
        }
        force[i] = (struct body){x, y, z, 0};
    }
}

void reduce(unsigned n, const float *restrict in, float *restrict out) {
    float sum = 0;
    for (unsigned i = 0; i < n; i++) sum += in[i];
    *out = sum;
}
