import type { Endpoints, EndpointsWithApi } from '../endpoints.ts';
import type { SourceSettings } from '../settings.ts';
import type { SourceContext } from '../source.ts';

/** What every request of one run of a source needs. */
export interface Reading<E extends Endpoints = Endpoints> {
  readonly endpoints: E;
  readonly settings: SourceSettings;
  readonly context: SourceContext;
  readonly signal: AbortSignal;
}

/** The same for requests to the posts API. */
export type ApiReading = Reading<EndpointsWithApi>;
