/** Keeps compiled code between starts, with the installed packages: the cache of all users together would be trusted blindly. */
import module from 'node:module';
import { fileURLToPath } from 'node:url';

module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url)));
