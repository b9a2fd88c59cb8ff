import { serveBusy } from './serve-busy.ts';

await serveBusy({});
