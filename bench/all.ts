import { benchReplay } from './replay.ts';

await benchReplay();
