import { describeStore } from '../describe-store.ts';
import { createMemoryStore } from './memory-store.ts';

describeStore('createMemoryStore', (use) => use(createMemoryStore()));
