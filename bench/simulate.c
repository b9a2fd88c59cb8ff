/* The paths of a forecast as streams/model/forecast/paths.ts makes them: the same lattice, tables and order. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PATHS 32768
#define ENTRIES 4096

static double day_table[ENTRIES], level_table[ENTRIES], means[PATHS];

static void add_days(double scale, const uint32_t *step, const uint32_t *from, uint32_t level) {
  uint32_t at[8];
  const double *t = day_table;
  for (int k = 0; k < 8; k++) at[k] = from[k];
  for (int path = 0; path < PATHS; path++) {
    double sum = 0;
    for (int k = 0; k < 8; k++) {
      sum += scale * t[at[k] >> 20];
      at[k] += step[k];
    }
    means[path] += sum * level_table[level >> 20];
    level += 1u << 17;
  }
}

static double gather(double *counts, double *sums, int nodes) {
  double highest = 0;
  for (int path = 0; path < PATHS; path++) highest = means[path] > highest ? means[path] : highest;
  for (int node = 0; node < nodes; node++) counts[node] = sums[node] = 0;
  for (int path = 0; path < PATHS; path++) {
    int node = (int)(10 * sqrt(means[path]));
    counts[node] += 1;
    sums[node] += means[path];
  }
  return highest;
}

static double now_ms(void) {
  struct timespec at;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
  return at.tv_sec * 1e3 + at.tv_nsec / 1e6;
}

/* Arguments: mean, days, rounds. Tables come on stdin. Prints the ms of a round and a sum, so that nothing is left out. */
int main(int argc, char **argv) {
  if (argc < 4) return 2;
  double mean = atof(argv[1]), sum = 0;
  int days = atoi(argv[2]), rounds = atoi(argv[3]);
  for (int k = 0; k < ENTRIES; k++) if (scanf("%lf", &day_table[k]) != 1) return 3;
  for (int k = 0; k < ENTRIES; k++) if (scanf("%lf", &level_table[k]) != 1) return 3;
  int nodes = 1024;
  double *counts = malloc(nodes * sizeof(double)), *sums = malloc(nodes * sizeof(double));
  double started = now_ms();
  for (int round = 0; round < rounds; round++) {
    uint32_t generator = 1;
    for (int path = 0; path < PATHS; path++) means[path] = 0;
    for (int first = 0; first < days; first += 8) {
      uint32_t step[8], from[8];
      for (int k = 0; k < 8; k++) {
        generator = generator * 2221 & (PATHS - 1);
        step[k] = generator << 17;
        from[k] = 0x9e3779b1u * (first + k + 1 + round);
      }
      add_days(mean / days, step, from, 0x85ebca6bu * (round + 1));
    }
    sum += gather(counts, sums, nodes) + sums[round % nodes];
  }
  printf("%.6f %.6f\n", (now_ms() - started) / rounds, sum);
  return 0;
}
