/**
 * Solves A x = b for a symmetric positive definite A, given by its lower half in rows of b's length.
 * Overwrites A with its factor; undefined when A is not positive definite.
 */
export function solve(matrix: Float64Array, vector: Float64Array): Float64Array | undefined {
  const size = vector.length;
  for (let row = 0; row < size; row++) {
    for (let column = 0; column <= row; column++) {
      let sum = matrix[row * size + column] ?? 0;
      for (let k = 0; k < column; k++)
        sum -= (matrix[row * size + k] ?? 0) * (matrix[column * size + k] ?? 0);
      if (row === column && !(sum > 0)) return undefined;
      matrix[row * size + column] =
        row === column ? Math.sqrt(sum) : sum / (matrix[column * size + column] ?? 1);
    }
  }
  const x = Float64Array.from(vector);
  for (let row = 0; row < size; row++) {
    let sum = x[row] ?? 0;
    for (let k = 0; k < row; k++) sum -= (matrix[row * size + k] ?? 0) * (x[k] ?? 0);
    x[row] = sum / (matrix[row * size + row] ?? 1);
  }
  for (let row = size - 1; row >= 0; row--) {
    let sum = x[row] ?? 0;
    for (let k = row + 1; k < size; k++) sum -= (matrix[k * size + row] ?? 0) * (x[k] ?? 0);
    x[row] = sum / (matrix[row * size + row] ?? 1);
  }
  return x;
}
