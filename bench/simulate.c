/* The paths of a forecast as streams/model/forecast/paths.ts draws them and mixture.ts gathers them: the same lattices,
   tables, seeds, order of sums and memory, so that the same numbers come out. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PATHS 32768
#define ENTRIES 4096
#define MAX_NODES 4002
#define EVEN_STEP 31643u
#define ODD_STEP 21473u
#define DAY_GENERATOR 2305u
#define WARM_UP 20

static double day_factors[ENTRIES], level_factors[ENTRIES], courses[2 * ENTRIES], means[PATHS];
static double counts[MAX_NODES], sums[MAX_NODES], weights[MAX_NODES];

static uint32_t shift(uint32_t seed, uint32_t dimension) {
  uint32_t h = (seed ^ (dimension + 1) * 0x9e3779b1u) * 0x85ebca6bu;
  h = (h ^ h >> 15) * 0x2c1b3c6du;
  h = (h ^ h >> 12) * 0x297a2d39u;
  return (h ^ h >> 15) >> 17;
}

static void add_days(double *half, const double *scale, const uint32_t *step, const uint32_t *start) {
  /* In locals, which the sums cannot overwrite. */
  double scale_a = scale[0], scale_b = scale[1];
  uint32_t a = start[0], b = start[1], step_a = step[0], step_b = step[1];
  for (int course = 0; course < ENTRIES; course++) {
    half[course] += scale_a * day_factors[a & (ENTRIES - 1)] + scale_b * day_factors[b & (ENTRIES - 1)];
    a += step_a;
    b += step_b;
  }
}

static void multiply(uint32_t level_at, uint32_t even_at, uint32_t odd_at) {
  for (int path = 0; path < PATHS; path += 4) {
    double level = level_factors[(level_at + path & (PATHS - 1)) >> 3];
    for (int k = path; k < path + 4; k++) {
      means[k] = level * (courses[(even_at & (PATHS - 1)) >> 3] + courses[((odd_at & (PATHS - 1)) >> 3) + ENTRIES]);
      even_at += EVEN_STEP;
      odd_at += ODD_STEP;
    }
  }
}

static void draw(const double *day_table, const double *level_table, double mean, int days, uint32_t seed) {
  memcpy(day_factors, day_table, sizeof day_factors);
  memcpy(level_factors, level_table, sizeof level_factors);
  memset(courses, 0, sizeof courses);
  for (int half = 0; half < 2; half++) {
    uint32_t step[2] = {1, DAY_GENERATOR};
    for (int day = half; day < days; day += 4) {
      double scale[2] = {mean / days, day + 2 < days ? mean / days : 0};
      uint32_t start[2] = {shift(seed, day + 3), shift(seed, day + 5)};
      add_days(courses + half * ENTRIES, scale, step, start);
      for (int k = 0; k < 2; k++) step[k] = step[k] * DAY_GENERATOR * DAY_GENERATOR % ENTRIES;
    }
  }
  multiply(shift(seed, 0), shift(seed, 1), shift(seed, 2));
}

/* Fills the weights and returns how many there are. */
static int gather(void) {
  for (int path = 0; path < PATHS; path++) {
    int node = (int)(10 * sqrt(means[path]));
    counts[node] += 1;
    sums[node] += means[path];
  }
  int node = 0;
  double carried = 0;
  for (double seen = 0; seen < PATHS && node < MAX_NODES - 1; node++) {
    double count = counts[node], upper = (sums[node] * 100 - count * node * node) / (2 * node + 1);
    weights[node] = carried + (count - upper) / PATHS;
    carried = upper / PATHS;
    counts[node] = sums[node] = 0;
    seen += count;
  }
  weights[node] = carried;
  return node + 1;
}

static double now_ms(void) {
  struct timespec at;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
  return at.tv_sec * 1e3 + at.tv_nsec / 1e6;
}

/* Arguments: mean, days, rounds. Tables come on stdin. Prints the ms of a round and a sum over all weights. */
int main(int argc, char **argv) {
  static double tables[2 * ENTRIES];
  if (argc < 4) return 2;
  double mean = atof(argv[1]), sum = 0, started = 0;
  int days = atoi(argv[2]), rounds = atoi(argv[3]);
  for (int k = 0; k < 2 * ENTRIES; k++) if (scanf("%lf", &tables[k]) != 1) return 3;
  for (int round = -WARM_UP; round < rounds; round++) {
    if (round == 0) {
      sum = 0;
      started = now_ms();
    }
    draw(tables, tables + ENTRIES, mean, days, round);
    int nodes = gather();
    for (int node = 0; node < nodes; node++) sum += weights[node] * node;
  }
  printf("%.6f %.9f\n", (now_ms() - started) / rounds, sum);
  return 0;
}
