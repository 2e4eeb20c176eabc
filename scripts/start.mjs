/** `npm start`: one process, so that a signal to it reaches the server. */
import './prepare.mjs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

// Compiled code is kept between starts, with the installed packages: the cache of all users together would be trusted blindly.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url)));

await import('../src/server.ts');
