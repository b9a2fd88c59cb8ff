/** The code of an error of Node or LMDB, such as `ENOENT` or a number; undefined when it has none. */
export function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** Whether the file system refused a write because there is no space, or none left for this user. */
export function isDiskFull(error: unknown): boolean {
  return errorCode(error) === 'ENOSPC' || errorCode(error) === 'EDQUOT';
}
