/**
 * Runs `use` with a seed of chance, or with that of TEST_SEED, to repeat a run that failed. A failure names its seed and
 * what failed in one line, as parallel test runs show no cause.
 */
export async function withSeed<T>(use: (seed: number) => Promise<T>): Promise<T> {
  const given = process.env.TEST_SEED;
  const seed = given === undefined ? Math.trunc(Math.random() * 2 ** 31) : Number(given);
  try {
    return await use(seed);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`with seed ${seed} (TEST_SEED=${seed} repeats it): ${message}`, { cause: error });
  }
}
