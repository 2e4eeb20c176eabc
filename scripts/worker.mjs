/** `npm run worker`: one process, so that a signal to it reaches the worker. */
import './prepare.mjs';
import './compile-cache.mjs';
import { entry } from './entry.mjs';

await import(entry('worker'));
