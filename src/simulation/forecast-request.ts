import type { ModelRequest } from '../../streams/internal.ts';

/** A request for a forecast, not for a fit. */
export type ForecastRequest = Extract<ModelRequest, { readonly type: 'forecast' }>;
