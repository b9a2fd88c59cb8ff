import { createSimulator } from '../../streams/internal.ts';

/** The one simulator of this thread. */
export const simulate = createSimulator();
