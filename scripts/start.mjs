/** `npm start`: one process, so that a signal to it reaches the server. */
import './prepare.mjs';

await import('../src/server.ts');
