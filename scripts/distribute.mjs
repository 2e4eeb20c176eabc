/** `npm run db:distribute`: one process, so that a signal to it reaches the statement that runs. */
import './prepare.mjs';
import './compile-cache.mjs';

await import('../src/distribute.ts');
