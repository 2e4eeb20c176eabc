/** `npm start`: one process, so that a signal to it reaches the server. */
import './prepare.mjs';
import './compile-cache.mjs';
import { entry } from './entry.mjs';

await import(entry('server'));
