/** `npm run db:distribute`: one process, so that a signal to it reaches the statement that runs. */
import './prepare.mjs';
import './compile-cache.mjs';
import { entry } from './entry.mjs';

await import(entry('distribute'));
