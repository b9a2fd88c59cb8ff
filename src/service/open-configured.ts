import type { Config } from '../config/config.ts';
import type { Logger } from './logger.ts';
import type { Service } from './service.ts';

interface Options {
  /** Of the program. */
  readonly version: string;
  readonly onRecovering?: (share: number) => void;
}

/** Opens what the configuration says this process is. What the other kinds need is not loaded. */
export async function openConfigured(config: Config, log: Logger, options: Options): Promise<Service> {
  const { cluster } = config;
  if (cluster?.role !== 'edge') {
    const { openService } = await import('./service.ts');
    return openService(config, log, options);
  }
  const { openEdge } = await import('./edge.ts');
  return openEdge({ ...config, cluster }, log, options);
}
