import { createMemoryStore } from '../../src/store/memory.ts';
import { describeStore } from '../support/describe-store.ts';

describeStore('createMemoryStore', (use) => use(createMemoryStore()));
