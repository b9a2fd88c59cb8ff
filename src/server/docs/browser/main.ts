import { startColours } from './colours.ts';
import { startDeepLinks } from './deep-links.ts';
import { startKey } from './key.ts';
import { startListening } from './listen.ts';
import { startForms } from './try.ts';
import './page.css';

const root = new URL(document.body.dataset.toRoot ?? './', document.baseURI);

startColours();
startDeepLinks();
const key = startKey();
startForms(root, key);
startListening(root, key);
