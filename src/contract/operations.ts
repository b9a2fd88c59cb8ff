import type { Operation } from './operation.ts';
import { ALERTS } from './operations/alerts.ts';
import { MARKETS } from './operations/markets.ts';
import { PERFORMANCE } from './operations/performance.ts';
import { SERVICE } from './operations/service.ts';
import { TRADING } from './operations/trading.ts';
import { USAGE } from './operations/usage.ts';

/** All endpoints. */
export const OPERATIONS: readonly Operation[] = [
  ...MARKETS,
  ...TRADING,
  ...PERFORMANCE,
  ...ALERTS,
  ...USAGE,
  ...SERVICE,
];
