import { API_PREFIX } from '../api-prefix.ts';
import { ONCE, OPEN, type Operation, PUBLIC, STATE } from '../operation.ts';
import { feedQuery, noQuery } from '../params.ts';

const COMPUTED = { ...ONCE, ...OPEN, tag: 'Service' } as const;
const PUBLISHED = { ...ONCE, ...PUBLIC, tag: 'Service' } as const;
const DOCUMENT = { ...STATE, ...OPEN, tag: 'Service' } as const;

/** The service itself (spec 4, endpoints 13 and 14) and its documents. */
export const SERVICE: readonly Operation[] = [
  {
    ...COMPUTED,
    id: 'getHealth',
    path: `${API_PREFIX}/health`,
    summary: 'State of the service',
    description: 'Whether the service works as it should.',
    query: noQuery,
    answer: 'Health',
    unavailable: 'Health',
  },
  {
    ...PUBLISHED,
    id: 'joinWaitlist',
    method: 'post',
    path: `${API_PREFIX}/waitlist`,
    summary: 'A place on the waitlist',
    description: 'A wallet or e-mail address keeps its first place. At most 16 KiB of JSON.',
    query: noQuery,
    body: 'WaitlistRequest',
    answer: 'WaitlistPlace',
    refusals: ['BodyIncomplete', 'BodyTooLarge', 'UnsupportedMediaType', 'StoreUnavailable'],
  },
  {
    ...PUBLISHED,
    id: 'getFeed',
    path: `${API_PREFIX}/feed`,
    summary: 'Push feed',
    description:
      'A WebSocket, or with Accept: text/event-stream an event stream of the channels named. Last-Event-ID resumes a stream.',
    query: feedQuery,
    answer: 'text/event-stream',
    refusals: ['Unauthorized', 'ChannelUnknown', 'UpgradeRequired', 'TooManyFeeds', 'FeedUnavailable'],
  },
  {
    ...DOCUMENT,
    id: 'getOpenApi',
    path: `${API_PREFIX}/openapi.json`,
    summary: 'This document',
    description: 'The interface as an OpenAPI 3.1 document.',
    answer: 'application/json',
  },
  {
    ...DOCUMENT,
    id: 'getAsyncApi',
    path: `${API_PREFIX}/asyncapi.json`,
    summary: 'The feed as a document',
    description: 'The messages of the feed as an AsyncAPI 3.0 document.',
    answer: 'application/json',
  },
  {
    ...DOCUMENT,
    id: 'getDocs',
    path: '/docs',
    summary: 'This document as a page',
    description: 'A page for people; the feed has one of its own at /docs/feed. They need no other host.',
    answer: 'text/html',
  },
  {
    ...DOCUMENT,
    id: 'getDashboard',
    path: '/',
    summary: 'The dashboard',
    description: 'A page for people that shows everything as it changes. It needs no other host.',
    answer: 'text/html',
  },
  {
    ...DOCUMENT,
    id: 'getGuide',
    path: '/llms.txt',
    summary: 'A guide for language models',
    description: 'The interface and how to use it, as a short text.',
    answer: 'text/markdown',
  },
  {
    ...COMPUTED,
    id: 'getLiveness',
    path: '/livez',
    summary: 'Whether the process is alive',
    description: 'For the operator: 503 when the process was blocked for 5 s since the last probe.',
    answer: 'Probe',
    unavailable: 'Probe',
  },
  {
    ...COMPUTED,
    id: 'getReadiness',
    path: '/readyz',
    summary: 'Whether the process is ready for requests',
    description: 'For the operator: 503 until there are records to serve, and again while the process stops.',
    answer: 'Probe',
    unavailable: 'Probe',
  },
  {
    ...ONCE,
    access: 'INTERNAL',
    isCounted: false,
    tag: 'Service',
    id: 'getMetrics',
    path: '/metrics',
    summary: 'Metrics for monitoring',
    description:
      'For the operator: metrics in the Prometheus text format, unless they have a port of their own.',
    answer: 'text/plain',
  },
];
