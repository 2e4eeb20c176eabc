/** `npm start`: one process, so that a signal to it reaches the server. */
import './prepare.mjs';
import './compile-cache.mjs';

await import('../src/server.ts');
