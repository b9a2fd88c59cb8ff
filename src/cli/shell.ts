/** What a command sees of the process it runs in. */
export type Shell = Pick<NodeJS.Process, 'env' | 'stdout' | 'stderr' | 'on' | 'off' | 'exit'>;
