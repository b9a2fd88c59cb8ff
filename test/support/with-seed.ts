/** Names the seed that repeats a failure, and what failed in one line: a cause is not shown by parallel test runs. */
export async function withSeed<T>(seed: number, run: Promise<T>): Promise<T> {
  try {
    return await run;
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    throw new Error(`with seed ${seed}: ${what}`, { cause: error });
  }
}
