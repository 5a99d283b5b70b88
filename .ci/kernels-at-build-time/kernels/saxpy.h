#define AXPY(a, x, y) ((a) * (x) + (y))
